package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func labels(ticks []plot.Tick) string {
	var all []string
	for _, t := range ticks {
		all = append(all, t.Label)
	}
	return strings.Join(all, ", ")
}

func TestTicks(t *testing.T) {
	check := func(a Axis, least, most float64, room int, want string) {
		t.Helper()
		if got := labels(a.ticks(least, most, room)); got != want {
			t.Errorf("%g to %g, room for %d: %s, want %s", least, most, room, got, want)
		}
	}
	check(Seconds(), 0, 35, 10, "0 s, 5 s, 10 s, 15 s, 20 s, 25 s, 30 s, 35 s")
	check(Seconds(), 0, 1, 10, "0 s, 1 s")
	check(Seconds(), 0, 0.5, 5, "0 s, 0.1 s, 0.2 s, 0.3 s, 0.4 s, 0.5 s")
	check(Seconds(), 0, 3600, 4, "0 min, 20 min, 40 min, 60 min")
	check(Seconds(), 0, 86400, 4, "0 h, 6 h, 12 h, 18 h, 24 h")
	check(Seconds(), 0, 30*86400, 4, "0 h, 200 h, 400 h, 600 h")
	check(Amounts(), 0, 0.3, 4, "0, 0.1, 0.2, 0.3")
	check(Amounts(), 0, 25000, 5, "0, 5 000, 10 000, 15 000, 20 000, 25 000")
	check(Counts(), 0, 1, 9, "0, 1")
	check(Counts(), 0, 2_000_000, 4, "0, 500 000, 1 000 000, 1 500 000, 2 000 000")
	check(Spans(), 0.001, 0.01, 9, "1 ms, 2 ms, 5 ms, 10 ms")
	check(Spans(), 50e-9, 2, 5, "1 µs, 100 µs, 10 ms, 1 s")
	check(Spans(), 0.05, 100, 20, "50 ms, 100 ms, 200 ms, 500 ms, 1 s, 2 s, 5 s, 10 s, 20 s, 50 s, 100 s")
	check(Spans(), 100, 5000, 20, "100 s, 200 s, 500 s, 1 000 s, 2 000 s, 5 000 s")
	check(Percentiles(), 1, 12500, 13, "0 %, 50 %, 90 %, 99 %, 99.9 %, 99.99 %")
	check(Percentiles(), 1, 1.25e6, 4, "0 %, 99 %, 99.99 %, 99.9999 %")
}

// TestTicksFit: whatever the range, labels are no more than there is room for, or
// the three that every axis has.
func TestTicksFit(t *testing.T) {
	for name, a := range map[string]Axis{"seconds": Seconds(), "amounts": Amounts(), "counts": Counts(), "spans": Spans(), "percentiles": Percentiles()} {
		for most := 2.0; most < 1e9; most *= 1.37 {
			for room := 2; room < 20; room++ {
				least := 0.0
				if a.Log {
					least = 1
				}
				if n := len(a.ticks(least, most, room)); n > max(room+1, 3) || n == 0 {
					t.Fatalf("%s to %g, room for %d: %d ticks", name, most, room, n)
				}
			}
		}
	}
}

func TestSpread(t *testing.T) {
	nan := math.NaN()
	check := func(a Axis, least, most float64, any bool, wantMin, wantMax float64) {
		t.Helper()
		a.spread(least, most, any)
		if a.Min != wantMin || math.Abs(a.Max-wantMax) > 1e-12*wantMax {
			t.Errorf("%g to %g: from %g to %g, want %g to %g", least, most, a.Min, a.Max, wantMin, wantMax)
		}
	}
	check(Seconds(), 0.5, 34.5, true, 0, 34.5)
	check(Seconds(), nan, nan, false, 0, 1)
	check(Seconds(), 0, 0, true, 0, 1)
	check(Amounts(), 300, 600, true, 0, 700)
	check(Amounts(), 0, 0, true, 0, 1)
	check(Counts(), 0, 2, true, 0, 3)
	check(Spans(), 0.003, 0.7, true, 0.002, 1)
	check(Spans(), 0.2, 0.2, true, 0.2, 0.5)
	check(Spans(), nan, nan, false, 0.001, 1)
	fixed := Percentiles()
	fixed.Max = 125
	check(fixed, 1, 99, true, 1, 125)
	check(Percentiles(), 1, 1, true, 1, 10)
}
