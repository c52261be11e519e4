package record

import (
	"fmt"
	"time"

	"ratebench/attack/plan"
)

// A closed loop's requests are due when those before them end, so the plan cannot
// say when: the engine tells the shard. What the slots hold is in flight all along;
// of how late the client sends, or of a queue that grows, nothing can be said.

// Next is when the next request of a closed loop's slot is due: at the end of this
// one, or after a rest if no connection came about.
func (o *Outcome) Next() time.Duration {
	end := max(o.Done, o.Due)
	if o.Class != Reply && o.Connected == Never && !o.Reused {
		return end + plan.SlotRest
	}
	return end
}

// Take counts a request of a closed loop as due, one of the warm-up aside. It is
// called right after Record of the slot's request before, so that none is thought
// missing in between, and once Record will follow.
func (s *Shard) Take(due time.Duration) {
	if due < 0 {
		return
	}
	s.integrate(due)
	s.due++
	s.row(due).due++
	s.peakInFlight = max(s.peakInFlight, s.due-s.ended)
	s.lastDue = max(s.lastDue, due)
}

// stopped is when the first of a closed loop's shards was told to stop, forever if
// none was before the plan was over.
func (r *Recorder) stopped() time.Duration {
	first := forever
	for _, s := range r.shards {
		first = min(first, s.until)
	}
	if d := r.plan.Duration.Std(); d > 0 && first >= d {
		return forever
	}
	return first
}

// planned is the number of requests that the run was to send. A closed loop that its
// duration ends, or that has no total to miss, was to send those that it took up.
func (r *Recorder) planned(started uint64) uint64 {
	p := r.plan
	if p.Closed() && (p.Total == 0 || p.Duration > 0 && r.stopped() == forever) {
		return started
	}
	return p.Planned()
}

// unfinished says whether there was more to start when the run ended.
func (r *Recorder) unfinished(started uint64) bool {
	if r.plan.Closed() {
		return r.stopped() != forever && (r.plan.Total == 0 || started < r.plan.Total)
	}
	return started < r.plan.Planned()
}

// closedCohort is that of a closed loop. Its window reaches to the end of the last
// request, as ab's does, if the total ended it: the first and the last requests in
// flight are then counted alike. Duration and interrupts end the window themselves.
func (r *Recorder) closedCohort(t *tally) cohort {
	window, total := r.stopped(), r.plan.Total
	switch d := r.plan.Duration.Std(); {
	case total > 0 && t.due >= total && d > 0:
		window = min(t.last, d)
	case total > 0 && t.due >= total:
		window = t.last
	case window == forever && d > 0:
		window = d
	case window == forever: // the engine failed
		window = t.last
	}
	window = max(window, 0)
	return cohort{window: window, lived: window, due: t.due}
}

// hadLimit: the client of a closed loop sends as fast as it can if the server lets
// it. Near a full core for each of its threads it is what was measured. Of goroutines
// it is not known how many cores they could fill.
func hadLimit(run *Run) *Finding {
	threads := run.Method.Loops
	limit := Number(clientCore * float64(threads))
	c := &run.Client
	switch {
	case busy(c) != nil: // which says so
		return nil
	case threads == 0:
		return oneCore(c)
	case !(c.Cores > limit):
		return nil
	}
	return &Finding{"client_core",
		fmt.Sprintf("the client was the limit: it used %.2f cores with %d %s, so the server was not asked as fast as it answers",
			c.Cores, threads, threadWord(threads)),
		c.Cores, limit, Invalid}
}

func threadWord(n int) string {
	if n == 1 {
		return "thread"
	}
	return "threads"
}

// turn: what the client takes between a reply and the next request is idle time of
// the server's, which a rate of replies takes for the server's own.
func turn(s *Summary) *Finding {
	share := Ratio(float64(s.Time.SendLag.Mean), float64(s.Time.Response.Mean))
	if !(share > turnShare) {
		return nil
	}
	return &Finding{"closed_turn",
		fmt.Sprintf("%.0f %% of the time of a request was the client's, from a reply to the next request: the server was asked more slowly by that", 100*share),
		share, turnShare, Suspect}
}

// tail: once the total is given out, fewer and fewer are in flight. One slow request
// then lowers the rates of a whole short run.
func tail(p *plan.Plan, s *Summary) *Finding {
	share := s.drain / s.Elapsed
	limit := Number(tailShare + 3*float64(p.Concurrency)/float64(s.Planned))
	if p.Duration > 0 || s.Unsent > 0 || !(share > limit) {
		return nil
	}
	return &Finding{"closed_tail",
		fmt.Sprintf("for the last %.3g of %.3g s there was nothing left to send and fewer than %d were in flight: the rates are lower by that",
			s.drain, s.Elapsed, p.Concurrency),
		share, limit, Suspect}
}
