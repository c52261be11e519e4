package search

import (
	"fmt"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Figures are the metrics of a recorded run. cpuPerReply is the server's CPU
// seconds per reply, undefined if it was not watched.
func Figures(s *record.Summary, cpuPerReply record.Number) plan.Figures {
	all := &s.Time.ResponseAll
	values := map[plan.Metric]record.Number{
		plan.Goodput:     s.Goodput.Share,
		plan.ReplyRate:   s.ReplyRate.Mean,
		plan.ErrorShare:  record.Ratio(float64(s.Errors.Total), float64(s.Planned-s.Unsent)),
		plan.P50:         all.P50,
		plan.P90:         all.P90,
		plan.P95:         all.P95,
		plan.P99:         all.P99,
		plan.P999:        all.P999,
		plan.Mean:        all.Mean,
		plan.Max:         all.Max,
		plan.CPUPerReply: cpuPerReply,
	}
	return func(m plan.Metric) (float64, bool) {
		value, ok := values[m]
		return float64(value), ok && value.Defined()
	}
}

// Criteria are a search's objectives: the user's, and that a rate be served at
// all (plan.Served), unless the user has limits of their own for that. Without
// them a server that turns requests away quickly might pass for its median.
//
// An absolute reply rate is refused: it is missed below it, so that no lowest rate
// would pass.
func Criteria(objectives []plan.Objective) ([]plan.Objective, error) {
	named := map[plan.Metric]bool{}
	for _, o := range objectives {
		if o.Metric == plan.ReplyRate {
			return nil, fmt.Errorf("objective %q: a search tries lower rates too, which cannot reach it: want a share, as in goodput>=99%%", o)
		}
		named[o.Metric] = true
	}
	criteria := append([]plan.Objective(nil), objectives...)
	for _, o := range plan.Served() {
		if !named[o.Metric] {
			criteria = append(criteria, o)
		}
	}
	return criteria, nil
}

// notSteady is the verdict's finding about a queue that grows without end. A rate
// at which it does is not served, however fast the first replies were.
const notSteady = "not_steady"

// Judge is the result of a trial from what was recorded of it. Criteria are those
// of the search; a ceiling's are its own, since the user's limits are the server's.
// cpu is the server's CPU per reply and cpuWithin how exact that is, both undefined
// if it was not watched. A run that was interrupted is no result.
func Judge(t Trial, run *record.Run, criteria []plan.Objective, cpu, cpuWithin record.Number) Result {
	if t.Purpose == Ceiling {
		criteria = plan.Served()
	}
	s := &run.Summary
	r := Result{
		Trial: t, Valid: run.Verdict.Status != record.Invalid,
		Objectives: plan.Judge(criteria, Figures(s, cpu)),
		Requests:   s.Time.Response.Count, Response: s.Time.Response.P50,
		CPU: cpu, CPUWithin: cpuWithin,
		GoodputRate: s.Goodput.Rate, GoodReplies: goodReplies(run),
	}
	for _, j := range r.Objectives {
		if !j.Held {
			r.Missed = append(r.Missed, j.Objective.String())
		}
	}
	for _, f := range run.Verdict.Findings {
		if f.Code == notSteady {
			r.Missed = append(r.Missed, "steady state")
		}
	}
	if len(r.Missed) == 0 && behind(s) {
		r.Missed = append(r.Missed, "replies as fast as requests")
	}
	return r
}

// A verdict tells a growing queue from shortWindow on. In less, what is not answered
// by the end of the window may be such a queue or the ordinary work of a slow server:
// from behindShare of the load on, and behindLeast, nobody can say that it was served.
const (
	shortWindow = record.Number(6) // s
	behindShare = record.Number(0.1)
	behindLeast = record.Number(10) // requests
)

func behind(s *record.Summary) bool {
	left := (s.OfferedRate - s.ReplyRate.Mean) * s.Window
	return s.Window < shortWindow && left >= behindLeast && left > behindShare*s.OfferedRate*s.Window
}

// goodReplies is how many good replies a second came in the arrival window, from the
// time that the fastest took: until then none could. It is undefined if that is later.
func goodReplies(run *record.Run) record.Number {
	s := &run.Summary
	span := s.Window
	if first := s.Time.Response.Min; first.Defined() {
		span -= first
	}
	if !(span > 0) {
		return record.Undefined()
	}
	return s.ReplyRate.Mean * goodShare(run) * s.Window / span
}

// goodShare is the share of good ones among the replies that came in the seconds of
// the window, 1 without a reply.
func goodShare(run *record.Run) record.Number {
	var good, replies uint64
	for i := range run.Intervals {
		if second := &run.Intervals[i]; second.T < run.Summary.Window {
			good, replies = good+second.Good, replies+second.Replies
		}
	}
	if replies == 0 {
		return 1
	}
	return record.Ratio(float64(good), float64(replies))
}
