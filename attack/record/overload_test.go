package record

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// A discipline is a worker that takes 2 or 5 ms for a request. It says when the
// request due at due is answered: never, or at once with status 503.
type discipline func(due time.Duration) (done time.Duration, status uint16)

const never = forever / 2 // so that differences do not overflow

// endless queues every request and does not notice that a client has left.
func endless(service time.Duration) discipline {
	var free time.Duration
	return func(due time.Duration) (time.Duration, uint16) {
		free = max(free, due) + service
		return free, 200
	}
}

// limited holds at most n requests, the one in service included, and turns others away.
func limited(service time.Duration, n int) discipline {
	var held []time.Duration // when each leaves
	return func(due time.Duration) (time.Duration, uint16) {
		for len(held) > 0 && held[0] <= due {
			held = held[1:]
		}
		if len(held) >= n {
			return due, 503
		}
		last := due
		if len(held) > 0 {
			last = held[len(held)-1]
		}
		held = append(held, last+service)
		return last + service, 200
	}
}

// dropping skips requests that it cannot answer before their client leaves.
func dropping(service, timeout time.Duration) discipline {
	var free time.Duration
	return func(due time.Duration) (time.Duration, uint16) {
		done := max(free, due) + service
		if done > due+timeout {
			return never, 0
		}
		free = done
		return done, 200
	}
}

// load offers rate for 60 s to a server.
func load(t *testing.T, rate string, timeout, deadline time.Duration, d discipline) *Run {
	t.Helper()
	p := mustPlan(rate, 0)
	p.Duration, p.Timeout, p.Deadline = plan.Seconds(time.Minute), plan.Seconds(timeout), plan.Seconds(deadline)
	return rehearse(p, func(o *Outcome) {
		done, status := d(o.Due)
		answer(p, o, done-o.Due)
		if o.Class == Reply {
			o.Status = status
		}
	}).run(t)
}

// TestOverload offers 600/s to 500/s: the endless queue completes 500/s, and its
// goodput depends on the deadline alone.
func TestOverload(t *testing.T) {
	const s, service = time.Second, 2 * time.Millisecond
	for _, test := range []struct {
		limit time.Duration
		good  uint64
	}{{s, 2995}, {2 * s, 5995}, {5 * s, 14_995}} {
		patient := &load(t, "600", 20*s, test.limit, endless(service)).Summary
		if patient.Replies != 36_000 || math.Abs(float64(patient.ReplyRate.Mean)*60-29_999) > 1e-6 || patient.ReplyRate.Samples != 60 {
			t.Errorf("deadline %v: %d replies, rate %+v", test.limit, patient.Replies, patient.ReplyRate)
		}
		hasty := &load(t, "600", test.limit, 0, endless(service)).Summary
		if hasty.Replies != test.good || hasty.Errors.ClientTimeout != 36_000-test.good || hasty.TimeoutPhase["wait"] != 36_000-test.good {
			t.Errorf("timeout %v: %d replies, %d timeouts", test.limit, hasty.Replies, hasty.Errors.ClientTimeout)
		}
		for name, sum := range map[string]*Summary{"deadline": patient, "timeout": hasty} {
			g := sum.Goodput
			if g.Count != test.good || g.Share != Number(test.good)/36_000 || math.Abs(float64(g.Rate)*60-float64(test.good)) > 1e-6 {
				t.Errorf("%s %v: goodput %+v, want %d", name, test.limit, g, test.good)
			}
			if sum.OfferedRate != 600 || sum.SentRate != 600 {
				t.Errorf("%s %v: offered %v, sent %v", name, test.limit, sum.OfferedRate, sum.SentRate)
			}
		}
	}
}

