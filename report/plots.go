package report

import (
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report/chart"
)

// Heights of panels in points: the one that a run is read for, and the others.
const (
	mainPanel = 220
	sidePanel = 110
)

// overTime is the run second by second: response times, CPU, requests, errors and
// what was in flight. A panel of which nothing is known is left out.
func overTime(d *Document) *chart.Chart {
	c := &chart.Chart{X: chart.Seconds(), XTitle: "time since the start, a step a second", Columns: moments(d)}
	c.Panels = append(c.Panels, responsePanel(d))
	if cpu := cpuPanel(d); len(cpu.Curves) > 0 {
		c.Panels = append(c.Panels, cpu)
	}
	c.Panels = append(c.Panels, requestsPanel(d))
	if d.Summary.Errors.Total > 0 {
		c.Panels = append(c.Panels, errorsPanel(d))
	}
	c.Panels = append(c.Panels, inFlightPanel(d))
	markDrain(c, d)
	return c
}

// eachSecond is a figure of each second, from its beginning to its end.
func eachSecond(d *Document, figure func(*record.Interval) record.Number) []chart.Point {
	points := make([]chart.Point, 0, 2*len(d.Intervals))
	for i := range d.Intervals {
		from, y := float64(d.Intervals[i].T), float64(figure(&d.Intervals[i]))
		points = append(points, chart.Point{X: from, Y: y}, chart.Point{X: from + 1, Y: y})
	}
	return points
}

func responsePanel(d *Document) chart.Panel {
	p := chart.Panel{
		Title: "Response time", Y: chart.Spans(), Height: mainPanel, Note: "no replies",
		Curves: []chart.Curve{
			{Name: "max", Ink: chart.Grey, Width: 1, Points: eachSecond(d, func(v *record.Interval) record.Number { return v.Max })},
			{Name: "p99", Ink: chart.Orange, Points: eachSecond(d, func(v *record.Interval) record.Number { return v.P99 })},
			{Name: "p50", Ink: chart.Blue, Width: 2, Points: eachSecond(d, func(v *record.Interval) record.Number { return v.P50 })},
		},
	}
	if d.Summary.Errors.Total > 0 {
		p.Curves = append(p.Curves, chart.Curve{Name: "requests failed", Ink: chart.Vermillion, Mark: chart.Crest, Points: failedSeconds(d)})
	}
	return p
}

// failedSeconds are the seconds in which requests failed.
func failedSeconds(d *Document) []chart.Point {
	var points []chart.Point
	for i := range d.Intervals {
		if v := &d.Intervals[i]; v.Errors > 0 {
			points = append(points, chart.Point{X: float64(v.T) + 0.5, Y: float64(v.Errors)})
		}
	}
	return points
}

func requestsPanel(d *Document) chart.Panel {
	p := chart.Panel{
		Title: "Requests per second", Y: chart.Counts(), Height: sidePanel,
		Curves: []chart.Curve{
			{Name: "replies", Ink: chart.Blue, Width: 2, Points: eachSecond(d, func(v *record.Interval) record.Number { return record.Number(v.Replies) })},
		},
	}
	if d.Summary.Goodput.Count != d.Summary.Replies {
		p.Curves = append(p.Curves, chart.Curve{
			Name: "good replies, within " + secondsSpan(d.Summary.Goodput.Within), Ink: chart.Green,
			Points: eachSecond(d, func(v *record.Interval) record.Number { return record.Number(v.Good) }),
		})
	}
	p.Curves = append(p.Curves, chart.Curve{
		Name: dueName(d.Plan), Ink: chart.Text, Dash: chart.Dashed, Width: 1.2,
		Points: eachSecond(d, func(v *record.Interval) record.Number { return record.Number(v.Due) }),
	})
	return p
}

// dueName is what becomes of a request first: in a closed loop none is due before
// another has ended, and nothing is offered.
func dueName(p *plan.Plan) string {
	if p.Closed() {
		return "started"
	}
	return "due"
}

// errorsPanel stacks the classes that were met, the first of reports lowest: each
// curve is filled over the ones before it, which reach higher.
func errorsPanel(d *Document) chart.Panel {
	var met []record.Class
	for _, c := range record.ErrorClasses() {
		if d.Summary.Errors.Of(c) > 0 {
			met = append(met, c)
		}
	}
	inks := []chart.Ink{chart.Vermillion, chart.Sky, chart.Purple, chart.Green, chart.Orange, chart.Blue, chart.Grey, chart.Text}
	p := chart.Panel{Title: "Errors per second", Y: chart.Counts(), Height: sidePanel}
	for n := len(met); n > 0; n-- {
		p.Curves = append(p.Curves, chart.Curve{
			Name: met[n-1].String(), Ink: inks[(n-1)%len(inks)], Mark: chart.Area, Width: 1,
			Points: eachSecond(d, func(v *record.Interval) record.Number {
				sum := uint64(0)
				for _, c := range met[:n] {
					sum += v.ByClass[c.Key()]
				}
				return record.Number(sum)
			}),
		})
	}
	return p
}

// inFlightPanel shows what was in flight when each second ended.
func inFlightPanel(d *Document) chart.Panel {
	points := []chart.Point{{}}
	for i := range d.Intervals {
		v := &d.Intervals[i]
		points = append(points, chart.Point{X: float64(v.T) + 1, Y: float64(v.InFlight)})
	}
	return chart.Panel{
		Title: "Requests in flight", Y: chart.Counts(), Height: sidePanel,
		Curves: []chart.Curve{{Ink: chart.Blue, Points: points}},
	}
}

// markDrain marks the end of the arrival window where seconds follow in which
// nothing was due any more: a falling curve there is not the server's doing.
func markDrain(c *chart.Chart, d *Document) {
	n, window := len(d.Intervals), d.Summary.Window
	if n == 0 || !window.Defined() || d.Intervals[n-1].T < window {
		return
	}
	for i := range c.Panels {
		mark := chart.Curve{Ink: chart.Text, Dash: chart.Dotted, Width: 1, Mark: chart.Upright, Points: []chart.Point{{X: float64(window)}}}
		if i == 0 {
			mark.Name = "no more " + dueName(d.Plan)
		}
		c.Panels[i].Curves = append(c.Panels[i].Curves, mark)
	}
}
