// Package stats tells real differences between servers from chance.
//
// A sample is one value a trial, since the requests of one trial are no independent
// observations. Values at the same place of two samples are of the same block: of
// trials made one shortly after the other with the same arrivals, so that what drifts
// or is shared falls out of their ratio. NaN is a trial without a value, and its block
// is lost to a pair. +Inf is a value above all that could be measured, as a percentile
// among requests that timed out.
//
// Ratios are judged by the t interval of the mean log-ratio. The alternative is the
// Hodges-Lehmann estimate with Wilcoxon's exact signed ranks, which assumes less. But
// with six blocks signed ranks reach no p below 2/2⁶ = 0.031, which is above the first
// step of Holm's procedure for any family of two or more: they could never claim
// anything, and with ten blocks (0.002) not in a family of 26 or more. What t assumes
// is mild here: two servers that are the same have log-ratios symmetric around 0
// whatever their noise is like, and under symmetry outliers make t claim too little
// rather than too much. The simulations among this package's tests hold it to that:
// intervals hold the true ratio in 93–98 % with normal and with heavy-tailed noise, a
// drift, and a disturbance of every other trial; a family of twelve makes a false claim
// in 6 % at most; and where signed ranks find none of the differences of 5 % at a
// noise of 1 % in six blocks, t finds them.
//
// All intervals are of 95 %, and all tests of two sides.
package stats

import (
	"math"

	"golang.org/x/perf/benchmath"
)

// Fewest is how many values or pairs an interval or a claim takes: of five values even
// the span from the least to the greatest holds the median in 93.75 % only.
const Fewest = 6

const confidence = 0.95

// Level is the chance of any false claim in a family of tests.
const Level = 1 - confidence

// Estimate is a median and the interval that holds the true one. Each is +Inf where it
// lies among values that are. Low and High are NaN of fewer than Fewest values, Center
// too of none.
type Estimate struct {
	Center, Low, High float64
	N                 int // values
}

// huge stands for +Inf, which has no place in means: half of it is told from any value.
const huge = 1e300

// Of is the estimate from values, by order statistics (benchmath.AssumeNothing).
func Of(values []float64) Estimate {
	var known []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			known = append(known, min(v, huge))
		}
	}
	e := Estimate{math.NaN(), math.NaN(), math.NaN(), len(known)}
	if len(known) == 0 {
		return e
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(known, &benchmath.DefaultThresholds), confidence)
	e.Center = unbounded(s.Center)
	if len(known) >= Fewest {
		e.Low, e.High = unbounded(s.Lo), unbounded(s.Hi)
	}
	return e
}

func unbounded(v float64) float64 {
	if v > huge/4 {
		return math.Inf(1)
	}
	return v
}
