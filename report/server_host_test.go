package report

import (
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// counting is a host that counts a thousand of everything in each second, from
// long before the run on.
func counting(ms ...int) *sampler.Record {
	w := &sampler.Record{Host: sampler.HostInfo{Name: "local", Cores: 2}, Readings: at(ms...)}
	for i := range w.Readings {
		n := uint64(w.Readings[i].At/time.Millisecond) + 10_000
		w.Readings[i].Host = sampler.HostCounters{Forks: n, Switches: 2 * n, ListenOverflows: n, ListenDrops: n, TimeWait: n, Received: n, Sent: n}
	}
	return w
}

// TestCountsOfRun: what happened in a warm-up, or while the host was reached, is not
// of the run, nor of its first second.
func TestCountsOfRun(t *testing.T) {
	for what, c := range map[string]struct {
		readings []int
		n        record.Number
		samples  int
	}{
		"no warm-up":              {[]int{-10, 1, 1001, 1501}, 1500, 2},
		"a warm-up":               {[]int{-9000, 1, 1001, 1501}, 1500, 2},
		"none near the origin":    {[]int{-400, 1001, 1501}, 1901, 1},
		"a reading of 10 at once": {[]int{1501}, record.Undefined(), 0},
	} {
		h := newHost(repliesOf(1.5, 100, 50), counting(c.readings...))
		want(t, what, map[string][2]record.Number{
			"overflows": {h.Overflows, c.n}, "drops": {h.Drops, c.n}, "received": {h.Received, c.n}, "sent": {h.Sent, c.n}, "forks": {h.Forks, c.n}, "switches": {orUndefined(h.Switches), 2 * c.n},
			"samples": {record.Number(len(h.Samples)), record.Number(c.samples)},
		})
	}
}

// TestUnknownCounts: what a host did not tell at one end of a span is not known of
// it, and never what has been since the host was started.
func TestUnknownCounts(t *testing.T) {
	w := counting(1, 1001, 2001)
	w.Readings[0].Host = sampler.HostCounters{ListenUnknown: true, TimeWaitUnknown: true, BytesUnknown: true, Forks: 10_001}
	d := repliesOf(2, 100, 100)
	AddServers(d, []*sampler.Record{w})
	h, u := &d.Hosts[0], record.Undefined()
	want(t, "host", map[string][2]record.Number{
		"overflows": {h.Overflows, u}, "drops": {h.Drops, u}, "received": {h.Received, u}, "sent": {h.Sent, u}, "forks": {h.Forks, 2000},
		"first drops": {h.Samples[0].Drops, u}, "later drops": {h.Samples[1].Drops, 1000}, "later bytes": {h.Samples[1].Sent, 1000},
		"time wait": {h.Samples[0].TimeWait, 11_001},
	})
	if codes := findingCodes(d); codes != "" || listenDrops(d) != "" {
		t.Errorf("findings %q, drops %q", codes, listenDrops(d))
	}
	w.Readings[2].Host.TimeWaitUnknown = true
	if h := newHost(d, w); h.Samples[1].TimeWait.Defined() {
		t.Errorf("sockets in TIME_WAIT: %v", h.Samples[1].TimeWait)
	}
	if got := grown(5, 3); got != 0 {
		t.Errorf("a counter that was begun anew has grown by %v", got)
	}
}

func orUndefined(n *record.Number) record.Number {
	if n == nil {
		return record.Undefined()
	}
	return *n
}
