package report

import (
	"math"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// Sizes of the plots of a comparison: on a page, of which three stand side by side,
// and a server's row.
const (
	thirdChart = 336
	serverRow  = 24
	nameWidth  = 16
)

// dotsNote explains the plots.
const dotsNote = "A filled dot differs from the baseline, a ring may be chance; the line is the median's interval of 95 %, + is one trial. " +
	"Servers are in the order of the rank. An axis does not begin at 0 where differences would be too small to see."

// plotted are the metrics drawn for a load: that of the rank first. One that is 0,
// unknown or beyond all replies everywhere is left out.
func (c *Comparison) plotted(load string) []compareMetric {
	rank := metricOf(c.Suite.Rank)
	all := []compareMetric{rank}
	for _, key := range []string{"response_p50", "response_p99", "cpu_per_reply", "reply_rate", "errors"} {
		if key != rank.key {
			all = append(all, metricOf(key))
		}
	}
	var drawn []compareMetric
	for _, m := range all {
		for _, r := range c.ranked(load, m.key) {
			if r.Median.Defined() && (r.Median > 0 || r.High > 0) {
				drawn = append(drawn, m)
				break
			}
		}
	}
	return drawn
}

// scale takes a value to the unit of the metric's title.
func (m *compareMetric) scale(v float64) float64 {
	switch m.unit {
	case unitSeconds:
		return v * 1e3
	case unitShare:
		return v * 100
	}
	return v
}

// dots are the servers' medians of a metric under a load, a row each.
func (c *Comparison) dots(load string, m compareMetric) *chart.Chart {
	all := c.ranked(load, m.key)
	names := make([]string, len(all))
	p := chart.Panel{Title: m.title, Height: float64(serverRow*len(all)) + 8, Note: "no values"}
	if m.share {
		p.Title += ", %"
	}
	var xs []float64
	for i, r := range all {
		names[i] = clip(shown(r.Server), nameWidth)
		if math.IsInf(float64(r.Median), 0) {
			names[i] = clip(shown(r.Server), nameWidth-6) + " " + c.beyondCell(r)
		}
		curves := c.row(r, &m, chart.At(i, len(all)))
		for _, curve := range curves {
			for _, at := range curve.Points {
				xs = append(xs, at.X)
			}
		}
		p.Curves = append(p.Curves, curves...)
	}
	p.Y = chart.Names(names)
	x := chart.Amounts()
	x.Min, x.Max = axisEnds(xs)
	return &chart.Chart{X: x, Panels: []chart.Panel{p}}
}

// row are the trials, the interval and the median of a server at height y.
func (c *Comparison) row(r *CompareResult, m *compareMetric, y float64) []chart.Curve {
	var single []chart.Point
	for _, v := range c.sample(m, r.Load, r.Server) {
		if record.Number(v).Defined() {
			single = append(single, chart.Point{X: m.scale(v), Y: y})
		}
	}
	curves := []chart.Curve{{Ink: chart.Grey, Mark: chart.Plus, Points: single}}
	if !r.Median.Defined() {
		return curves
	}
	ink, at := chart.Blue, chart.Point{X: m.scale(float64(r.Median)), Y: y}
	if r.Server == c.Suite.Baseline {
		ink = chart.Text
	} else if r.Differs {
		ink = chart.Vermillion
	}
	if r.Low.Defined() && r.High.Defined() {
		curves = append(curves, chart.Curve{Ink: ink, Width: 2.4, Points: []chart.Point{
			{X: m.scale(float64(r.Low)), Y: y}, {X: m.scale(float64(r.High)), Y: y},
		}})
	}
	if r.Differs {
		return append(curves, chart.Curve{Ink: ink, Dots: true, Points: []chart.Point{at}})
	}
	return append(curves, chart.Curve{Ink: ink, Mark: chart.Ring, Points: []chart.Point{at}})
}

// axisEnds are the ends of an axis for xs, with some room: from 0 unless they lie close
// together, and never so close that noise of a per cent fills it.
func axisEnds(xs []float64) (least, most float64) {
	if len(xs) == 0 {
		return 0, 1
	}
	least, most = xs[0], xs[0]
	for _, x := range xs {
		least, most = min(least, x), max(most, x)
	}
	room := 0.06 * max(most-least, 0.03*most)
	if least < 0.5*most {
		return 0, most + room
	}
	return least - room, most + room
}
