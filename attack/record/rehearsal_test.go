package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// rehearsal is a run made by hand: what became of each request, given to the
// shards as an engine would.
type rehearsal struct {
	plan     *plan.Plan
	shards   int // 0 means 1
	outcomes []Outcome
	started  uint64        // requests of the measurement taken up; 0 means those in outcomes
	stop     time.Duration // when the run is interrupted; 0 if it is not
	unheard  bool          // the shards are not told of the interrupt
	shuffled bool          // outcomes come as listed, not in the order of their ends
	onSecond func(Interval)
	tap      func(*Outcome)
}

func mustPlan(rate string, total uint64) *plan.Plan {
	p := plan.New()
	p.Total = total
	var err error
	if p.Rate, err = plan.ParseRate(rate); err != nil {
		panic(err)
	}
	return p
}

// rehearse makes the outcome of each request of p by calling what.
func rehearse(p *plan.Plan, what func(o *Outcome)) *rehearsal {
	r := &rehearsal{plan: p}
	schedule := p.Schedule()
	for a, ok := schedule.Next(); ok; a, ok = schedule.Next() {
		o := NewOutcome(a.Seq, a.Due)
		what(&o)
		r.outcomes = append(r.outcomes, o)
	}
	return r
}

// reply ends o with status 200 after the response time d, sent when it was due.
func reply(o *Outcome, d time.Duration) {
	o.Class, o.Status = Reply, 200
	o.Sent, o.FirstByte, o.Done = o.Due, o.Due+d, o.Due+d
}

// fail ends o without a reply after d, as class c in phase p.
func fail(o *Outcome, d time.Duration, c Class, p Phase) {
	o.Class, o.Phase, o.Sent, o.Done = c, p, o.Due, o.Due+d
	o.Reason = p.String() + ": " + c.String()
}

// answer replies at once if the server is faster than the plan's timeout, which
// otherwise strikes while the client waits.
func answer(p *plan.Plan, o *Outcome, d time.Duration) {
	if d > p.Timeout.Std() {
		fail(o, p.Timeout.Std(), ClientTimeout, Wait)
		return
	}
	reply(o, d)
}

// run gives the outcomes to a recorder and checks the run that comes of it.
func (r *rehearsal) run(t *testing.T) *Run {
	t.Helper()
	shards := max(r.shards, 1)
	rec := New(r.plan, shards, r.onSecond, r.tap)
	rec.Start(time.Now())
	if !r.shuffled {
		slices.SortStableFunc(r.outcomes, func(a, b Outcome) int { return int(a.Done - b.Done) })
	}
	stopped := r.stop == 0 || r.unheard
	halt := func() {
		for i := range shards {
			rec.Shard(i).Stop(r.stop)
		}
		stopped = true
	}
	var measured uint64
	for _, o := range r.outcomes {
		if o.Due >= 0 {
			measured++
		}
		if !stopped && o.Done >= r.stop {
			halt()
		}
		if !r.shuffled {
			for i := range shards {
				rec.Shard(i).Tick(o.Done)
			}
		}
		rec.Shard(int(o.Seq % uint64(shards))).Record(&o)
	}
	if !stopped {
		halt()
	}
	if r.started > 0 {
		measured = r.started
	}
	run := rec.Finish(measured, r.stop != 0)
	run.Client = Client{CPU: 0, Cores: 0, Available: 2} // the load of this test is not the run's
	Judge(r.plan, run)
	if err := consistent(run); err != nil {
		t.Fatal(err)
	}
	return run
}

// consistent checks what holds for every run whatever happened in it.
func consistent(run *Run) error {
	if err := run.Summary.Check(); err != nil {
		return err
	}
	if err := prefixes(run.Intervals); err != nil {
		return err
	}
	if err := sumsUp(run); err != nil {
		return err
	}
	times := &run.Summary.Time
	for i, s := range []Stats{times.Response, times.ResponseAll, times.Service, times.SendLag,
		times.ReceiveLag, times.Connect, times.TLS, times.Wait, times.Transfer} {
		if err := ordered(s); err != nil {
			return fmt.Errorf("row %d of the times: %w", i, err)
		}
	}
	_, err := json.Marshal(run) // fails for NaN that is not null
	return err
}

