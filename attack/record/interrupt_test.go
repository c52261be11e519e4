package record

import (
	"slices"
	"testing"
	"time"
)

// TestInterrupt: the window ends an interval after the last request due; what was in flight is
// aborted; what was due later is unsent and in no second.
func TestInterrupt(t *testing.T) {
	for shards := 1; shards <= 3; shards++ {
		p := mustPlan("10", 1000)
		r := &rehearsal{plan: p, shards: shards, stop: 2500 * time.Millisecond}
		for n := range uint64(26) { // the last is due with the interrupt
			o := NewOutcome(n, p.Rate.At(n))
			if reply(&o, 300*time.Millisecond); o.Done > r.stop {
				fail(&o, 2600*time.Millisecond-o.Due, Aborted, Wait)
			}
			r.outcomes = append(r.outcomes, o)
		}
		run := r.run(t)
		s := &run.Summary
		if s.Replies != 23 || s.Aborted != 3 || s.Unsent != 974 || s.Window != 2.6 || s.Elapsed != 2.6 {
			t.Errorf("%d shards: %d replies, %d aborted, %d unsent, window %v, elapsed %v", shards, s.Replies, s.Aborted, s.Unsent, s.Window, s.Elapsed)
		}
		if s.OfferedRate != 10 || s.SentRate != 10 || !same(s.ReplyRate.Mean, Number(23.0*10)/26) || s.ReplyRate.Samples != 2 || s.Goodput.Share != 23.0/26 {
			t.Errorf("%d shards: offered %v, sent %v, replies %+v, goodput %+v", shards, s.OfferedRate, s.SentRate, s.ReplyRate, s.Goodput)
		}
		if s.Time.Response.Count != 23 || s.Time.ResponseAll.Count != 23 {
			t.Errorf("%d shards: aborted requests are in the response times", shards)
		}
		if got := codes(run); !slices.Equal(got, []string{"interrupted", "few_samples"}) || run.Verdict.Status != Suspect {
			t.Errorf("%d shards: %v %v", shards, run.Verdict.Status, got)
		}
	}
}

// TestInterruptDetails: odd moments for an interrupt.
func TestInterruptDetails(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name    string
		stop    time.Duration
		ends    []int  // numbers of the requests that ended, by a reply after 1 ms
		started uint64 // if more were taken up
		unheard bool
		due     uint64
		window  Number
	}{
		{"one sent just after", 250 * ms, []int{0, 1, 2, 3}, 0, false, 4, 0.4},
		{"not one sent", 250 * ms, nil, 0, false, 3, 0.3},
		{"some due and never sent", 250 * ms, []int{0}, 0, false, 3, 0.3},
		{"the engine ended first", 250 * ms, []int{0, 1, 2}, 0, true, 3, 0.3},
		{"nobody knew anything", 250 * ms, nil, 0, true, 0, 0},
		{"in the warm-up", -50 * ms, nil, 0, false, 0, 0},
		{"in the last interval", 950 * ms, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, false, 10, 1},
	}
	for _, test := range tests {
		for shards := 1; shards <= 3; shards++ {
			p := mustPlan("10", 10)
			r := &rehearsal{plan: p, shards: shards, stop: test.stop, started: test.started, unheard: test.unheard}
			for _, n := range test.ends {
				o := NewOutcome(uint64(n), p.Rate.At(uint64(n)))
				reply(&o, ms)
				r.outcomes = append(r.outcomes, o)
			}
			run := r.run(t)
			var due uint64
			for _, v := range run.Intervals {
				due += v.Due
			}
			if due != test.due || run.Summary.Window != test.window {
				t.Errorf("%s, %d shards: %d due in a window of %v, want %d in %v", test.name, shards, due, run.Summary.Window, test.due, test.window)
			}
			if run.Verdict.Status == Invalid && len(test.ends) >= 3 {
				t.Errorf("%s, %d shards: the client is blamed: %v", test.name, shards, run.Verdict.Findings)
			}
		}
	}
}

