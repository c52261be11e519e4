// Package chart draws curves over a shared axis, panels one above the other, as
// SVG, PNG and PDF. It knows nothing of runs.
//
// A Chart is plain data: numbers in base units and texts that are shown as they
// are. Lengths are points in files and CSS pixels on a page. Whatever the number
// of points, no more is drawn than the columns of the picture can show, and the
// least and the greatest value of each column are always among it.
package chart

import "math"

// Chart is a column of panels over one horizontal axis.
type Chart struct {
	X       Axis
	XTitle  string // below the lowest panel, with the unit; empty for none
	Panels  []Panel
	Columns []Column // what a page tells of a place under the pointer; may be empty
}

// Panel is one vertical axis and its curves.
type Panel struct {
	Title  string // what is shown, with the unit where the ticks do not say it
	Y      Axis
	Height float64 // of the area for data; 0 is 130
	Curves []Curve
	Note   string // stands in the middle if no curve has a point
}

// Curve is a series of points in order of X. A point whose Y is NaN, not above 0 on
// a logarithmic axis, or beyond 1e15, is a gap.
type Curve struct {
	Name   string // in the legend; empty keeps it out
	Ink    Ink
	Dash   Dash
	Width  float64 // of the line; 0 is 1.6
	Mark   Mark
	Dots   bool    // a Line's points are marked too, if there is room: each is a measurement
	Shift  float64 // to the right, in points of length: for marks that would hide each other
	Points []Point
}

// Point is a place in the units of the axes.
type Point struct{ X, Y float64 }

// Gap is a point that has no value at x.
func Gap(x float64) Point { return Point{x, math.NaN()} }

// Column is what there is to say of the X from From to To.
type Column struct {
	From, To float64
	Text     string // lines are broken at \n
}

// Mark is how a curve's points are shown. The zero value joins them by a line.
type Mark uint8

const (
	Line    Mark = iota // a point between two gaps is a dot
	Area                // a line, and filled from there to the bottom; a point between two gaps is a bar
	Steps               // a line that holds each Y until the next point's X
	Ring                // a small ring, not joined
	Cross               // ×, not joined
	Plus                // +, not joined
	Arrow               // ↑, not joined: the value is above this
	Crest               // ×, not joined, at the top of the panel whatever Y is
	Upright             // a line from the bottom to the top at each X, whatever Y is
	Band                // filled from the bottom to the top and from each odd point's X to the next one's, behind the grid
)

// placeless says whether Y does not matter.
func (m Mark) placeless() bool { return m == Crest || m == Upright || m == Band }

// Dash is the pattern of a line, so that curves differ without their colours.
type Dash uint8

const (
	Solid Dash = iota
	Dashed
	Dotted
	DashDotted
)

// Values beyond these have no place on an axis: floats of such a size cannot be
// counted up tick by tick, and a damaged document may hold any.
const (
	greatest = 1e15
	leastLog = 1e-12
)

// on says whether v has a place on the axis.
func (a *Axis) on(v float64) bool {
	return math.Abs(v) <= greatest && (!a.Log || v >= leastLog)
}

func (p *Panel) height() float64 {
	if p.Height > 0 {
		return p.Height
	}
	return 130
}

// bounds are the least and the greatest Y that is drawn; ok is false for none.
func (p *Panel) bounds() (least, most float64, ok bool) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, c := range p.Curves {
		for _, at := range c.Points {
			if p.Y.on(at.Y) && !c.Mark.placeless() {
				least, most, ok = min(least, at.Y), max(most, at.Y), true
			}
		}
	}
	return least, most, ok
}
