package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
)

// SweepSchema names the form and version of a Sweep.
const SweepSchema = "ratebench.sweep/v1"

// Sweep is a run for each of several offered rates, one after the other.
type Sweep struct {
	Schema      string        `json:"schema"` // SweepSchema
	StartedAt   time.Time     `json:"started_at"`
	Version     string        `json:"version"`           // of ratebench
	Interrupted bool          `json:"interrupted"`       // before the last run was over
	Failure     string        `json:"failure,omitempty"` // why it ended early otherwise
	Steps       search.Steps  `json:"steps"`             // that were asked for
	Pause       *plan.Seconds `json:"pause_s"`           // asked for between runs; null leaves it to search.Settle
	Runs        []SweepRun    `json:"runs"`              // in order of time
}

// SweepRun is one run of a sweep.
type SweepRun struct {
	Pass     int          `json:"pass"`      // from 1
	Pause    plan.Seconds `json:"pause_s"`   // before it, since the end of the run before
	LeftOver uint64       `json:"left_over"` // requests of the run before that were given up: the server may have worked on them still
	Run      *Document    `json:"run"`
}

// spoilt says whether the run's figures speak of something else than the server
// at the rate offered.
func (r *SweepRun) spoilt() bool {
	return r.Run.Interrupted || r.Run.Verdict.Status == record.Invalid
}

// missed are the criteria of s that the run missed.
func (r *SweepRun) missed(criteria []plan.Objective) []string {
	cpu, within := CPUPerReply(r.Run)
	run := &record.Run{Summary: r.Run.Summary, Verdict: r.Run.Verdict}
	result := search.Judge(search.Trial{}, run, criteria, cpu, within)
	return result.Missed
}

// criteria are what a rate has to meet to count as served: the objectives that
// the sweep was held to and those of search.Criteria.
func (s *Sweep) criteria() []plan.Objective {
	var all []plan.Objective
	for _, o := range s.Runs[0].Run.Objectives {
		parsed, err := plan.ParseObjective(o.Text)
		if err == nil && parsed.Metric != plan.ReplyRate { // no lower rate could reach that
			all = append(all, parsed)
		}
	}
	criteria, err := search.Criteria(all)
	if err != nil {
		return all
	}
	return criteria
}

// served says up to which rate the server kept up, as far as the runs tell: every
// run that counts met the criteria up to there, and one at the next rate did not.
// A run that the client or an interrupt spoilt tells nothing, and one that missed
// them after another had left requests over tells nothing about its own rate.
func (s *Sweep) served() string {
	if len(s.Runs) == 0 {
		return ""
	}
	criteria := s.criteria()
	var passed, failed float64
	var why []string
	for i := range s.Runs {
		r := &s.Runs[i]
		missed, rate := r.missed(criteria), r.Run.Plan.Rate.PerSecond()
		if r.spoilt() || len(missed) == 0 || r.LeftOver > 0 {
			continue
		}
		if failed == 0 || rate < failed {
			failed, why = rate, missed
		}
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		rate := r.Run.Plan.Rate.PerSecond()
		if !r.spoilt() && len(r.missed(criteria)) == 0 && (failed == 0 || rate < failed) {
			passed = max(passed, rate)
		}
	}
	return servedText(passed, failed, why)
}

func servedText(passed, failed float64, why []string) string {
	rate := func(f float64) string { return grouped(fmt.Sprintf("%.6g", f)) + "/s" }
	switch {
	case passed == 0 && failed == 0:
		return "no run tells what the server can serve"
	case failed == 0:
		return "served up to " + rate(passed) + ", and no limit was found"
	case passed == 0:
		return "not served even at " + rate(failed) + ": missed " + strings.Join(why, ", ")
	}
	return "served up to " + rate(passed) + "; at " + rate(failed) + " missed " + strings.Join(why, ", ")
}

// atRate are the runs at one offered rate.
type atRate struct {
	rate plan.Rate
	all  int         // runs
	good []*Document // that were not spoilt
}

// byRate gathers the runs of each rate, the lowest first.
func (s *Sweep) byRate() []atRate {
	var rates []atRate
	for i := range s.Runs {
		r := &s.Runs[i]
		at := slices.IndexFunc(rates, func(a atRate) bool { return a.rate == r.Run.Plan.Rate })
		if at < 0 {
			at = len(rates)
			rates = append(rates, atRate{rate: r.Run.Plan.Rate})
		}
		rates[at].all++
		if !r.spoilt() {
			rates[at].good = append(rates[at].good, r.Run)
		}
	}
	slices.SortStableFunc(rates, func(a, b atRate) int {
		return cmp.Compare(a.rate.PerSecond(), b.rate.PerSecond())
	})
	return rates
}
