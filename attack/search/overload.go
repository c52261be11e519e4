package search

import (
	"fmt"
	"slices"

	"ratebench/attack/record"
)

// Limits of behaviour under overload, as shares of the goodput at the answer.
const (
	// holdsShare: trials near saturation differ by some per cent, and turning
	// requests away costs a server something. More than a tenth is a loss.
	holdsShare = 0.90

	// collapseShare: half as much load again takes away half of the goodput or
	// more. The server works mainly for users who have gone.
	collapseShare = 0.50
)

// factors are where behaviour under overload is looked at, in units of the answer.
func factors() []float64 { return []float64{1.25, 1.5} }

// Behaviour is what a server does with more load than it can serve.
type Behaviour string

const (
	Holds     Behaviour = "holds"     // goodput stays at 90 % of that at the answer or more
	Degrades  Behaviour = "degrades"  // in between
	Collapses Behaviour = "collapses" // goodput falls below half
)

// Beyond is what was seen at a rate above the answer.
type Beyond struct {
	Rate      float64       `json:"rate_per_s"`
	Goodput   record.Number `json:"goodput_per_s"`     // median over the trials; null if it was not measured
	Share     record.Number `json:"share_of_peak"`     // of the goodput at the highest passing rate
	Behaviour Behaviour     `json:"behaviour"`         // empty if not known
	Why       string        `json:"why_not,omitempty"` // it was not measured
}

// beyond is the next rate above the answer to look at. A rate above the highest
// that the user allows is none.
func (s *Search) beyond() (step, bool) {
	if s.outcome != Found || s.Goal.Lengths.Overload == 0 {
		return step{}, false
	}
	for len(s.Beyond) < len(factors()) {
		v := vote{step: step{Overload, rounded(factors()[len(s.Beyond)] * s.Bracket.low().Rate)}}
		if most := s.Goal.Most.PerSecond(); most == 0 || v.rate <= most {
			return v.step, true
		}
		s.Beyond = append(s.Beyond, v.unmeasured(fmt.Sprintf("above the highest rate allowed, %v/s", s.Goal.Most)))
	}
	return step{}, false
}

func (v *vote) unmeasured(why string) Beyond {
	return Beyond{Rate: v.rate, Goodput: record.Undefined(), Share: record.Undefined(), Why: why}
}

// beyond is the account of a rate whose trials are made.
func (v *vote) beyond(peak record.Number) Beyond {
	b := Beyond{Rate: v.rate, Goodput: median(v.goodput)}
	b.Share = record.Ratio(float64(b.Goodput), float64(peak))
	switch {
	case !b.Share.Defined():
		b.Why = "no goodput to compare with"
	case b.Share >= holdsShare:
		b.Behaviour = Holds
	case b.Share < collapseShare:
		b.Behaviour = Collapses
	default:
		b.Behaviour = Degrades
	}
	return b
}

// peak is the median goodput of the full-length trials at the highest passing rate.
func (s *Search) peak() record.Number {
	var goodput []record.Number
	for i := range s.Trials {
		r := &s.Trials[i]
		if r.Valid && r.Passed() && r.Trial.Purpose == Decide && r.Trial.Rate.PerSecond() == s.Bracket.low().Rate {
			goodput = append(goodput, r.GoodputRate)
		}
	}
	return median(goodput)
}

// median of the defined numbers, undefined if there is none.
func median(numbers []record.Number) record.Number {
	defined := slices.DeleteFunc(slices.Clone(numbers), func(n record.Number) bool { return !n.Defined() })
	if len(defined) == 0 {
		return record.Undefined()
	}
	slices.Sort(defined)
	middle := len(defined) / 2
	return (defined[middle] + defined[(len(defined)-1)/2]) / 2
}
