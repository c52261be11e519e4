package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// agree says whether two figures agree to a thousandth: readings lie between replies.
func agree(a, b record.Number) bool {
	return math.Abs(float64(a-b)) <= 1e-3*math.Abs(float64(b)) || !a.Defined() && !b.Defined()
}

func TestAgree(t *testing.T) {
	u := record.Undefined()
	if !agree(1, 1) || !agree(u, u) || !agree(0, 0) || agree(1, 1.0011) || agree(1, u) || agree(u, 0) {
		t.Error("agree takes different figures for the same")
	}
}

// want compares figures by name.
func want(t testing.TB, what string, figures map[string][2]record.Number) {
	t.Helper()
	for name, f := range figures {
		if !agree(f[0], f[1]) {
			t.Errorf("%s: %s %v, want %v", what, name, f[0], f[1])
		}
	}
}

func TestWantFails(t *testing.T) {
	f := &failures{TB: t}
	want(f, "x", map[string][2]record.Number{"same": {1, 1}, "other": {1, 2}})
	if f.n != 1 {
		t.Errorf("%d failures, want 1", f.n)
	}
}

// TestServerFigures: the figures of a local server are those that its replies cost,
// over whole seconds inside the load.
func TestServerFigures(t *testing.T) {
	d := loadRun(t, "local-nginx")
	s, h := &d.Server[0], &d.Hosts[0]
	if s.Name != "nginx" || s.Host != "local" || s.Source != sampler.SourceTree || len(d.Server) != 1 || len(d.Hosts) != 1 {
		t.Errorf("%d servers, the first %q on %q by %q", len(d.Server), s.Name, s.Host, s.Source)
	}
	u := record.Undefined()
	want(t, "nginx", map[string][2]record.Number{
		"from": {s.From, 1.0004}, "to": {s.To, 11.0004}, "replies": {s.Replies, 2000},
		"CPU": {s.CPU, 0.62}, "user": {s.CPUUser, 0.24}, "system": {s.CPUSystem, 0.38}, "precision": {s.Precision, 0.01},
		"cores": {s.Cores, 0.062}, "per reply": {s.CPUPerReply, 0.00031},
		"available": {s.Available, 1}, "quota": {s.Quota, u}, "throttled": {s.Throttled, 0},
		"processes": {s.Processes, 2}, "threads": {s.Threads, 2}, "RSS": {s.RSSPeak, 12<<20 + 256<<10},
	})
	if p := float64(s.CPUPerReplyPrecision); p < 0.01/2000 || p > 1.01*0.01/2000 {
		t.Errorf("precision per reply %v: want that of the CPU time and a little more", p)
	}
	want(t, "host", map[string][2]record.Number{
		"busy": {h.Busy, 0.122}, "interrupts": {h.Interrupts, 0.02}, "steal": {h.Steal, 0},
		"forks": {record.Number(h.Forks), 11}, "received": {record.Number(h.Received), 2400 * 316}, "clock": {h.ClockOffset, u},
	})
	if len(s.Samples) != 12 || len(h.Samples) != 12 || d.Verdict.Status != record.Valid {
		t.Errorf("%d and %d samples, verdict %v", len(s.Samples), len(h.Samples), d.Verdict)
	}
	for _, sample := range s.Samples[:11] {
		want(t, "a second", map[string][2]record.Number{"cores": {sample.Cores, 0.062}})
	}
}

// TestShortRun: a run too short for whole seconds inside it is taken whole, from the
// reading at the origin on.
func TestShortRun(t *testing.T) {
	d := repliesOf(1.5, 100, 50)
	w := watchingHost("local", 2, nginxGroup()).watch(d, time.Millisecond, time.Hour)
	AddServers(d, []*sampler.Record{w})
	s := &d.Server[0]
	want(t, "nginx", map[string][2]record.Number{
		"from": {s.From, 0.001}, "to": {s.To, 1.503}, "replies": {s.Replies, 149.9}, "per reply": {s.CPUPerReply, 0.00031},
		"precision": {s.CPUPerReplyPrecision, 0.01 / 149.9},
	})
	if codes := findingCodes(d); codes != "server_precision" {
		t.Errorf("findings %q, want the precision of 10 ms in 47", codes)
	}
}

// TestNoReplies: without replies there is CPU time and no ratio.
func TestNoReplies(t *testing.T) {
	d := repliesOf(5, 0, 0, 0, 0, 0)
	d.Plan = loadRun(t, "steady").Plan
	w := watchingHost("local", 2, nginxGroup()).watch(d, time.Millisecond, time.Hour)
	for i := range w.Readings {
		w.Readings[i].Groups[0].CPU = time.Duration(i) * 100 * time.Millisecond
	}
	AddServers(d, []*sampler.Record{w})
	s := &d.Server[0]
	u := record.Undefined()
	want(t, "nginx", map[string][2]record.Number{
		"replies": {s.Replies, 0}, "per reply": {s.CPUPerReply, u}, "its precision": {s.CPUPerReplyPrecision, u},
		"CPU": {s.CPU, 0.3}, "user": {s.CPUUser, u}, "cores": {s.Cores, 0.1},
	})
	if got := text(t, d); !strings.Contains(got, "0.100 of 1 core   0.30 s of CPU ± 0.01 ") {
		t.Errorf("want the CPU time in\n%s", got)
	}
}

