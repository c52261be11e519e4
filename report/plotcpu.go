package report

import (
	"slices"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// cpuPanel has a curve for each watched server and one for the client.
func cpuPanel(d *Document) chart.Panel {
	p := chart.Panel{Title: "CPU, cores in use", Y: chart.Amounts(), Height: sidePanel}
	for i := range d.Server {
		s := &d.Server[i]
		if points := coreCurve(s.Samples); len(points) > 0 {
			p.Curves = append(p.Curves, chart.Curve{Name: serverName(s), Points: points})
		}
	}
	for i, ink := range chart.Curves(len(p.Curves)) {
		p.Curves[i].Ink = ink
	}
	client := eachSecond(d, func(v *record.Interval) record.Number { return v.ClientCPU })
	known := func(at chart.Point) bool { return record.Number(at.Y).Defined() }
	if slices.ContainsFunc(client, known) {
		p.Curves = append(p.Curves, chart.Curve{Name: "client", Ink: chart.Text, Width: 1, Points: client})
	}
	return p
}

// serverName is a watched server's name, short enough for a legend.
func serverName(s *Server) string { return clip(shown(s.title()), 44) }

// coreCurve is the cores that were used up to each reading, from the one before.
// Where a reading failed, the figure of the next is of the longer span.
func coreCurve(samples []ServerSample) []chart.Point {
	var points []chart.Point
	for i, s := range samples {
		from, to := float64(s.T)-1, float64(s.T)
		if i > 0 {
			from = float64(samples[i-1].T)
		}
		if s.Cores.Defined() && to > 0 {
			points = append(points, chart.Point{X: max(from, 0), Y: float64(s.Cores)}, chart.Point{X: to, Y: float64(s.Cores)})
		}
	}
	return points
}
