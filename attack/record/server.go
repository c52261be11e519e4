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
	Part      bool   // its processes are also another server's
	CPUs      []int  // cores that it may run on; none if not known
	Available Number // cores that it can fill
	Cores     Number // used
	CPU       Number // s
	Precision Number // relative, of the figure that is headline: of the CPU time per reply, or of the CPU time; from 1 on it is not known
	Throttled Number // s by its quota, summed over cores ÷ s of the span
	Ended     Number // s, last reading that found its processes; undefined if they did not end
	Gap       Number // s to the reading that missed them
	Unwaited  bool   // CPU time of children is missing, as nobody waits for them
	Client    bool   // the load generator is one of its processes, and its CPU in the figures
}

// HostUse is what is held against a watched host.
type HostUse struct {
	Name      string
	Local     bool
	All       int    // cores
	Busy      Number // of All, cores
	Others    Number // of Busy, cores that neither the watched servers nor the client used
	Steal     Number // share of its cores' time that the hypervisor gave to others
	Drops     Number // connections lost at listening sockets during the run; undefined if not known, as Overflows
	Overflows Number // of Drops, those that met a full accept queue
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
	for i := range hosts {
		add(busyHost(&hosts[i]))
	}
	for i := range servers {
		add(throttled(&servers[i]))
		add(unwaited(&servers[i]))
		add(ownClient(&servers[i]))
		add(imprecise(&servers[i]))
	}
	for i := range hosts {
		add(stolen(&hosts[i]))
		add(dropped(&hosts[i]))
	}
}

// Unwatched is the finding of a host whose CPU is not known. why is one line that
// names the host.
func Unwatched(why string) Finding {
	return Finding{"server_unwatched", why, Undefined(), Undefined(), Suspect}
}

// NotWatched is the remark that nothing was watched although nobody turned that off,
// and why, in a line. It is no doubt about the run.
func NotWatched(why string) Finding {
	return Finding{"server_not_watched", "server not watched: " + why, Undefined(), Undefined(), Valid}
}

func linkLost(h *HostUse) *Finding {
	if !h.Lost.Defined() {
		return nil
	}
	text := fmt.Sprintf("lost the link to %s after %.1f s: server figures end there", h.Name, h.Lost)
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
		if !share.Defined() || share < serverBusy || s.unknown() {
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

// sharedCores: client and servers that have cores in common and keep all cores that
// one of them may run on so busy that they wait for each other. A server whose cores
// are not known may run on all of the client's.
func sharedCores(client *Client, servers []ServerUse) *Finding {
	all := slices.Clone(client.CPUs)
	sum := client.Cores
	var texts []string
	for i := range servers {
		s := &servers[i]
		if !s.Local || s.Part || !s.Cores.Defined() || s.unknown() || !meet(client.CPUs, s.CPUs) {
			continue
		}
		all = append(all, s.CPUs...)
		sum += s.Cores
		texts = append(texts, fmt.Sprintf("%s %.2f", s.Name, s.Cores))
	}
	slices.Sort(all)
	cores := len(slices.Compact(all))
	limit := sharedBusy * Number(cores)
	if len(texts) == 0 || !(sum > limit) {
		return nil
	}
	return &Finding{"shared_cores",
		fmt.Sprintf("client and server share cores: %s and the client %.2f of %d", strings.Join(texts, ", "), client.Cores, cores),
		sum, limit, Suspect}
}

// unknown says that the server's CPU time is less than what it may be wrong by.
func (s *ServerUse) unknown() bool { return s.Precision >= 1 }

// busyHost: what is neither server nor client keeps the host's cores from both.
func busyHost(h *HostUse) *Finding {
	share := h.Others / Number(h.All)
	if !(h.Busy >= hostBusy*Number(h.All)) || !(share >= othersBusy) {
		return nil
	}
	return &Finding{"host_busy",
		fmt.Sprintf("%s was busy %.2f of %d cores, %.2f of it by neither the watched servers nor the client", h.Name, h.Busy, h.All, h.Others),
		share, othersBusy, Suspect}
}

// meet says whether the client has one of the server's cores: any if those are not
// known.
func meet(client, server []int) bool {
	return slices.ContainsFunc(client, func(cpu int) bool { return len(server) == 0 || slices.Contains(server, cpu) })
}

func throttled(s *ServerUse) *Finding {
	if !(s.Throttled > throttledLimit) {
		return nil
	}
	return &Finding{"server_throttled",
		fmt.Sprintf("%s was held back by its CPU quota: %.0f ms in each second, summed over cores", s.Name, s.Throttled*1e3),
		s.Throttled, throttledLimit, Suspect}
}

func unwaited(s *ServerUse) *Finding {
	if !s.Unwaited {
		return nil
	}
	return &Finding{"server_unwaited",
		fmt.Sprintf("CPU of %s is too low: it has children that end without being waited for; a cgroup counts them", s.Name),
		Undefined(), Undefined(), Suspect}
}

func ownClient(s *ServerUse) *Finding {
	if !s.Client {
		return nil
	}
	return &Finding{"server_has_client",
		fmt.Sprintf("CPU of %s is too high: ratebench itself runs in it and is counted", s.Name),
		Undefined(), Undefined(), Suspect}
}

// imprecise leaves out one of which unwaited says why it is not known better.
func imprecise(s *ServerUse) *Finding {
	switch {
	case s.Unwaited:
		return nil
	case s.CPU == 0:
		return &Finding{"server_idle", s.Name + " used no CPU time that can be seen: is it the server?", 0, Undefined(), Suspect}
	case !(s.Precision > precisionLimit):
		return nil
	}
	known := fmt.Sprintf("known to ± %.0f %% only", s.Precision*100)
	if s.unknown() {
		known = "not known: it is less than what it may be wrong by"
	}
	return &Finding{"server_precision",
		fmt.Sprintf("CPU of %s is %s; a longer run or a cgroup tells it better", s.Name, known),
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
	if !(h.Drops > 0) {
		return nil
	}
	text := fmt.Sprintf("%s dropped %.0f connections before they were accepted", h.Name, h.Drops)
	if h.Overflows > 0 {
		text += fmt.Sprintf(" (%.0f for a full queue)", h.Overflows)
	}
	return &Finding{"listen_drops", text, h.Drops, 0, Suspect}
}
