package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of what curves are made of, in points of length but for the last.
const (
	lineColumn = 1 // no two lines can be told apart that are closer
	markColumn = 5
	markSize   = 3
	dotSize    = 1.7
	ringSize   = 2.6
	dotRoom    = 10 // between dots of a line: closer ones hide it, and others
	barHalf    = 6
	piece      = 200 // points of a curve
)

// drawing is a curve on its axes, a plotter of gonum's.
type drawing struct {
	Curve
	x, y *Axis
}

// Plot draws the curve into area, the place for the data of p.
func (c drawing) Plot(area draw.Canvas, p *plot.Plot) {
	points := c.places(area, p)
	switch c.Mark {
	case Arrow, Crest, Upright:
		c.marks(area, thin(points, markColumn))
		return
	case Ring, Cross, Plus:
		c.scatter(area, points)
		return
	case Band:
		c.bands(area, points)
		return
	}
	for _, line := range thin(points, lineColumn) {
		if c.Mark == Area {
			line = bar(area, line)
			c.fill(area, line)
		}
		if len(line) == 1 {
			c.dot(area, line[0])
			continue
		}
		c.stroke(area, line)
		if c.Dots && roomy(line) {
			c.scatter(area, line)
		}
	}
}

// bar widens an area of one point, which has no width, to a bar around it.
func bar(area draw.Canvas, line []vg.Point) []vg.Point {
	if len(line) > 1 {
		return line
	}
	at := line[0]
	return []vg.Point{{X: max(at.X-barHalf, area.Min.X), Y: at.Y}, {X: min(at.X+barHalf, area.Max.X), Y: at.Y}}
}

// roomy says whether the points of a line are far enough apart to be marked.
func roomy(line []vg.Point) bool {
	last := len(line) - 1
	return line[last].X-line[0].X >= dotRoom*vg.Length(last)
}

// stroke draws the line in pieces that share their ends: what gonum makes a PNG
// with takes time by the square of a path's length.
func (c Curve) stroke(area draw.Canvas, line []vg.Point) {
	for len(line) > 1 {
		n := min(len(line), piece)
		area.StrokeLines(c.style(), line[:n])
		line = line[n-1:]
	}
}

// fill fills what is below the line. A spike narrower than a pixel is faint in it
// and needs the line too.
func (c Curve) fill(area draw.Canvas, line []vg.Point) {
	first, last := line[0], line[len(line)-1]
	below := []vg.Point{{X: last.X, Y: area.Min.Y}, {X: first.X, Y: area.Min.Y}}
	area.FillPolygon(c.Ink, append(append([]vg.Point{}, line...), below...))
}

// places are the curve's points on the canvas; a gap has no Y, and what has no X
// is left out.
func (c drawing) places(area draw.Canvas, p *plot.Plot) []vg.Point {
	x, y := p.Transforms(&area)
	places := make([]vg.Point, 0, len(c.Points))
	for _, at := range c.Points {
		if !c.x.on(at.X) {
			continue
		}
		place := vg.Point{X: x(at.X), Y: vg.Length(math.NaN())}
		place.X += vg.Length(c.Shift)
		switch {
		case c.Mark.placeless():
			place.Y = area.Max.Y - markSize - 1
		case !c.y.on(at.Y):
		default:
			place.Y = min(max(y(at.Y), area.Min.Y), area.Max.Y)
		}
		if n := len(places); c.Mark == Steps && n > 0 && !math.IsNaN(float64(place.Y)) {
			places = append(places, vg.Point{X: place.X, Y: places[n-1].Y})
		}
		places = append(places, place)
	}
	return places
}

func (c Curve) width() vg.Length {
	if c.Width == 0 {
		return 1.6
	}
	return vg.Length(c.Width)
}

func (c Curve) style() draw.LineStyle {
	s := draw.LineStyle{Color: c.Ink, Width: c.width()}
	switch c.Dash {
	case Dashed:
		s.Dashes = []vg.Length{6, 3}
	case Dotted:
		s.Dashes = []vg.Length{1.5, 2.5}
	case DashDotted:
		s.Dashes = []vg.Length{7, 2.5, 1.5, 2.5}
	}
	return s
}