// TestInterruptedRate: the offered rate of an interrupted run is the plan's,
// wherever between two requests it ends; seconds that it did not see to their end
// are no samples of the reply rate.
func TestInterruptedRate(t *testing.T) {
	for _, test := range []struct {
		rate    string
		stop    time.Duration
		samples int
	}{{"10", 1050 * time.Millisecond, 1}, {"10", 1099 * time.Millisecond, 1}, {"10", 950 * time.Millisecond, 0},
		{"0.5", 2500 * time.Millisecond, 2}, {"300", 1234567 * time.Microsecond, 1}, {"7", 10 * time.Millisecond, 0}} {
		for shards := 1; shards <= 3; shards++ {
			r := rehearse(mustPlan(test.rate, 1000), func(o *Outcome) { reply(o, time.Millisecond) })
			r.shards, r.stop = shards, test.stop
			r.outcomes = slices.DeleteFunc(r.outcomes, func(o Outcome) bool { return o.Due > r.stop })
			s, want := &r.run(t).Summary, Number(r.plan.Rate.PerSecond())
			if s.OfferedRate != want || s.SentRate != want || s.ReplyRate.Mean != want || s.Goodput.Rate != want || s.ReplyRate.Samples != test.samples {
				t.Errorf("%s/s stopped after %v, %d shards: offered %v, sent %v, replies %+v, goodput %+v",
					test.rate, test.stop, shards, s.OfferedRate, s.SentRate, s.ReplyRate, s.Goodput)
			}
		}
	}
}

// TestInterruptAfterTheLast: with every request sent, an interrupt cuts nothing
// from the window.
func TestInterruptAfterTheLast(t *testing.T) {
	r := rehearse(mustPlan("10", 10), func(o *Outcome) { reply(o, 70*time.Millisecond) })
	r.stop = 950 * time.Millisecond
	s := &r.run(t).Summary
	if s.Window != 1 || s.OfferedRate != 10 || s.SentRate != 10 || s.ReplyRate.Mean != 10 {
		t.Errorf("window %v, offered %v, sent %v, replies %v", s.Window, s.OfferedRate, s.SentRate, s.ReplyRate.Mean)
	}
}

// TestGivenUp: an engine that gives up without an interrupt leaves the rest of
// the plan due and unsent.
func TestGivenUp(t *testing.T) {
	for shards := 1; shards <= 3; shards++ {
		r := rehearse(mustPlan("10", 30), func(o *Outcome) { reply(o, time.Millisecond) })
		r.outcomes, r.shards = r.outcomes[:15], shards
		run := r.run(t)
		if s := &run.Summary; s.Unsent != 15 || s.OfferedRate != 10 || s.SentRate != 5 || s.Goodput.Share != 0.5 || len(run.Intervals) != 3 {
			t.Errorf("%d shards: %d unsent, offered %v, sent %v, good %v, %d seconds", shards,
				s.Unsent, s.OfferedRate, s.SentRate, s.Goodput.Share, len(run.Intervals))
		}
		if run.Verdict.Status != Invalid || !slices.Contains(codes(run), "unsent") {
			t.Errorf("%d shards: %v", shards, codes(run))
		}
	}
}

// TestFinishInWarmup: nobody waits for an origin that is not to come.
func TestFinishInWarmup(t *testing.T) {
	p := mustPlan("10", 10)
	rec := New(p, 2, nil, nil)
	rec.Start(time.Now().Add(time.Hour))
	for i := range 2 {
		rec.Shard(i).Stop(-59 * time.Minute)
	}
	done := make(chan *Run, 1)
	go func() { done <- rec.Finish(0, true) }()
	select {
	case run := <-done:
		if err := consistent(run); err != nil {
			t.Error(err)
		}
		if s := &run.Summary; s.Unsent != 10 || s.OfferedRate.Defined() || run.Client.CPU.Defined() || run.Client.Cores.Defined() {
			t.Errorf("%d unsent, offered %v, client %+v", s.Unsent, s.OfferedRate, run.Client)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Finish waits for the origin")
	}
}