// TestLostLink plays RC-080: figures up to the last reading, no samples after it,
// and a gap in the sum of all servers.
func TestLostLink(t *testing.T) {
	d := loadRun(t, "two-hosts")
	front, back := &d.Server[0], &d.Server[1]
	want(t, "back", map[string][2]record.Number{
		"to": {back.To, 7.003}, "per reply": {back.CPUPerReply, 0.00361}, "quota": {back.Quota, 1.5}, "available": {back.Available, 1.5},
	})
	if n := len(back.Samples); back.Samples[n-1].T != 7.003 || len(front.Samples) != 10 {
		t.Errorf("last sample at %v, %d samples of the other host", back.Samples[n-1].T, len(front.Samples))
	}
	for i, v := range d.Intervals {
		sum := record.Undefined()
		if i < 7 {
			sum = front.Samples[i].Cores + back.Samples[i].Cores
		}
		want(t, "a second", map[string][2]record.Number{"cores": {v.ServerCPU, sum}})
	}
	lost := d.Hosts[1].Lost
	if lost == nil || lost.T != 7.003 || lost.Why != "no answer for 5s" || d.Hosts[0].Lost != nil {
		t.Errorf("lost %+v and %+v", d.Hosts[0].Lost, lost)
	}
	if got := text(t, d); !strings.Contains(got, "SUSPECT  lost the link to bench@back after 7.0 s: server figures end there\n") {
		t.Errorf("want the loss in\n%s", got)
	}
}

// TestServerEnds plays RC-067: figures up to the last reading that found it.
func TestServerEnds(t *testing.T) {
	g := nginxGroup()
	g.endsAfter = 4500 * time.Millisecond
	d := repliesOf(10, 100, 100, 100, 100, 50, 0, 0, 0, 0, 0)
	AddServers(d, []*sampler.Record{watchingHost("local", 2, g).watch(d, time.Millisecond, time.Hour)})
	s := &d.Server[0]
	want(t, "nginx", map[string][2]record.Number{
		"to": {s.To, 4.001}, "replies": {s.Replies, 299.95}, "per reply": {s.CPUPerReply, 0.00031},
		"cores in second 3": {d.Intervals[3].ServerCPU, 0.031}, "after its end": {d.Intervals[4].ServerCPU, record.Undefined()},
	})
	if len(s.Samples) != 4 || !strings.Contains(d.Verdict.Findings[0].Text, "nginx ended at 4.0 s or within 1.0 s after") {
		t.Errorf("%d samples, findings %+v", len(s.Samples), d.Verdict.Findings)
	}
	late := repliesOf(4, 100, 100, 100, 100)
	AddServers(late, []*sampler.Record{watchingHost("local", 2, g).watch(repliesOf(8, 100, 100, 100, 100), time.Millisecond, time.Hour)})
	if codes := findingCodes(late); strings.Contains(codes, "server_ended") {
		t.Errorf("ended after the load: findings %q", codes)
	}
}

// TestSecondsOfServers: a second has the figure of the reading that ends in it;
// where readings are missing it has none, and none is repeated.
func TestSecondsOfServers(t *testing.T) {
	reading := func(ms int) sampler.Reading {
		r := at(ms)[0]
		r.Groups = []sampler.GroupCounters{{CPU: r.At / 2}}
		return r
	}
	for what, c := range map[string]struct {
		readings []int
		known    string // x for each second that has a value
	}{
		"every second":  {[]int{-9, 1, 1002, 2001, 3004, 4001, 4009}, "xxxx."},
		"every tenth":   {[]int{-9, 1, 900, 1000, 1100, 1900, 2000, 2100}, "xx..."},
		"every other":   {[]int{-9, 1, 2001, 4001}, ".x.x."},
		"a gap":         {[]int{-9, 1, 1001, 4001, 5001}, "x..xx"},
		"a warm-up":     {[]int{-6000, 1, 1001, 2001}, "xx..."},
		"a late start":  {[]int{-6000, 1001, 2001}, ".x..."},
		"late readings": {[]int{-9, 1, 1200, 2240, 3260, 4001}, "xx.x."},
		"no readings":   {nil, "....."},
	} {
		d := repliesOf(5, 1, 1, 1, 1, 1)
		w := &sampler.Record{Host: sampler.HostInfo{Name: "local"}, Groups: []sampler.GroupInfo{{Name: "x"}}}
		for _, ms := range c.readings {
			w.Readings = append(w.Readings, reading(ms))
		}
		fillIntervals(d, []*sampler.Record{w})
		known := ""
		for _, v := range d.Intervals {
			switch {
			case !v.ServerCPU.Defined():
				known += "."
			case agree(v.ServerCPU, 0.5):
				known += "x"
			default:
				known += "?"
			}
		}
		if known != c.known {
			t.Errorf("%s: %q, want %q", what, known, c.known)
		}
	}
}

// TestUnwatched plays RC-082: the run is reported, its server's figures are null.
func TestUnwatched(t *testing.T) {
	d := loadRun(t, "no-proc")
	s := &d.Server[0]
	if s.Host != "bench@tiny" || s.Name != "" || s.CPU.Defined() || s.Replies.Defined() || len(s.Samples) > 0 || findingCodes(d) != "server_unwatched" {
		t.Errorf("%+v, findings %q", s, findingCodes(d))
	}
	if got := text(t, d); !strings.Contains(got, "SUSPECT  bench@tiny: host has no /proc: CPU not sampled\n") {
		t.Errorf("want the reason in\n%s", got)
	}
}
