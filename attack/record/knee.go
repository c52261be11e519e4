package record

import (
	"fmt"

	"ratebench/attack/plan"
)

// knee is up to where the server kept up with a ramp that rises: the last second
// after which requests in flight stay above what they were at ease, to the end. It is
// what a ramp is made for, and no doubt about it.
func knee(ramp *plan.Ramp, all []Interval, s *Summary) *Finding {
	window := full(all, s)
	if len(window) < minSteadySeconds || ramp.To.PerSecond() <= ramp.From.PerSecond() {
		return nil
	}
	ease := atEase(inFlight(window[:len(window)/3]))
	kept := len(window)
	for kept > 0 && float64(window[kept-1].InFlight) > ease {
		kept--
	}
	switch {
	case len(window)-kept < minKneeSeconds:
		return nil
	case kept == 0:
		return &Finding{"ramp_knee", "the server did not keep up with any rate of the ramp", 0, Undefined(), Valid}
	}
	rate := Number(window[kept-1].Due)
	return &Finding{"ramp_knee",
		fmt.Sprintf("the server kept up to about %.0f/s, %d s after the start; from then on requests in flight stay above %.0f", rate, kept, ease),
		rate, Undefined(), Valid}
}

// minKneeSeconds is how long requests in flight have to stay up: a stall just before
// the end is no limit.
const minKneeSeconds = 3

// atEase is the most requests in flight that a server which keeps up has now and
// then, from those of a time in which it did: three times the median, as the wait in
// a queue grows long before its end does, and chance.
func atEase(inFlight []float64) float64 { return 3*median(inFlight) + 5 }
