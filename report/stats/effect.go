package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Effect is how one sample stands to another. Value, Low, High and P are NaN of fewer
// than Fewest pairs. Value is NaN too where a value of a pair is +Inf: then it is known
// only on which side of the null value the effect is, from Low to High.
type Effect struct {
	Pairs     int
	Relative  bool    // Value is a ratio, whose null value is 1; otherwise a difference, of which it is 0
	Value     float64 // of the pairs' mean
	Low, High float64
	P         float64 // of so large an effect, either way, by chance alone
}

// Ratio is of to over base; it is their Difference if any value is not above 0, which
// has no ratio, and leaving its pair out would favour a side.
func Ratio(of, base []float64) Effect {
	a, b := pairs(of, base)
	for i := range a {
		if a[i] <= 0 || b[i] <= 0 {
			return Difference(of, base)
		}
	}
	logarithm := func(all []float64) []float64 {
		for i := range all {
			all[i] = math.Log(all[i])
		}
		return all
	}
	e := paired(logarithm(a), logarithm(b), resolution)
	e.Relative, e.Value, e.Low, e.High = true, math.Exp(e.Value), math.Exp(e.Low), math.Exp(e.High)
	return e
}

// Difference is of less base, for shares, of which many are 0.
func Difference(of, base []float64) Effect {
	a, b := pairs(of, base)
	greatest := 0.0
	for i := range a {
		greatest = max(greatest, math.Abs(a[i]), math.Abs(b[i]))
	}
	return paired(a, b, resolution*greatest)
}

// pairs are the values of blocks in which both samples have one.
func pairs(of, base []float64) (a, b []float64) {
	for i := range min(len(of), len(base)) {
		if !math.IsNaN(of[i]) && !math.IsNaN(base[i]) {
			a, b = append(a, of[i]), append(b, base[i])
		}
	}
	return a, b
}

// resolution is the least spread that is believed in, as a share of the values, since histograms tell values apart
// that differ by a thousandth: samples without a spread, which are rounded to the same
// step, would otherwise differ by any step beyond doubt, and t be divided by 0.
const resolution = 0.001

// paired is the mean of the differences with its t interval and the t-test's P (Student,
// The Probable Error of a Mean, Biometrika 6, 1908). The spread is at least least.
func paired(of, base []float64, least float64) Effect {
	e := Effect{len(of), false, math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if len(of) < Fewest {
		return e
	}
	all := make([]float64, len(of))
	for i := range all {
		if math.IsInf(of[i], 0) || math.IsInf(base[i], 0) {
			return sided(of, base)
		}
		all[i] = of[i] - base[i]
	}
	mean, spread := stats.Mean(all), max(stats.StdDev(all), least)/math.Sqrt(float64(len(all)))
	t := stats.TDist{V: float64(len(all) - 1)}
	if spread == 0 { // nothing but zeros
		e.Value, e.Low, e.High, e.P = 0, 0, 0, 1
		return e
	}
	half := spread * stats.InvCDF(t)(1-Level/2)
	e.Value, e.Low, e.High, e.P = mean, mean-half, mean+half, 2*t.CDF(-math.Abs(mean)/spread)
	return e
}

// sided is an effect of pairs with infinite values: P is that of the sign test. Six
// pairs of it, at best 0.031, claim nothing in a family of two: percentiles among failed
// requests want ten blocks.
func sided(of, base []float64) Effect {
	e := Effect{len(of), false, math.NaN(), 0, math.Inf(1), signs(of, base)}
	if more, less := above(of, base), above(base, of); more < less {
		e.Low, e.High = math.Inf(-1), 0
	} else if more == less {
		e.Low = math.Inf(-1)
	}
	return e
}

// signs is the P of the sign test: as many pairs that differ in one direction would do
// so by tosses of a coin. Pairs of equals tell nothing.
func signs(of, base []float64) float64 {
	more, less := above(of, base), above(base, of)
	if more+less == 0 {
		return 1
	}
	tosses := stats.BinomialDist{N: more + less, P: 0.5}
	return min(2*tosses.CDF(float64(min(more, less))), 1)
}

// above is in how many pairs of is the greater.
func above(of, base []float64) (n int) {
	for i := range of {
		if of[i] > base[i] {
			n++
		}
	}
	return n
}

// Unpaired is the ratio of the medians of two samples that have no blocks in common,
// without an interval, and the P of the exact U test (benchmath.AssumeNothing). P is NaN
// of fewer than Fewest values on a side. Pairs is the number of values on the smaller.
func Unpaired(of, base []float64) Effect {
	a, b := Of(of), Of(base)
	e := Effect{min(a.N, b.N), true, math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if b.Center > 0 && a.Center > 0 && !math.IsInf(a.Center, 0) && !math.IsInf(b.Center, 0) {
		e.Value = a.Center / b.Center
	}
	if e.Pairs >= Fewest {
		e.P = benchmath.AssumeNothing.Compare(ordered(of), ordered(base)).P
	}
	return e
}

func ordered(values []float64) *benchmath.Sample {
	var known []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	return benchmath.NewSample(known, &benchmath.DefaultThresholds)
}
