package report

import (
	"slices"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// newHost are the figures of w's host.
func newHost(d *Document, w *sampler.Record) Host {
	u := record.Undefined()
	h := Host{
		Name: valid(w.Host.Name), Kernel: valid(w.Host.Kernel), Cores: w.Host.Cores,
		From: u, To: u, Busy: u, Interrupts: u, Steal: u, HostCounts: noCounts(),
		SamplerCPU: coresUsed(w.Cost.CPU, w.Cost.Elapsed), ClockOffset: u, ClockWithin: u, ClockDrift: u,
		Notes: []string{}, Samples: hostSamples(w),
	}
	for _, note := range w.Notes {
		h.Notes = append(h.Notes, valid(note))
	}
	if !isLocal(h.Name) {
		h.ClockOffset, h.ClockWithin = record.Seconds(w.Clock.Offset), record.Seconds(w.Clock.Within)
		h.ClockDrift = record.Number(w.Clock.Drift)
	}
	if w.Lost != nil {
		h.Lost = &LinkLoss{record.Seconds(w.Lost.At), valid(w.Lost.Why)}
	}
	if span := resultSpan(w.Readings, &d.Summary); len(span) > 1 {
		first, last := &span[0], &span[len(span)-1]
		h.From, h.To = record.Seconds(first.At), record.Seconds(last.At)
		h.Busy, h.Interrupts, h.Steal = hostShares(&w.Host, first, last)
	}
	// What a burst near the very start had turned away counts too.
	if whole := around(w.Readings, &d.Summary); len(whole) > 1 {
		h.HostCounts = countsBetween(&whole[0].Host, &whole[len(whole)-1].Host)
	}
	return h
}

// countsBetween is by how much a host's counters have grown from a to b, undefined
// where one of the two does not tell.
func countsBetween(a, b *sampler.HostCounters) HostCounts {
	c := noCounts()
	c.Forks = grown(a.Forks, b.Forks)
	if switches := grown(a.Switches, b.Switches); switches.Defined() {
		c.Switches = &switches
	}
	if !a.ListenUnknown && !b.ListenUnknown {
		c.Overflows, c.Drops = grown(a.ListenOverflows, b.ListenOverflows), grown(a.ListenDrops, b.ListenDrops)
	}
	if !a.BytesUnknown && !b.BytesUnknown {
		c.Received, c.Sent = grown(a.Received, b.Received), grown(a.Sent, b.Sent)
	}
	return c
}

func noCounts() HostCounts {
	u := record.Undefined()
	return HostCounts{Overflows: u, Drops: u, Received: u, Sent: u, Forks: u}
}

// grown is how much a counter has grown from a to b, 0 if it fell: it was begun
// anew. It is undefined if no counter of a run grows by as much.
func grown(a, b uint64) record.Number {
	if by := b - min(a, b); by <= mostBytes {
		return record.Number(by)
	}
	return record.Undefined()
}

// hostShares are the cores busy and in interrupts between two readings, and the
// share of all cores' time that was stolen.
func hostShares(host *sampler.HostInfo, a, b *sampler.Reading) (busy, interrupts, steal record.Number) {
	elapsed := elapsedBetween(host, a, b)
	stolen := coresUsed(b.Host.Steal-a.Host.Steal, elapsed)
	return coresUsed(b.Host.Busy-a.Host.Busy, elapsed), coresUsed(b.Host.Interrupts-a.Host.Interrupts, elapsed),
		record.Ratio(float64(stolen), float64(host.Cores))
}

func hostSamples(w *sampler.Record) []HostSample {
	samples := []HostSample{}
	during(w.Readings, func(before, now *sampler.Reading) {
		s := HostSample{T: record.Seconds(now.At), TimeWait: record.Undefined()}
		if !now.Host.TimeWaitUnknown {
			s.TimeWait = record.Number(now.Host.TimeWait)
		}
		s.Busy, s.Interrupts, s.Steal = hostShares(&w.Host, before, now)
		s.HostCounts = countsBetween(&before.Host, &now.Host)
		samples = append(samples, s)
	})
	return samples
}

// others is how many of the busy cores are not of servers, all those watched on h,
// nor of the client. It is undefined if one of these figures is not known.
func (h *Host) others(client *record.Client, servers []Server) record.Number {
	rest := h.Busy
	for i := range servers {
		holds := func(s Server) bool { return s.Name == servers[i].Within }
		if !slices.ContainsFunc(servers, holds) {
			rest -= servers[i].Cores
		}
	}
	if isLocal(h.Name) {
		rest -= client.Cores
	}
	return rest
}

// use is h as a verdict looks at it.
func (h *Host) use(client *record.Client, servers []Server) record.HostUse {
	u := record.HostUse{
		Name: h.Name, Local: isLocal(h.Name), All: h.Cores, Busy: h.Busy, Others: h.others(client, servers), Steal: h.Steal,
		Drops: max(h.Drops, h.Overflows), Overflows: h.Overflows, Lost: record.Undefined(),
	}
	if u.Local {
		u.Name = "this machine"
	}
	if h.Lost != nil {
		u.Lost = h.Lost.T
	}
	return u
}
