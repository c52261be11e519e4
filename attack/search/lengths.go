package search

import (
	"time"

	"ratebench/attack/plan"
)

// shortest is the least length of a trial that Scaled makes, unless those that decide
// are shorter: rates vary by whole seconds.
const shortest = plan.Seconds(time.Second)

// Scaled are the lengths in their proportions with that of the trials which decide
// as given. None falls below a second for it that was not shorter before, but none
// is longer than those that decide either, if it was not before: a short trial must
// not be overruled by a shorter one.
func (l Lengths) Scaled(decide plan.Seconds) Lengths {
	by := float64(decide) / float64(l.Decide)
	scaled := func(s plan.Seconds) plan.Seconds {
		return max(plan.Seconds(float64(s)*by), min(s, shortest, decide))
	}
	return Lengths{
		Ceiling: scaled(l.Ceiling), Sentinel: scaled(l.Sentinel), Ramp: scaled(l.Ramp),
		Narrow: scaled(l.Narrow), Decide: decide, Overload: scaled(l.Overload),
	}
}
