package report

import (
	"math"
	"slices"
	"testing"

	"ratebench/report/chart"
)

func TestRanked(t *testing.T) {
	steps := []step{{1, 5}, {2, 9}, {7, 10}}
	check := func(n uint64, want ...chart.Point) {
		t.Helper()
		if got := ranked(steps, n); !slices.EqualFunc(got, want, func(a, b chart.Point) bool {
			return math.Abs(a.X-b.X) < 1e-9*b.X && a.Y == b.Y
		}) {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
	check(10, chart.Point{X: 1, Y: 1}, chart.Point{X: 2, Y: 2}, chart.Point{X: 10, Y: 7}, chart.Point{X: 12.5, Y: 7})
	// Ten more that failed rank above: the last reply is the median.
	check(20, chart.Point{X: 1, Y: 1}, chart.Point{X: 20.0 / 15, Y: 2}, chart.Point{X: 20.0 / 11, Y: 7}, chart.Point{X: 2, Y: 7})
	if ranked(nil, 5) != nil {
		t.Error("no steps have points")
	}
}

func TestQuantileOf(t *testing.T) {
	steps := []step{{1, 5}, {2, 9}, {7, 10}}
	for q, want := range map[float64]float64{0: 1, 0.5: 1, 0.51: 2, 0.9: 2, 0.91: 7, 1: 7} {
		if got := quantileOf(steps, q); float64(got) != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if quantileOf(nil, 0.5).Defined() {
		t.Error("a quantile of nothing has a value")
	}
}

// TestSpectrumAgrees: the curve is where the table of the same run says.
func TestSpectrumAgrees(t *testing.T) {
	d := loadRun(t, "steady")
	response, err := steps(d, "response", &d.Summary.Time.Response)
	if err != nil {
		t.Fatal(err)
	}
	s := &d.Summary.Time.Response
	for q, want := range map[float64]float64{0: float64(s.Min), 0.5: float64(s.P50), 0.9: float64(s.P90), 0.99: float64(s.P99), 0.999: float64(s.P999), 1: float64(s.Max)} {
		if got := float64(quantileOf(response, q)); math.Abs(got-want) > 0.001*want+64e-9 {
			t.Errorf("p%g is %g, the table says %g", 100*q, got, want)
		}
	}
}
