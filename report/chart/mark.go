package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks draws one mark in each column that has a point, at the greatest.
func (c Curve) marks(area draw.Canvas, columns [][]vg.Point) {
	for _, line := range columns {
		for len(line) > 0 {
			n := sameColumn(line, markColumn)
			top := line[0]
			for _, at := range line[:n] {
				if at.Y > top.Y {
					top = at
				}
			}
			c.mark(area, top)
			line = line[n:]
		}
	}
}

// scatter draws a mark at each point but for those that others would hide.
func (c Curve) scatter(area draw.Canvas, points []vg.Point) {
	type cell struct{ x, y float64 }
	taken := map[cell]bool{}
	for _, at := range points {
		if math.IsNaN(float64(at.Y)) {
			continue
		}
		within := cell{math.Floor(float64(at.X)), math.Floor(float64(at.Y))}
		if !taken[within] {
			c.mark(area, at)
		}
		taken[within] = true
	}
}

// bands fills between the X of each two points. What lies outside is cut off.
func (c Curve) bands(area draw.Canvas, points []vg.Point) {
	for ; len(points) > 1; points = points[2:] {
		left, right := max(points[0].X, area.Min.X), min(points[1].X, area.Max.X)
		if left < right {
			area.FillPolygon(c.Ink, []vg.Point{
				{X: left, Y: area.Min.Y}, {X: left, Y: area.Max.Y}, {X: right, Y: area.Max.Y}, {X: right, Y: area.Min.Y},
			})
		}
	}
}

func (c Curve) mark(area draw.Canvas, at vg.Point) {
	const r = markSize
	style := draw.LineStyle{Color: c.Ink, Width: 1.4}
	switch c.Mark {
	case Ring:
		style.Width = 1
		area.StrokeLines(style, disc(at, ringSize))
	case Plus:
		area.StrokeLine2(style, at.X-r-1, at.Y, at.X+r+1, at.Y)
		area.StrokeLine2(style, at.X, at.Y-r-1, at.X, at.Y+r+1)
	case Arrow:
		area.StrokeLines(style,
			[]vg.Point{{X: at.X, Y: at.Y - r}, {X: at.X, Y: at.Y + 2*r}},
			[]vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + 2*r}, {X: at.X + r, Y: at.Y}})
	case Upright:
		area.StrokeLine2(c.style(), at.X, area.Min.Y, at.X, area.Max.Y)
	case Cross, Crest:
		area.StrokeLines(style,
			[]vg.Point{{X: at.X - r, Y: at.Y - r}, {X: at.X + r, Y: at.Y + r}},
			[]vg.Point{{X: at.X - r, Y: at.Y + r}, {X: at.X + r, Y: at.Y - r}})
	default: // larger on a thicker line, so that of dots at one place all can be seen
		area.FillPolygon(c.Ink, disc(at, c.width()+1))
	}
}

func (c Curve) dot(area draw.Canvas, at vg.Point) {
	if c.Dots {
		c.mark(area, at)
		return
	}
	area.FillPolygon(c.Ink, []vg.Point{
		{X: at.X - dotSize, Y: at.Y}, {X: at.X, Y: at.Y + dotSize},
		{X: at.X + dotSize, Y: at.Y}, {X: at.X, Y: at.Y - dotSize},
	})
}

// disc is a closed line around a place, of as many corners as the eye takes for round.
func disc(at vg.Point, radius vg.Length) []vg.Point {
	const corners = 10
	round := make([]vg.Point, corners+1)
	for i := range round {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		round[i] = vg.Point{X: at.X + radius*vg.Length(cos), Y: at.Y + radius*vg.Length(sin)}
	}
	return round
}

// sample draws the curve's sign in the legend, from left to right at height y.
func (c Curve) sample(area draw.Canvas, left, right, y vg.Length) {
	middle := vg.Point{X: (left + right) / 2, Y: y}
	switch c.Mark {
	case Ring, Cross, Plus, Crest, Arrow:
		c.mark(area, middle)
		return
	case Area, Band:
		area.FillPolygon(c.Ink, []vg.Point{{X: left, Y: y - 4}, {X: left, Y: y + 4}, {X: right, Y: y + 4}, {X: right, Y: y - 4}})
		return
	}
	area.StrokeLine2(c.style(), left, y, right, y)
	if c.Dots {
		c.mark(area, middle)
	}
}
