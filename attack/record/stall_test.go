package record

import (
	"math"
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// The servers of these tests are arithmetic: one worker with a fixed service
// time, first come, first served. Every outcome follows from the due times, so
// that the figures are exact.

// stalled gives the response times of a server that stands still from 4 to 5 s,
// under 1000/s for 10 s. With service 0 it is infinitely fast before and after.
func stalled(service time.Duration) func(due time.Duration) time.Duration {
	const begin, end = 4 * time.Second, 5 * time.Second
	var free time.Duration
	return func(due time.Duration) time.Duration {
		start := max(due, free)
		if start >= begin && start < end {
			start = end
		}
		free = start + service
		return free - due
	}
}

// TestStall is the exact table of a stall of 1 s in 10 s at 1000/s.
func TestStall(t *testing.T) {
	tests := []struct {
		name    string
		service time.Duration
		want    [8]float64 // ms: p50 p90 p95 p99 p99.9 max mean, and p99.99
	}{
		{"infinite server", 0, [8]float64{0, 0, 500, 900, 990, 1000, 50.05, 999}},
		{"one worker", 200 * time.Microsecond, [8]float64{0.2, 200.2, 600.2, 920.2, 992.2, 1000.2, 62.75, 999.4}},
	}
	for _, test := range tests {
		p, respond := mustPlan("1000", 10_000), stalled(test.service)
		r := rehearse(p, func(o *Outcome) { reply(o, respond(o.Due)) })
		run := r.run(t)
		s := run.Summary.Time.Response
		if run.Summary.Time.ResponseAll != s {
			t.Errorf("%s: nothing failed, yet the rows differ", test.name)
		}
		h := NewHistogram()
		for _, o := range r.outcomes {
			h.Record(o.Response())
		}
		got := []Number{s.P50, s.P90, s.P95, s.P99, s.P999, s.Max, s.Mean, h.Quantile(0.9999)}
		for i, n := range got {
			if want := time.Duration(math.Round(test.want[i] * 1e6)); i != 6 && !near(n, want) {
				t.Errorf("%s: figure %d is %v, want %v", test.name, i, n, want)
			}
		}
		if math.Abs(float64(s.Mean)*1e3-test.want[6]) > 1e-9 {
			t.Errorf("%s: mean %v, want %v ms", test.name, s.Mean, test.want[6])
		}
		if slices.Contains(codes(run), "not_steady") {
			t.Errorf("%s: %v", test.name, run.Verdict.Findings)
		}
	}
}

// TestStallTimeout is the same with a timeout of 500.5 ms: the percentiles among
// the requests that were given up have no value.
func TestStallTimeout(t *testing.T) {
	const ms = time.Millisecond
	none := time.Duration(-1)
	tests := []struct {
		name               string
		service            time.Duration
		timely             bool // the engine's own timers strike
		timeouts           uint64
		p50, p90, p95, p99 time.Duration
	}{
		{"infinite server", 0, true, 500, 0, 0, 500 * ms, none},
		{"infinite server, late timers", 0, false, 500, 0, 0, 500 * ms, none},
		{"one worker", 200 * time.Microsecond, true, 625, 200 * time.Microsecond, 200*ms + 200*time.Microsecond, none, none},
	}
	for _, test := range tests {
		p, respond := mustPlan("1000", 10_000), stalled(test.service)
		p.Timeout = plan.Seconds(500*ms + 500*time.Microsecond)
		run := rehearse(p, func(o *Outcome) {
			if d := respond(o.Due); test.timely {
				answer(p, o, d)
			} else {
				reply(o, d)
			}
		}).run(t)
		if n := run.Summary.Errors.ClientTimeout; n != test.timeouts {
			t.Errorf("%s: %d timeouts, want %d", test.name, n, test.timeouts)
		}
		all := run.Summary.Time.ResponseAll
		if all.Count != 10_000 || all.Mean.Defined() || all.Max.Defined() {
			t.Errorf("%s: %+v", test.name, all)
		}
		for i, got := range []Number{all.P50, all.P90, all.P95, all.P99, all.P999} {
			want := []time.Duration{test.p50, test.p90, test.p95, test.p99, none}[i]
			if want == none && got.Defined() || want != none && !near(got, want) {
				t.Errorf("%s: percentile %d is %v, want %v", test.name, i, got, want)
			}
		}
	}
	// What the replies alone say is in its own row, and is not the answer.
	respond := stalled(0)
	p := mustPlan("1000", 10_000)
	p.Timeout = plan.Seconds(500*ms + 500*time.Microsecond)
	s := rehearse(p, func(o *Outcome) { answer(p, o, respond(o.Due)) }).run(t).Summary.Time.Response
	if s.Count != 9500 || !near(s.P99, 405*ms) || math.Abs(float64(s.Mean)-125.25/9500) > 1e-9 {
		t.Errorf("replies: %+v", s)
	}
}
