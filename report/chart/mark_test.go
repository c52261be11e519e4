package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawnMarks is how many paths a mark's points become on a canvas of 100 × 100.
func drawnMarks(c Curve, plot func(Curve, draw.Canvas, []vg.Point), points ...vg.Point) int {
	s := newSVG(100, 100, true)
	plot(c, draw.New(s), points)
	return strings.Count(s.body.String(), "<path")
}

// TestScatter: points of the same X are all drawn, unless one hides another.
func TestScatter(t *testing.T) {
	gap := vg.Length(math.NaN())
	for want, points := range map[int][]vg.Point{
		0: {{X: 5, Y: gap}},
		1: {{X: 5, Y: 5}, {X: 5.2, Y: 5.3}},
		3: {{X: 5, Y: 5}, {X: 5, Y: 20}, {X: 5, Y: gap}, {X: 5, Y: 50}},
	} {
		if got := drawnMarks(Curve{Mark: Ring}, Curve.scatter, points...); got != want {
			t.Errorf("%v: %d rings, want %d", points, got, want)
		}
	}
}

// TestBands: each two points are a band, and what lies outside the area is none.
func TestBands(t *testing.T) {
	for want, points := range map[int][]vg.Point{
		0: {{X: -20}, {X: -10}, {X: 50}},
		1: {{X: -20}, {X: 10}},
		2: {{X: 10}, {X: 20}, {X: 90}, {X: 150}},
	} {
		if got := drawnMarks(Curve{Mark: Band}, Curve.bands, points...); got != want {
			t.Errorf("%v: %d bands, want %d", points, got, want)
		}
	}
}

// TestShift: marks of the same place stand beside each other.
func TestShift(t *testing.T) {
	at := func(shift float64) string {
		c := &Chart{X: Amounts(), Panels: []Panel{{Y: Amounts(), Curves: []Curve{{Ink: Blue, Mark: Arrow, Shift: shift, Points: []Point{{1, 1}, {2, 2}}}}}}}
		return Inline(c, 300, "")
	}
	if at(0) == at(5) {
		t.Error("a shift moves nothing")
	}
}
