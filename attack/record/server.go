package record

import (
	"fmt"
	"slices"
	"strings"
)

// ServerUse is what one watched server used over the span of its figures, as far
// as a verdict looks at it. Undefined figures are not looked at.
type ServerUse struct {
	Name      string
	Local     bool   // on the client's machine
	CPUs      []int  // cores that it may run on; none if not known
	Available Number // cores that it can fill
	Cores     Number // used
	CPU       Number // s
	Precision Number // relative, of the figure that is headline: of the CPU time per reply, or of the CPU time
	Throttled Number // s by its quota ÷ s of the span
	Ended     Number // s, last reading that found its processes; undefined if they did not end
	Gap       Number // s to the reading that missed them
}

// HostUse is what is held against a watched host.
type HostUse struct {
	Name      string
	Local     bool
	Steal     Number // share of its cores' time that the hypervisor gave to others
	Drops     uint64 // connections lost at listening sockets during the run
	Overflows uint64 // of Drops, those that met a full accept queue
	Lost      Number // s of the last reading where the link was lost; undefined where it was not
}

// JudgeServers adds to v what the figures of the watched servers and hosts call
// into question.
func JudgeServers(v *Verdict, client *Client, servers []ServerUse, hosts []HostUse) {
	add := func(f *Finding) {
		if f != nil {
			v.Add(*f)
		}
	}
	for i := range hosts {
		add(linkLost(&hosts[i]))
	}
	for i := range servers {
		add(serverEnded(&servers[i]))
	}
	add(serverFull(servers))
	add(sharedCores(client, servers))
	for i := range servers {
		add(throttled(&servers[i]))
		add(imprecise(&servers[i]))
	}
	for i := range hosts {
		add(stolen(&hosts[i]))
		add(dropped(&hosts[i]))
	}
}

// Unwatched is the finding of a host whose CPU is not known. why is one line, and
// may begin with the host.
func Unwatched(host, why string) Finding {
	why = strings.TrimPrefix(why, "watching "+host+": ")
	return Finding{"server_unwatched", host + ": " + strings.TrimPrefix(why, host+": "), Undefined(), Undefined(), Suspect}
}

func linkLost(h *HostUse) *Finding {
	if !h.Lost.Defined() {
		return nil
	}
	text := fmt.Sprintf("lost the link to %s at %.1f s: server figures end there", h.Name, h.Lost)
	if h.Local {
		text = fmt.Sprintf("this machine's counters could not be read after %.1f s: server figures end there", h.Lost)
	}
	return &Finding{"link_lost", text, h.Lost, Undefined(), Suspect}
}

// serverEnded: the processes ended some time between two readings.
func serverEnded(s *ServerUse) *Finding {
	if !s.Ended.Defined() {
		return nil
	}
	return &Finding{"server_ended",
		fmt.Sprintf("%s ended at %.1f s or within %.1f s after: its figures end there", s.Name, s.Ended, s.Gap),
		s.Ended, Undefined(), Suspect}
}

// serverFull names every server that has no core left; the value is the fullest's.
func serverFull(servers []ServerUse) *Finding {
	var texts []string
	fullest := Number(0)
	for i := range servers {
		s := &servers[i]
		share := s.Cores / s.Available
		if !share.Defined() || share < serverBusy {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %.2f of %.4g", s.Name, s.Cores, s.Available))
		fullest = max(fullest, share)
	}
	if len(texts) == 0 {
		return nil
	}
	return &Finding{"server_full", "server cores full (" + strings.Join(texts, ", ") + ")", fullest, serverBusy, Suspect}
}

// sharedCores: client and servers on the same cores that were busy enough to make
// them wait for each other. A server whose cores are not known may run on all.
func sharedCores(client *Client, servers []ServerUse) *Finding {
	shared := map[int]bool{}
	sum := client.Cores
	var texts []string
	for i := range servers {
		s := &servers[i]
		both := common(client.CPUs, s.CPUs)
		if !s.Local || !s.Cores.Defined() || len(both) == 0 {
			continue
		}
		for _, cpu := range both {
			shared[cpu] = true
		}
		sum += s.Cores
		texts = append(texts, fmt.Sprintf("%s %.2f", s.Name, s.Cores))
	}
	limit := sharedBusy * Number(len(shared))
	if len(texts) == 0 || !(sum > limit) {
		return nil
	}
	return &Finding{"shared_cores",
		fmt.Sprintf("client and server share cores: %s and the client %.2f of %d", strings.Join(texts, ", "), client.Cores, len(shared)),
		sum, limit, Suspect}
}

// common are the cores of client that are also server's: all if those are not known.
func common(client, server []int) []int {
	if len(server) == 0 {
		return client
	}
	var both []int
	for _, cpu := range client {
		if slices.Contains(server, cpu) {
			both = append(both, cpu)
		}
	}
	return both
}

func throttled(s *ServerUse) *Finding {
	if !(s.Throttled > throttledLimit) {
		return nil
	}
	return &Finding{"server_throttled",
		fmt.Sprintf("%s was held back by its CPU quota for %.0f ms in each second", s.Name, s.Throttled*1e3),
		s.Throttled, throttledLimit, Suspect}
}

func imprecise(s *ServerUse) *Finding {
	switch {
	case s.CPU == 0:
		return &Finding{"server_idle", s.Name + " used no CPU time that can be seen: is it the server?", 0, Undefined(), Suspect}
	case !(s.Precision > precisionLimit):
		return nil
	}
	return &Finding{"server_precision",
		fmt.Sprintf("CPU of %s is known to ± %.0f %% only: a longer run or a cgroup tells it better", s.Name, s.Precision*100),
		s.Precision, precisionLimit, Suspect}
}

func stolen(h *HostUse) *Finding {
	if !(h.Steal > stealLimit) {
		return nil
	}
	return &Finding{"server_steal",
		fmt.Sprintf("the hypervisor took %.1f %% of the CPU time of %s", h.Steal*100, h.Name),
		h.Steal, stealLimit, Suspect}
}

func dropped(h *HostUse) *Finding {
	if h.Drops == 0 {
		return nil
	}
	text := fmt.Sprintf("%s dropped %d connections before they were accepted", h.Name, h.Drops)
	if h.Overflows > 0 {
		text += fmt.Sprintf(" (%d for a full queue)", h.Overflows)
	}
	return &Finding{"listen_drops", text, Number(h.Drops), 0, Suspect}
}
