package record

import (
	"fmt"
	"math"
	"time"

	"ratebench/attack/plan"
)

// Judge sets the verdict of a run from what was recorded of it. Reasons to
// distrust the client make it invalid, other doubts suspect.
func Judge(p *plan.Plan, run *Run) {
	run.Verdict = Verdict{Status: Valid, Findings: []Finding{}}
	add := func(f *Finding) {
		if f != nil {
			run.Verdict.Add(*f)
		}
	}
	s := &run.Summary
	add(interrupted(run))
	add(noReply(s))
	add(notSent(s, run.Interrupted))
	add(rateMissed(s, run.Interrupted))
	add(exhausted(s))
	if p.Closed() { // which starts no request late by its plan
		add(hadLimit(run))
		add(tail(p, s))
		add(turn(s))
	} else {
		add(late(s))
		add(stood(s))
		add(oneCore(&run.Client))
	}
	add(busy(&run.Client))
	add(heldBack(s, p.MaxConnections))
	add(stale(s))
	add(little(s, run.Interrupted))
	if p.Ramp != nil { // of which nothing is steady
		add(knee(p, run.Intervals, s))
	} else {
		if !p.Closed() { // whose requests in flight cannot grow
			add(growing(run.Intervals, s))
		}
		add(drifting(run.Intervals, s, run.Interrupted))
	}
	add(unanswered(s))
	add(fewSamples(s))
}

func interrupted(run *Run) *Finding {
	if !run.Interrupted {
		return nil
	}
	s := &run.Summary
	done := s.Planned - s.Unsent
	if s.Unsent == 0 { // all of the plan, or a closed loop without a total
		return &Finding{"interrupted", fmt.Sprintf("interrupted after %d requests", done), Number(done), Undefined(), Suspect}
	}
	return &Finding{"interrupted", fmt.Sprintf("interrupted after %d of %d planned requests", done, s.Planned),
		Number(done), Number(s.Planned), Suspect}
}

func noReply(s *Summary) *Finding {
	if s.Replies > 0 || s.Errors.Total == 0 {
		return nil
	}
	return &Finding{"no_reply", "nothing answered", 0, Undefined(), Suspect}
}

// unanswered: the percentiles of the replies leave out so many requests that they
// are no longer those of the load. Errors that other findings tell of do not bring
// it about, but they count: their requests are missing as well.
func unanswered(s *Summary) *Finding {
	e := &s.Errors
	share := Ratio(float64(e.Total), float64(e.Total+s.Replies))
	if s.Replies == 0 || !(share > unansweredShare) || e.Total == e.exhausted()+e.Stale {
		return nil
	}
	return &Finding{"unanswered", fmt.Sprintf("%.1f %% got no reply: the response row describes the survivors", 100*share),
		share, unansweredShare, Suspect}
}

func heldBack(s *Summary, limit int) *Finding {
	if s.Waited == 0 {
		return nil
	}
	return &Finding{"connection_limit",
		fmt.Sprintf("%d requests waited for one of %d connections, their clock running", s.Waited, limit),
		Number(s.Waited), 0, Suspect}
}

func stale(s *Summary) *Finding {
	if s.Errors.Stale == 0 {
		return nil
	}
	return &Finding{"stale",
		fmt.Sprintf("%d requests met a kept connection that the server was closing; they were not sent again", s.Errors.Stale),
		Number(s.Errors.Stale), 0, Suspect}
}

// little compares the mean number in flight, integrated event by event, with
// rate × time in system, added up request by request. Requests that were due and
// never taken up are in the first only.
func little(s *Summary, interrupted bool) *Finding {
	gap := math.Abs(float64(s.InFlight.Mean)/float64(s.InFlight.Little) - 1)
	if interrupted || s.Unsent > 0 || !(gap > littleTolerance) || s.InFlight.Mean*s.Elapsed < Seconds(10*time.Millisecond) {
		return nil
	}
	return &Finding{"little",
		fmt.Sprintf("mean in flight %.2f, by Little's law %.2f: the client recorded ends late", s.InFlight.Mean, s.InFlight.Little),
		s.InFlight.Mean, s.InFlight.Little, Suspect}
}

// fewSamples: the 99th percentile is printed, so it must be supported.
func fewSamples(s *Summary) *Finding {
	n, limit := s.Time.Response.Count, samplesFor(0.99)
	if n == 0 || n >= limit {
		return nil
	}
	return &Finding{"few_samples", fmt.Sprintf("%d replies are few for a 99th percentile", n), Number(n), Number(limit), Suspect}
}

// ms is a number of seconds in milliseconds with three digits, more above 1 s.
func ms(n Number) string {
	if n >= 0.1 {
		return fmt.Sprintf("%.0f ms", float64(n)*1e3)
	}
	return fmt.Sprintf("%.3g ms", float64(n)*1e3)
}
