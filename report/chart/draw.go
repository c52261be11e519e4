package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Distances of the layout, in points.
const (
	headGap    = 5  // below title and legend
	axisHeight = 20 // ticks' labels below the area for data
	panelGap   = 14
	edge       = 2
	tickRoomX  = 76 // for a label and the blank beside it
	tickRoomY  = 20
)

// height is how high the chart is when it is as wide as width.
func (c *Chart) height(width vg.Length) vg.Length {
	height := vg.Length(2*edge - panelGap)
	for i := range c.Panels {
		_, lines := c.Panels[i].legend(width - 2*edge)
		height += vg.Length(lines*lineHeight) + headGap + vg.Length(c.Panels[i].height()) + axisHeight + panelGap
	}
	if c.XTitle != "" {
		height += lineHeight
	}
	return height
}

// draw draws the chart over the whole of a canvas as high as height says. It
// returns the area for data of each panel, from the top.
func (c *Chart) draw(whole draw.Canvas) []vg.Rectangle {
	whole = draw.Crop(whole, edge, -edge, edge, -edge)
	canvases := c.split(whole)
	plots := c.plots(whole.Max.X - whole.Min.X)
	align(plots, canvases)
	areas := make([]vg.Rectangle, len(plots))
	for i, p := range plots {
		data := p.DataCanvas(canvases[i])
		areas[i] = data.Rectangle
		p.Draw(canvases[i])
		if _, _, any := c.Panels[i].bounds(); !any {
			s := style(Faint, labelSize)
			s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
			data.FillText(s, data.Center(), c.Panels[i].Note)
		}
	}
	if c.XTitle != "" {
		s := style(Faint, labelSize)
		s.XAlign = draw.XRight
		whole.FillText(s, vg.Point{X: whole.Max.X, Y: whole.Min.Y + 1}, c.XTitle)
	}
	return areas
}

// split draws the headings and returns the canvas of each panel's plot.
func (c *Chart) split(whole draw.Canvas) []draw.Canvas {
	var canvases []draw.Canvas
	for i := range c.Panels {
		below := c.Panels[i].heading(whole)
		below.Min.Y = below.Max.Y - vg.Length(c.Panels[i].height()) - axisHeight
		canvases = append(canvases, below)
		whole.Max.Y = below.Min.Y - panelGap
	}
	return canvases
}

// align gives all areas for data the same left and right end. An axis takes the
// room that its own labels need.
func align(plots []*plot.Plot, canvases []draw.Canvas) {
	var left, right vg.Length
	for i, p := range plots {
		data := p.DataCanvas(canvases[i])
		left = max(left, data.Min.X-canvases[i].Min.X)
		right = max(right, canvases[i].Max.X-data.Max.X)
	}
	for i, p := range plots {
		data := p.DataCanvas(canvases[i])
		canvases[i].Min.X += left - (data.Min.X - canvases[i].Min.X)
		canvases[i].Max.X -= right - (canvases[i].Max.X - data.Max.X)
	}
}

func (c *Chart) plots(width vg.Length) []*plot.Plot {
	x := c.X
	least, most, any := c.reach()
	x.spread(least, most, any)
	plots := make([]*plot.Plot, len(c.Panels))
	for i := range c.Panels {
		plots[i] = c.Panels[i].plot(&x, width)
	}
	return plots
}

// reach are the least and the greatest X of all points and columns.
func (c *Chart) reach() (least, most float64, any bool) {
	note := func(x float64) {
		if !c.X.on(x) {
			return
		}
		if !any {
			least, most, any = x, x, true
		}
		least, most = min(least, x), max(most, x)
	}
	for _, p := range c.Panels {
		for _, curve := range p.Curves {
			for _, at := range curve.Points {
				note(at.X)
			}
		}
	}
	for _, column := range c.Columns {
		note(column.From)
		note(column.To)
	}
	return least, most, any
}

// plot is the panel as gonum draws it: axes, grid and curves, without a title.
func (p *Panel) plot(x *Axis, width vg.Length) *plot.Plot {
	y := p.Y
	y.spread(p.bounds())
	g := plot.New()
	g.BackgroundColor = nil
	dress(&g.X, x, int(width/tickRoomX))
	dress(&g.Y, &y, int(p.height()/tickRoomY))
	for _, c := range p.Curves {
		if c.Mark == Band {
			g.Add(drawing{c, x, &y})
		}
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: Grid, Width: 1}
	grid.Vertical = grid.Horizontal
	g.Add(grid)
	for _, c := range p.Curves {
		if c.Mark != Band {
			g.Add(drawing{c, x, &y})
		}
	}
	return g
}

// dress gives an axis of a plot its range, its ticks and its looks.
func dress(a *plot.Axis, from *Axis, room int) {
	a.Min, a.Max, a.Scale = from.Min, from.Max, from.scale()
	a.Padding = 0
	a.LineStyle = draw.LineStyle{Color: Grey, Width: 1}
	a.Tick.LineStyle = a.LineStyle
	a.Tick.Length = 4
	a.Tick.Marker = plot.TickerFunc(func(least, most float64) []plot.Tick { return from.ticks(least, most, room) })
	label := style(Faint, labelSize-1)
	label.XAlign, label.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
	a.Tick.Label = label
}
