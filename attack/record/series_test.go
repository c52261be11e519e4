package record

import (
	"encoding/json"
	"testing"
	"time"
)

// TestLateOutcome: an end that the engine reports after its second was closed is
// counted in it all the same, and keeps the live number in flight right.
func TestLateOutcome(t *testing.T) {
	p := mustPlan("10", 40)
	var live []Interval
	rec := New(p, 1, func(v Interval) { live = append(live, v) }, nil)
	rec.Start(time.Now())
	s := rec.Shard(0)
	var late Outcome
	for n := range p.Total {
		o := NewOutcome(n, p.Rate.At(n))
		reply(&o, 10*time.Millisecond)
		if n == 5 {
			o.Done += 80 * time.Millisecond
			late = o
			continue
		}
		if n == 35 {
			s.Record(&late)
		}
		s.Tick(o.Done)
		s.Record(&o)
	}
	run := rec.Finish(p.Total, false)
	if err := consistent(run); err != nil {
		t.Fatal(err)
	}
	first := run.Intervals[0]
	if first.Replies != 10 || first.InFlight != 0 || !near(first.Max, 10*time.Millisecond) {
		t.Errorf("second 0: %+v", first)
	}
	if run.Summary.Time.Response.Max != 0.09 {
		t.Errorf("greatest response time %v", run.Summary.Time.Response.Max)
	}
	if len(live) != 4 || live[0].Replies != 9 || live[0].InFlight != 1 || live[1].InFlight != 1 || live[3].InFlight != 0 {
		t.Errorf("live: %+v", live)
	}
}

// TestLive: when nothing is late, the seconds shown during the run are those of
// the document.
func TestLive(t *testing.T) {
	for shards := 1; shards <= 4; shards++ {
		var live []Interval
		r := rehearse(mustPlan("50", 300), func(o *Outcome) { reply(o, time.Duration(o.Seq%7)*400*time.Millisecond) })
		r.shards, r.onSecond = shards, func(v Interval) { live = append(live, v) }
		run := r.run(t)
		if len(live) != len(run.Intervals) {
			t.Fatalf("%d shards: %d seconds shown, %d in the document", shards, len(live), len(run.Intervals))
		}
		for i, v := range live {
			want := run.Intervals[i]
			if v.Due != want.Due || v.Replies != want.Replies || v.InFlight != want.InFlight || !same(v.P50, want.P50) || !same(v.Max, want.Max) {
				t.Errorf("%d shards, second %d: shown %+v\nrecorded %+v", shards, i, v, want)
			}
		}
	}
}

// TestGap: an engine that was stopped for a while, and did not tick, loses
// nothing.
func TestGap(t *testing.T) {
	r := rehearse(mustPlan("10", 100), func(o *Outcome) { reply(o, 20*time.Millisecond) })
	r.shuffled = true // in order, but without ticks
	run := r.run(t)
	for i, v := range run.Intervals {
		if !near(v.P50, 20*time.Millisecond) || v.Replies != 10 {
			t.Errorf("second %d: %+v", i, v)
		}
	}
}

// TestShardsAgree: a plan split over loops gives the run that one loop gives.
func TestShardsAgree(t *testing.T) {
	played := func(shards int) *Run {
		r := rehearse(mustPlan("200", 1000), func(o *Outcome) { reply(o, time.Duration(o.Seq%97)*time.Millisecond) })
		r.shards = shards
		run := r.run(t)
		run.StartedAt = time.Time{}
		run.Summary.InFlight.Peak = 0 // the sum of each loop's own
		for i := range run.Intervals {
			run.Intervals[i].ClientCPU = 0
		}
		return run
	}
	one, err := json.Marshal(played(1))
	if err != nil {
		t.Fatal(err)
	}
	for shards := 2; shards <= 4; shards++ {
		several, err := json.Marshal(played(shards))
		if err != nil {
			t.Fatal(err)
		}
		if string(one) != string(several) {
			t.Errorf("%d shards differ:\n%s\n%s", shards, one, several)
		}
	}
}