// TestQueueLimit: what does not fit is turned away at once, and whoever is let
// in waits for the whole queue.
func TestQueueLimit(t *testing.T) {
	for n, rejected := range map[int]uint64{50: 5951, 128: 5873, 511: 5490} {
		run := load(t, "600", 5*time.Second, 0, limited(2*time.Millisecond, n))
		s := &run.Summary
		if s.Status["503"] != rejected || s.Status["200"] != 36_000-rejected || s.Goodput.Count != 36_000-rejected {
			t.Errorf("limit %d: status %v, want %d rejected", n, s.Status, rejected)
		}
		if want := time.Duration(n) * 2 * time.Millisecond; s.Time.Response.Max > Seconds(want) || s.Time.Response.P99 < 0.99*Seconds(want) {
			t.Errorf("limit %d: p99 %v, max %v, want %v", n, s.Time.Response.P99, s.Time.Response.Max, want)
		}
		if slices.Contains(codes(run), "not_steady") {
			t.Errorf("limit %d: %v", n, run.Verdict.Findings)
		}
	}
}

// TestDropping: the work of clients that have left is skipped, so that the
// worker's whole capacity becomes goodput.
func TestDropping(t *testing.T) {
	const timeout = 2 * time.Second
	s := &load(t, "600", timeout, 0, dropping(2*time.Millisecond, timeout)).Summary
	if math.Abs(float64(s.ReplyRate.Mean)-500) > 0.1 || s.Time.Response.Max > Seconds(timeout) {
		t.Errorf("reply rate %v, greatest response time %v", s.ReplyRate.Mean, s.Time.Response.Max)
	}
	// 1/6 is lost from the moment that the queue is 2 s long, after 10 s.
	if lost := s.Errors.ClientTimeout; math.Abs(float64(lost)-50*100) > 10 {
		t.Errorf("%d lost, want 5000", lost)
	}
}

// TestSteadiness: a queue that grows is called one, with its growth; nothing else is.
func TestSteadiness(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	constant := func(d time.Duration) discipline {
		return func(due time.Duration) (time.Duration, uint16) { return due + d, 200 }
	}
	tests := []struct {
		name    string
		rate    string
		timeout time.Duration
		server  discipline
		text    string // how the finding begins; empty for none
	}{
		{"600 to 500", "600", 5 * s, endless(2 * ms), "not steady: in flight grows 100/s for "},
		{"600 to 500, patient", "600", 20 * s, endless(2 * ms), "not steady: in flight grows 100/s, so"},
		{"600 to 500, hasty", "600", s, endless(2 * ms), "not steady: in flight grows 100/s for 6 s,"},
		{"300 to 200", "300", 5 * s, endless(5 * ms), "not steady: in flight grows 100/s for "},
		{"400 to 200", "400", 5 * s, endless(5 * ms), "not steady: in flight grows 200/s for "},
		{"600 to 500, dropping", "600", 5 * s, dropping(2*ms, 5*s), "not steady: in flight grows 100/s for "},
		{"505 to 500", "505", 5 * s, endless(2 * ms), ""}, // 0.99 % too much: not growth by this limit
		{"510 to 500", "510", 5 * s, endless(2 * ms), "not steady: in flight grows 10/s, so"},
		{"400 to 500", "400", 5 * s, endless(2 * ms), ""},
		{"500 to 500", "500", 5 * s, endless(2 * ms), ""},
		{"queue limit", "600", 5 * s, limited(2*ms, 511), ""},
		{"4 s for everyone", "300", 5 * s, constant(4 * s), ""},
		{"6 s for everyone", "300", 5 * s, constant(6 * s), ""},
	}
	for _, test := range tests {
		run := load(t, test.rate, test.timeout, 0, test.server)
		text := ""
		for _, f := range run.Verdict.Findings {
			if f.Code == "not_steady" {
				text = f.Text
				if f.Status != Suspect {
					t.Errorf("%s: the finding is %s", test.name, f.Status)
				}
			}
		}
		if !strings.HasPrefix(text, test.text) || (text == "") != (test.text == "") {
			t.Errorf("%s: %q, want %q", test.name, text, test.text)
		}
	}
}

// TestShortDelay: in 10 s a server that takes 4 s looks most like a queue.
func TestShortDelay(t *testing.T) {
	for _, total := range []uint64{900, 1200, 1500, 3000, 12_000} {
		run := rehearse(mustPlan("300", total), func(o *Outcome) { reply(o, 4*time.Second) }).run(t)
		for _, f := range run.Verdict.Findings {
			if f.Code != "few_samples" {
				t.Errorf("%d requests: %v", total, f)
			}
		}
	}
}
