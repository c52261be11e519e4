package testserver

import (
	"math"
	"testing"
)

// worstDeviation deals n fates and returns the largest distance of a count from its
// share, over all fates and all prefixes.
func worstDeviation(d *dealer, n int) float64 {
	given, worst := map[Failure]int64{}, 0.0
	for i := 1; i <= n; i++ {
		given[d.next()]++
		for k, fate := range d.fates {
			share := float64(d.shares[k]) / float64(unit)
			worst = max(worst, math.Abs(float64(given[fate])-share*float64(i)))
		}
	}
	return worst
}

func TestDealerIsExact(t *testing.T) {
	kinds := []Failure{FailStatus, FailReset, FailTruncate, FailHang}
	for _, shares := range []map[Failure]float64{
		nil,
		{FailReset: 1},
		{FailStatus: 0.5},
		{FailStatus: 0.01},
		{FailStatus: 1.0 / 3, FailReset: 1.0 / 7},
		{FailStatus: 0.01, FailReset: 0.01, FailTruncate: 0.01, FailHang: 0.01},
		{FailStatus: 0.25, FailReset: 0.25, FailTruncate: 0.25, FailHang: 0.25},
		{FailStatus: 0.9, FailHang: 0.05},
		{FailStatus: 0.000_001, FailReset: 0.998},
	} {
		d := newDealer(shares, kinds...)
		limit := 1e-3 // one fate only: none
		if k := len(d.fates); k > 1 {
			limit += 1 - 1/float64(2*k-2)
		}
		if got := worstDeviation(d, 10_000); got > limit {
			t.Errorf("%v: a count is off by %.3f, want at most %.3f", shares, got, limit)
		}
	}
}

func TestWorstDeviationSeesAFault(t *testing.T) {
	d := newDealer(map[Failure]float64{FailStatus: 0.5}, FailStatus)
	d.behind[0], d.behind[1] = 3*unit, -3*unit // as if three were owed
	if got := worstDeviation(d, 100); got < 2 {
		t.Errorf("deviation %.3f, want 2 or more", got)
	}
}

func TestDealerForgetsNothing(t *testing.T) {
	d := newDealer(map[Failure]float64{FailHang: 0.01}, FailStatus, FailHang)
	n := 0
	for range 40_000 {
		if d.next() == FailHang {
			n++
		}
	}
	if n != 400 {
		t.Errorf("%d of 40000 dealt, want 400", n)
	}
}
