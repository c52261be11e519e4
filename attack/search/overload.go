package search

import (
	"fmt"
	"slices"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Limits of behaviour under overload, as shares of the good replies at the answer.
const (
	// holdsShare: trials near saturation differ by some per cent, and turning
	// requests away costs a server something. More than a tenth is a loss.
	holdsShare = 0.90

	// collapseShare: half as much load again takes away half of the goodput or
	// more. The server works mainly for users who have gone.
	collapseShare = 0.50

	// queueShare of a trial's length is a queue worth a word: it is still shorter than
	// the timeout, but a longer trial may see it grow on, until nothing is served in
	// time any more.
	queueShare = 0.10
)

// factors are where behaviour under overload is looked at, in units of the answer.
func factors() []float64 { return []float64{1.25, 1.5} }

// Behaviour is what a server does with more load than it can serve.
type Behaviour string

const (
	Holds     Behaviour = "holds"     // as many good replies a second as at the answer, or 90 % of those
	Degrades  Behaviour = "degrades"  // in between
	Collapses Behaviour = "collapses" // less than half of them
)

// Beyond is what was seen at a rate above the answer. Its figures are medians over the
// trials, null if they were not all made. It is judged by the good replies that came in
// the arrival window: goodput follows requests to their ends, so that a trial over
// before its queue is as long as the timeout has more of it than the server can serve.
type Beyond struct {
	Rate      float64       `json:"rate_per_s"`
	Goodput   record.Number `json:"goodput_per_s"`
	Good      record.Number `json:"good_replies_per_s"` // in the window
	Share     record.Number `json:"share_of_peak"`      // Good ÷ that at the highest passing rate
	Queue     record.Number `json:"queue_s"`            // how long the server took for the good replies that came after the window; 0 if that is short beside it
	Behaviour Behaviour     `json:"behaviour"`          // empty if not known
	Why       string        `json:"why_not,omitempty"`  // it is not known
}

// beyond is the next rate above the answer to look at. A rate above the highest
// that the user allows is none.
func (s *Search) beyond() (step, bool) {
	if s.outcome != Found || s.Goal.Lengths.Overload == 0 {
		return step{}, false
	}
	for len(s.Beyond) < len(factors()) {
		v, allowed := s.above(len(s.Beyond))
		if allowed {
			return v.step, true
		}
		s.Beyond = append(s.Beyond, v.unmeasured(fmt.Sprintf("above the highest rate allowed, %v/s", s.Goal.Most)))
	}
	return step{}, false
}

// above is the n-th rate above the answer, and whether the user allows it.
func (s *Search) above(n int) (v vote, allowed bool) {
	v = vote{step: step{Overload, rounded(factors()[n] * s.Bracket.low().Rate)}}
	most := s.Goal.Most.PerSecond()
	return v, most == 0 || v.rate <= most
}

// BreakOff says why no more trials will be made, in a few words that follow "not
// known". Answer gives it for the rates above the answer that were not looked at.
func (s *Search) BreakOff(why string) { s.brokenOff = why }

// looked is Beyond with what is missing in it. whole says that nothing is.
func (s *Search) looked() (all []Beyond, whole bool) {
	all = slices.Clone(s.Beyond)
	if s.outcome != Found || s.Goal.Lengths.Overload == 0 {
		return all, true
	}
	for n := len(all); n < len(factors()); n++ {
		v, _ := s.above(n)
		all = append(all, v.unmeasured(s.unlooked()))
	}
	return all, len(s.Beyond) == len(factors())
}

// unlooked is why a rate above the answer was not looked at.
func (s *Search) unlooked() string {
	switch {
	case s.broken:
		return "the server had not recovered"
	case s.brokenOff != "":
		return s.brokenOff
	}
	return "not all of its trials were made"
}

func (v *vote) unmeasured(why string) Beyond {
	none := record.Undefined()
	return Beyond{Rate: v.rate, Goodput: none, Good: none, Share: none, Queue: none, Why: why}
}

// beyond is the account of a rate whose trials, of that length, are made. peak is the
// rate of good replies at the answer.
func (v *vote) beyond(peak record.Number, length plan.Seconds) Beyond {
	b := Beyond{Rate: v.rate, Goodput: median(v.goodput), Good: median(v.good)}
	b.Share = record.Ratio(float64(b.Good), float64(peak))
	b.Queue = (record.Ratio(float64(b.Goodput), float64(b.Good)) - 1) * record.Seconds(length.Std())
	if b.Queue <= queueShare*record.Seconds(length.Std()) {
		b.Queue = 0
	}
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

// peak is the median goodput of the full-length trials at the highest passing rate,
// and that of their good replies in the window.
func (s *Search) peak() (goodput, good record.Number) {
	var goodputs, goods []record.Number
	for i := range s.Trials {
		r := &s.Trials[i]
		if r.Valid && r.Passed() && r.Trial.Purpose == Decide && r.Trial.Rate.PerSecond() == s.Bracket.low().Rate {
			goodputs, goods = append(goodputs, r.GoodputRate), append(goods, r.GoodReplies)
		}
	}
	return median(goodputs), median(goods)
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
