package report

import (
	"math"
	"slices"

	"ratebench/attack/plan"
	"ratebench/report/chart"
)

// offeredTitle is what stands below an axis of offered rates.
const offeredTitle = "offered rate, requests/s"

// arrowShift parts arrows of the same height, in points.
const arrowShift = 5

// offeredAxis reaches from 0 to somewhat beyond the highest rate.
func offeredAxis(highest float64) chart.Axis {
	x := chart.Amounts()
	x.Max = 1.04 * highest
	return x
}

// chart is the runs over the offered rate: replies, response times, outcomes, and
// the server's CPU if that is known. marks are in all panels.
func (l *loads) chart(marks ...chart.Curve) *chart.Chart {
	c := &chart.Chart{X: offeredAxis(l.highest()), XTitle: offeredTitle, Columns: l.told()}
	c.Panels = []chart.Panel{l.replyPanel(), l.timePanel(), l.outcomePanel()}
	for _, p := range []chart.Panel{l.corePanel(), l.costPanel()} {
		if drawsAny(p.Curves) {
			c.Panels = append(c.Panels, p)
		}
	}
	for i := range c.Panels {
		for _, mark := range marks {
			if i > 0 {
				mark.Name = "" // once in the legend is enough
			}
			c.Panels[i].Curves = append(c.Panels[i].Curves, mark)
		}
	}
	return c
}

// drawsAny says whether any of the curves has a point to draw.
func drawsAny(curves []chart.Curve) bool {
	for _, c := range curves {
		for _, at := range c.Points {
			if !math.IsNaN(at.Y) {
				return true
			}
		}
	}
	return false
}

// lines are the medians of a figure, with the single runs behind them.
func (l *loads) lines(median chart.Curve, of figureOf) []chart.Curve {
	median.Dots, median.Points = true, l.medians(of)
	return []chart.Curve{{Ink: median.Ink, Mark: chart.Ring, Points: l.singles(of)}, median}
}

// invalid marks the runs that no median stands for.
func (l *loads) invalid(name string, of figureOf) []chart.Curve {
	if len(l.spoilt) == 0 {
		return nil
	}
	return []chart.Curve{{Name: name, Ink: chart.Text, Mark: chart.Plus, Points: l.pluses(of)}}
}

func (l *loads) replyPanel() chart.Panel {
	p := chart.Panel{Title: "Requests per second", Y: chart.Amounts(), Height: mainPanel}
	p.Curves = append(p.Curves, chart.Curve{
		Name: "offered", Ink: chart.Text, Dash: chart.Dashed, Width: 1.2, Points: []chart.Point{{}, {X: l.highest(), Y: l.highest()}},
	})
	p.Curves = append(p.Curves, l.lines(chart.Curve{Name: "replies", Ink: chart.Blue, Width: 2.4}, replyRate)...)
	p.Curves = append(p.Curves, l.lines(chart.Curve{Name: "good replies", Ink: chart.Green, Dash: chart.Dashed, Width: 1.4}, goodputRate)...)
	if len(l.singles(replyRate)) > 0 {
		p.Curves = append(p.Curves, chart.Curve{Name: "single runs, the lines being their medians", Ink: chart.Grey, Mark: chart.Ring})
	}
	if len(l.judged) > 0 { // each run has a mark of its own
		for i := range p.Curves {
			p.Curves[i].Dots = false
		}
		p.Curves = slices.DeleteFunc(p.Curves, func(c chart.Curve) bool { return c.Mark == chart.Ring })
		p.Curves = append(p.Curves, l.judged...)
	}
	p.Curves = append(p.Curves, l.invalid("run that is INVALID or interrupted", replyRate)...)
	return p
}

func (l *loads) timePanel() chart.Panel {
	p := chart.Panel{Title: "Response time of all requests", Y: chart.Spans(), Height: mainPanel, Note: "no replies"}
	p.Curves = append(p.Curves, l.lines(chart.Curve{Name: "p99", Ink: chart.Orange, Dash: chart.Dashed, Width: 2}, slowTime)...)
	p.Curves = append(p.Curves, l.lines(chart.Curve{Name: "p50", Ink: chart.Blue, Width: 2}, medianTime)...)
	slow, median := l.beyond(slowTime), l.beyond(medianTime)
	if len(slow) > 0 {
		p.Curves = append(p.Curves, limitLine(l),
			chart.Curve{Name: "p99 above that, or failed", Ink: chart.Orange, Mark: chart.Arrow, Shift: arrowShift, Points: slow})
	}
	if len(median) > 0 {
		p.Curves = append(p.Curves,
			chart.Curve{Name: "p50 above that, or failed", Ink: chart.Blue, Mark: chart.Arrow, Shift: -arrowShift, Points: median})
	}
	p.Curves = append(p.Curves, l.invalid("p99 of an INVALID run", slowTime)...)
	return p
}

// limitLine is where requests are given up, the same in all runs.
func limitLine(l *loads) chart.Curve {
	limit := timeout(l).Std()
	return chart.Curve{
		Name: "timeout " + span(limit), Ink: chart.Grey, Dash: chart.Dotted, Width: 1.2,
		Points: []chart.Point{{X: 0, Y: limit.Seconds()}, {X: l.highest(), Y: limit.Seconds()}},
	}
}

func timeout(l *loads) plan.Seconds {
	for _, at := range l.at {
		for _, d := range at.good {
			return d.Plan.Timeout
		}
	}
	return 0
}

func (l *loads) corePanel() chart.Panel {
	p := chart.Panel{Title: "CPU, cores in use", Y: chart.Amounts(), Height: sidePanel}
	if drawsAny([]chart.Curve{{Points: l.medians(serverCores)}}) {
		p.Curves = l.lines(chart.Curve{Name: "server", Ink: chart.Blue, Width: 2}, serverCores)
	}
	p.Curves = append(p.Curves, chart.Curve{Name: "client", Ink: chart.Text, Width: 1, Points: l.medians(clientCores)})
	return p
}

func (l *loads) costPanel() chart.Panel {
	return chart.Panel{
		Title: "Server's CPU time for a reply, ms", Y: chart.Amounts(), Height: sidePanel,
		Curves: l.lines(chart.Curve{Ink: chart.Blue, Width: 2}, cpuMillis),
	}
}
