package report

import (
	"strconv"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// An outcome is something that becomes of requests; each request is in one.
type outcome struct {
	name string
	of   func(*Document) uint64
}

// outcomes are all that there are, the good last.
func outcomes() []outcome {
	var all []outcome
	for _, c := range record.ErrorClasses() {
		all = append(all, outcome{c.String(), func(d *Document) uint64 { return d.Summary.Errors.Of(c) }})
	}
	return append(all,
		outcome{"bad status", badStatus},
		outcome{"late", func(d *Document) uint64 { return without(d.Summary.Replies, d.Summary.Goodput.Count, badStatus(d)) }},
		outcome{"aborted or unsent", func(d *Document) uint64 { return d.Summary.Aborted + d.Summary.Unsent }},
		outcome{"good", func(d *Document) uint64 { return d.Summary.Goodput.Count }},
	)
}

// badStatus counts the replies of a status that the plan does not expect.
func badStatus(d *Document) uint64 {
	bad := uint64(0)
	for text, n := range d.Summary.Status {
		if code, err := strconv.Atoi(text); err != nil || !d.Plan.Expect.Has(code) {
			bad += n
		}
	}
	return bad
}

// without is all less parts, 0 if a damaged document has parts that are more than all.
func without(all uint64, parts ...uint64) uint64 {
	for _, part := range parts {
		all -= min(part, all)
	}
	return all
}

// share is the outcome's share of the planned requests of all runs together.
func (o *outcome) share(runs []*Document) float64 {
	part, whole := 0.0, 0.0
	for _, d := range runs {
		part, whole = part+float64(o.of(d)), whole+float64(d.Summary.Planned)
	}
	if whole == 0 {
		return 0
	}
	return part / whole
}

// met are the outcomes that any of the runs had.
func (l *loads) met() []outcome {
	var met []outcome
	for _, o := range outcomes() {
		for _, at := range l.at {
			if o.share(at.good) > 0 {
				met = append(met, o)
				break
			}
		}
	}
	return met
}

// outcomePanel stacks the outcomes that were met, what went wrong lowest.
func (l *loads) outcomePanel() chart.Panel {
	y := chart.Amounts()
	y.Max = 100
	p := chart.Panel{Title: "Outcome of the requests, %", Y: y, Height: sidePanel, Note: "no run counts"}
	inks := []chart.Ink{chart.Vermillion, chart.Sky, chart.Purple, chart.Orange, chart.Green, chart.Blue, chart.Grey, chart.Text}
	met := l.met()
	for n := len(met); n > 0; n-- {
		ink := inks[(n-1)%len(inks)]
		if met[n-1].name == "good" {
			ink = chart.Wash
		}
		p.Curves = append(p.Curves, chart.Curve{Name: met[n-1].name, Ink: ink, Mark: chart.Area, Width: 1, Points: l.stacked(met[:n])})
	}
	return p
}

// stacked is the share of some outcomes together, in per cent.
func (l *loads) stacked(some []outcome) []chart.Point {
	var points []chart.Point
	for _, at := range l.at {
		sum := 0.0
		for _, o := range some {
			sum += 100 * o.share(at.good)
		}
		point := chart.Point{X: at.rate.PerSecond(), Y: min(sum, 100)}
		if len(at.good) == 0 {
			point = chart.Gap(point.X)
		}
		points = append(points, point)
	}
	return points
}