// prefixes checks the identity of every prefix of the series: due = ended + in flight.
func prefixes(series []Interval) error {
	var due, ended uint64
	for i, v := range series {
		due += v.Due
		ended += v.Replies + v.Errors + v.Aborted + v.Unsent
		if due != ended+v.InFlight {
			return fmt.Errorf("second %d: due %d ≠ ended %d + in flight %d", i, due, ended, v.InFlight)
		}
		if v.T != Number(i) {
			return fmt.Errorf("second %d begins at %v", i, v.T)
		}
	}
	return nil
}

// sumsUp checks that the columns of the series add up to the summary's figures.
func sumsUp(run *Run) error {
	var sum Interval
	classes := map[string]uint64{}
	for _, v := range run.Intervals {
		sum.Due += v.Due
		sum.Sent += v.Sent
		sum.Replies += v.Replies
		sum.Good += v.Good
		sum.goodDue += v.goodDue
		sum.Errors += v.Errors
		sum.Timeouts += v.Timeouts
		sum.Aborted += v.Aborted
		sum.Unsent += v.Unsent
		for class, n := range v.ByClass {
			classes[class] += n
		}
	}
	s := &run.Summary
	missing := s.Planned - sum.Due // never due, because of an interrupt
	if sum.Unsent+missing != s.Unsent || missing > 0 && !run.Interrupted {
		return fmt.Errorf("series: due %d, unsent %d; summary: planned %d, unsent %d", sum.Due, sum.Unsent, s.Planned, s.Unsent)
	}
	got := []uint64{sum.Sent, sum.Replies, sum.Good, sum.goodDue, sum.Errors, sum.Timeouts, sum.Aborted}
	want := []uint64{s.Sent, s.Replies, s.Goodput.Count, s.Goodput.Count, s.Errors.Total, s.Errors.ClientTimeout, s.Aborted}
	if !slices.Equal(got, want) {
		return fmt.Errorf("series adds up to %v, summary has %v", got, want)
	}
	for _, c := range ErrorClasses() {
		if classes[c.Key()] != s.Errors.Of(c) {
			return fmt.Errorf("series has %d of %v, summary %d", classes[c.Key()], c, s.Errors.Of(c))
		}
	}
	return nil
}

// TestConsistent: every rule of consistent has a run that breaks it.
func TestConsistent(t *testing.T) {
	for name, spoil := range map[string]func(*Run){
		"lost reply":      func(run *Run) { run.Summary.Replies-- },
		"status":          func(run *Run) { run.Summary.Status["200"]++ },
		"phase":           func(run *Run) { run.Summary.TimeoutPhase["wait"]-- },
		"error class":     func(run *Run) { run.Summary.Errors.Other++ },
		"in flight":       func(run *Run) { run.Intervals[1].InFlight++ },
		"number of T":     func(run *Run) { run.Intervals[1].T = 7 },
		"moved reply":     func(run *Run) { run.Intervals[1].Replies--; run.Intervals[2].Replies++ },
		"good":            func(run *Run) { run.Intervals[1].Good++ },
		"class in series": func(run *Run) { run.Intervals[1].ByClass = map[string]uint64{"stale": 1} },
		"sent":            func(run *Run) { run.Intervals[0].Sent-- },
		"unsent":          func(run *Run) { run.Intervals[2].Unsent++; run.Intervals[2].Replies-- },
		"percentiles":     func(run *Run) { run.Summary.Time.Service.P99 = 0 },
	} {
		run := rehearse(mustPlan("10", 30), func(o *Outcome) {
			if o.Seq%10 == 9 {
				fail(o, 20*time.Millisecond, ClientTimeout, Wait)
			} else {
				reply(o, 10*time.Millisecond)
			}
		}).run(t)
		spoil(run)
		if consistent(run) == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// codes are the findings of a run, in order.
func codes(run *Run) []string {
	list := []string{}
	for _, f := range run.Verdict.Findings {
		list = append(list, f.Code)
	}
	return list
}
