package search

import (
	"errors"
	"fmt"
	"time"

	"ratebench/attack/plan"
)

// Goal is what a search looks for and how much trouble it takes. Thorough and
// Quick fill all but the rates; From is required.
type Goal struct {
	From plan.Rate `json:"from_per_s"` // the lowest rate tried, and the sentinel's
	Most plan.Rate `json:"most_per_s"` // the highest rate tried; 0 leaves that to the client

	Width  float64 `json:"width"`  // the answer's: lowest failing ÷ highest passing rate − 1
	Coarse float64 `json:"coarse"` // from this width on trials have their full length

	// Best of so many trials decides about a rate; odd. Best of 5 is over as soon
	// as three agree.
	BestNarrow   int `json:"best_of_narrow"`
	BestDecide   int `json:"best_of_decide"`
	BestOverload int `json:"best_of_overload"` // no vote: the median of so many

	Lengths Lengths `json:"lengths"`
	Seed    uint64  `json:"seed"` // from which each trial gets its own
}

// Lengths are the arrival windows of the trials, warm-up excluded. A Ceiling or
// Overload of 0 leaves those trials out.
type Lengths struct {
	Ceiling  plan.Seconds `json:"ceiling_s"`
	Sentinel plan.Seconds `json:"sentinel_s"` // and of the baseline
	Ramp     plan.Seconds `json:"ramp_s"`
	Narrow   plan.Seconds `json:"narrow_s"`
	Decide   plan.Seconds `json:"decide_s"`
	Overload plan.Seconds `json:"overload_s"`
}

// maxBest bounds the trials of one rate.
const maxBest = 99

// Thorough is a goal for an answer to be relied on, in some 20 minutes. A trial
// that decides lasts 60 s, as in RFC 2544 section 24: 95 % of an M/M/1 server's
// capacity needs as much, being 20 of its relaxation times. The last per cents
// below saturation cannot be told apart in that time, hence a width of 2.5 %.
func Thorough() Goal {
	return Goal{
		Width: 0.025, Coarse: 0.10,
		BestNarrow: 3, BestDecide: 5, BestOverload: 3,
		Lengths: Lengths{
			Ceiling: seconds(3), Sentinel: seconds(10), Ramp: seconds(10),
			Narrow: seconds(20), Decide: seconds(60), Overload: seconds(30),
		},
	}
}

// Quick is a goal for a rough answer in about a minute of load: short trials see
// less of a queue that grows slowly, so that the answer errs upwards near
// saturation, and two spoilt trials of three mislead it.
func Quick() Goal {
	return Goal{
		Width: 0.10, Coarse: 0.25,
		BestNarrow: 1, BestDecide: 3, BestOverload: 1,
		Lengths: Lengths{
			Ceiling: seconds(1), Sentinel: seconds(1), Ramp: seconds(2),
			Narrow: seconds(3), Decide: seconds(4), Overload: seconds(4),
		},
	}
}

func seconds(n int) plan.Seconds { return plan.Seconds(time.Duration(n) * time.Second) }

// Validate reports every fault of the goal at once, joined, with its value.
func (g *Goal) Validate() error {
	var errs []error
	from, most := g.From.PerSecond(), g.Most.PerSecond()
	if from == 0 {
		errs = append(errs, errors.New("capacity search: no lowest rate to start from"))
	}
	if most != 0 && most < from {
		errs = append(errs, fmt.Errorf("capacity search: the highest rate %v is below the lowest, %v", g.Most, g.From))
	}
	if !(g.Width >= minWidth && g.Width <= 1) {
		errs = append(errs, fmt.Errorf("capacity search: width %g: want %g to 1", g.Width, minWidth))
	}
	if !(g.Coarse >= g.Width) {
		errs = append(errs, fmt.Errorf("capacity search: coarse width %g: want at least the width %g", g.Coarse, g.Width))
	}
	for _, n := range []int{g.BestNarrow, g.BestDecide, g.BestOverload} {
		if n < 1 || n > maxBest || n%2 == 0 {
			errs = append(errs, fmt.Errorf("capacity search: best of %d: want an odd number from 1 to %d", n, maxBest))
		}
	}
	l := &g.Lengths
	if min(l.Sentinel, l.Ramp, l.Narrow, l.Decide) <= 0 || min(l.Ceiling, l.Overload) < 0 {
		errs = append(errs, fmt.Errorf("capacity search: trial lengths %+v: want more than 0, for ceiling and overload at least 0", *l))
	}
	if l.Decide < max(l.Ramp, l.Narrow) {
		errs = append(errs, fmt.Errorf("capacity search: trials that decide last %v: want no less than the %v of those before them",
			l.Decide, max(l.Ramp, l.Narrow)))
	}
	return errors.Join(errs...)
}

// minWidth is the least width: rates are rounded to five digits.
const minWidth = 0.001

// length is how long trials of a purpose are.
func (g *Goal) length(p Purpose) plan.Seconds {
	switch p {
	case Ceiling:
		return g.Lengths.Ceiling
	case Baseline, Sentinel:
		return g.Lengths.Sentinel
	case Ramp:
		return g.Lengths.Ramp
	case Narrow:
		return g.Lengths.Narrow
	case Overload:
		return g.Lengths.Overload
	}
	return g.Lengths.Decide
}

// majority is how many trials must agree about a rate. A ramp's first failure is
// looked at again: a spoilt trial there would halve the range searched. So is the
// client's, twice, since a search does not come back to it.
func (g *Goal) majority(p Purpose) int {
	switch p {
	case Decide:
		return g.BestDecide/2 + 1
	case Narrow:
		return g.BestNarrow/2 + 1
	case Overload:
		return g.BestOverload
	case Ceiling:
		return 3
	}
	return 2
}
