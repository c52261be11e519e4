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

// paths are how many paths of an ink a curve becomes in a picture of that width.
func paths(c Curve, width float64) int {
	chart := &Chart{X: Amounts(), Panels: []Panel{{Y: Amounts(), Curves: []Curve{c}}}}
	return strings.Count(Inline(chart, width, ""), `"f4"`)
}

// TestDots: a line's points are marked where there is room, and none are where they
// would hide the line.
func TestDots(t *testing.T) {
	line := Curve{Ink: Blue, Dots: true}
	for i := range 50 {
		line.Points = append(line.Points, Point{float64(i), 1})
	}
	for width, want := range map[float64]int{1040: 50, 372: 0} {
		if got := paths(line, width); got != want {
			t.Errorf("%d dots on a width of %g, want %d", got, width, want)
		}
	}
}

// TestBar: an area of one point can be seen, in the midst of gaps too.
func TestBar(t *testing.T) {
	for _, points := range [][]Point{{{200, 3}}, {{0, 3}}, {Gap(100), {200, 3}, Gap(300)}} {
		if got := paths(Curve{Ink: Blue, Mark: Area, Points: points}, 372); got != 1 {
			t.Errorf("%v: %d bars, want 1", points, got)
		}
	}
	if got := paths(Curve{Ink: Blue, Mark: Area, Points: []Point{Gap(100), Gap(200)}}, 372); got != 0 {
		t.Errorf("%d bars of gaps", got)
	}
}
