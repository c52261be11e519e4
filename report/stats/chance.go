package stats

import (
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Plausible is how many of n independent tests that each claim something falsely with
// chance p do so in all but one of twenty series, from least to most. Tests that hang
// together, as several metrics of the same trials do, scatter more.
func Plausible(n int, p float64) (least, most int) {
	d := stats.BinomialDist{N: n, P: p}
	for least < n && d.CDF(float64(least)) <= Level/2 {
		least++
	}
	for most = least; most < n && d.CDF(float64(most)) < 1-Level/2; {
		most++
	}
	return least, most
}

// Floor is how far from the null value an effect would have to lie to stand out, given
// how these pairs scatter: half its interval, as a share for a ratio. It is NaN where
// there is no interval.
func Floor(e Effect) float64 {
	switch {
	case math.IsInf(e.Low, 0) || math.IsInf(e.High, 0) || math.IsNaN(e.Value):
		return math.NaN()
	case e.Relative:
		return math.Sqrt(e.High/e.Low) - 1
	}
	return (e.High - e.Low) / 2
}
