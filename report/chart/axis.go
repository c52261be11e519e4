package chart

import (
	"math"

	"gonum.org/v1/plot"
)

// Axis is how numbers become places. Its makers are Seconds, Spans, Amounts and
// Percentiles; Min and Max may be set afterwards.
type Axis struct {
	Log      bool    // logarithmic: only values above 0 have a place
	Min, Max float64 // both 0: as the data and round numbers want it
	zero     bool    // begins at 0 if nothing lies below
	exact    bool    // ends where the data does, not at a round number
	whole    bool    // has no tick between whole numbers
	ticks    func(least, most float64, room int) []plot.Tick
}

// Seconds is an axis of time since the start, in seconds.
func Seconds() Axis { return Axis{zero: true, exact: true, ticks: secondTicks} }

// Spans is a logarithmic axis of durations, in seconds.
func Spans() Axis { return Axis{Log: true, ticks: spanTicks} }

// Amounts is a linear axis from 0.
func Amounts() Axis { return Axis{zero: true, ticks: amountTicks} }

// Counts is a linear axis from 0 that has whole numbers only.
func Counts() Axis { return Axis{zero: true, whole: true, ticks: countTicks} }

// Percentiles is an axis of 1/(1−p), from 1, logarithmic: each further nine of a
// percentile is as wide as the one before.
func Percentiles() Axis { return Axis{Log: true, exact: true, Min: 1, ticks: percentileTicks} }

// headroom is left above the data, for a line at the very top is lost in the frame.
const headroom = 1.04

// spread sets the ends of an axis for data from least to most.
func (a *Axis) spread(least, most float64, any bool) {
	lower, upper := a.Min, a.Max
	switch {
	case !any && a.Log:
		least, most = 1e-3, 0.9
	case !any:
		least, most = 0, 0
	}
	if a.zero {
		least = min(least, 0)
	}
	a.Min, a.Max = least, most
	if !a.exact && a.Log {
		a.Min, a.Max = below(least), above(most*headroom)
	} else if !a.exact {
		a.Max = roundUp(most * headroom)
	}
	if a.whole {
		a.Max = math.Ceil(a.Max)
	}
	if lower != 0 || upper != 0 {
		a.Min = lower
	}
	if upper != 0 {
		a.Max = upper
	}
	a.open()
}

// open parts ends that have fallen together.
func (a *Axis) open() {
	switch {
	case a.Max > a.Min && (!a.Log || a.Max >= a.Min*2):
	case a.Log:
		a.Max = a.Min * 10
	default:
		a.Max = a.Min + 1
	}
}

// scale is the axis as gonum's plots want it.
func (a *Axis) scale() plot.Normalizer {
	if a.Log {
		return plot.LogScale{}
	}
	return plot.LinearScale{}
}

// below and above are the nearest of 1, 2 and 5 times a power of ten that do not
// lie within the data.
func below(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*unit <= v*(1+1e-9) {
			return m * unit
		}
	}
	return unit
}

func above(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// roundUp is a number somewhat above v to end a linear axis at, 1 for 0.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	step := stepOf(v, 8)
	return step * math.Ceil(v/step*(1-1e-9))
}

// stepOf is the least 1, 2 or 5 times a power of ten that span holds at most n times.
func stepOf(span float64, n int) float64 { return above(span / float64(max(n, 1))) }
