package search

import (
	"math"
	"slices"
	"strconv"

	"ratebench/attack/plan"
)

// Level is a rate about which trials have agreed.
type Level struct {
	Rate      float64  `json:"rate_per_s"`
	Confirmed bool     `json:"confirmed"`        // by trials of full length
	Missed    []string `json:"missed,omitempty"` // in those that failed, most often missed first
	Client    bool     `json:"client"`           // not failing: the client could not offer it
}

// Bracket is what is known of the rates: every passing one is below every
// failing one. The answer is the gap between the two. MLRsearch calls its ends
// the relevant lower and upper bound (draft-ietf-bmwg-mlrsearch).
type Bracket struct {
	Passing []Level `json:"passing"` // ascending
	Failing []Level `json:"failing"` // ascending
}

// low is the highest passing level, high the lowest failing one; nil for none.
func (b *Bracket) low() *Level {
	if len(b.Passing) == 0 {
		return nil
	}
	return &b.Passing[len(b.Passing)-1]
}

func (b *Bracket) high() *Level {
	if len(b.Failing) == 0 {
		return nil
	}
	return &b.Failing[0]
}

// settle enters what trials agreed upon. A rate is measured inside the gap or
// again at one of its ends; there the longer trials overrule the shorter, and the
// gap opens to what was known before.
func (b *Bracket) settle(l Level, passed bool) {
	same := func(other Level) bool { return other.Rate == l.Rate }
	b.Passing = slices.DeleteFunc(b.Passing, same)
	b.Failing = slices.DeleteFunc(b.Failing, same)
	if passed {
		b.Passing = append(b.Passing, l)
	} else {
		b.Failing = slices.Insert(b.Failing, 0, l)
	}
}

// step is what to measure next.
type step struct {
	purpose Purpose
	rate    float64
}

// next says which rate to look at, from the bracket alone: up in doublings, then
// towards the middle of the gap in proportion, then both ends at full length, the
// lower first, which harms the server less. most bounds the ramp. ok is false if
// nothing is left to be asked.
func (b *Bracket) next(g *Goal, most float64) (s step, ok bool) {
	low, high := b.low(), b.high()
	switch {
	case low == nil && high == nil:
		return step{Baseline, g.From.PerSecond()}, true
	case low == nil: // even the lowest rate failed
		return step{Decide, high.Rate}, !high.Confirmed
	case high == nil && low.Rate >= most:
		return step{Decide, low.Rate}, !low.Confirmed
	case high == nil:
		return step{Ramp, min(rounded(2*low.Rate), most)}, true
	}
	middle := rounded(math.Sqrt(low.Rate * high.Rate))
	width := high.Rate/low.Rate - 1
	apart := low.Rate < middle && middle < high.Rate
	switch {
	case width > g.Coarse && apart:
		return step{Narrow, middle}, true
	case width > g.Width && apart:
		return step{Decide, middle}, true
	case !low.Confirmed:
		return step{Decide, low.Rate}, true
	}
	return step{Decide, high.Rate}, !high.Confirmed
}

// rounded is a rate to five digits, or fewer where plan.Rate has no more, so that
// the trial is offered exactly the rate that the bracket holds.
func rounded(perSecond float64) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(perSecond, 'e', 4, 64), 64)
	return rate(f).PerSecond()
}

// rate is the plan's rate for a number of requests per second within its bounds:
// the very one that the number came from, or the nearest that has a text form.
func rate(perSecond float64) plan.Rate {
	bounded := min(max(perSecond, plan.MinRate), plan.MaxRate)
	var r plan.Rate
	if err := r.UnmarshalJSON(strconv.AppendFloat(nil, bounded, 'f', -1, 64)); err != nil {
		return plan.Rate{} // not for a number within the bounds
	}
	return r
}
