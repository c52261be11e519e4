package report

import (
	"fmt"
	"math"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// whyTheyDiffer is said beside every plot of both times.
const whyTheyDiffer = "Response counts from when a request was due, service from when it was sent: " +
	"a request that could not be sent in time, because earlier ones held everything up, waits in the one and not in the other."

// A step is a value that so many requests, the first of all, did not exceed.
type step struct {
	value float64 // seconds
	upTo  uint64
}

// spectrum is the distribution of response and service times by percentile. An
// error says that a histogram of the document is missing or damaged.
func spectrum(d *Document) (*chart.Chart, error) {
	t := &d.Summary.Time
	response, err := steps(d, "response", &t.Response)
	if err != nil {
		return nil, err
	}
	service, err := steps(d, "service", &t.Service)
	if err != nil {
		return nil, err
	}
	c := &chart.Chart{X: chart.Percentiles(), XTitle: "percentile p, on a scale of 1/(1-p)", Panels: []chart.Panel{{
		Title: "Time by percentile", Y: chart.Spans(), Height: mainPanel + 40, Note: "no replies",
		Curves: []chart.Curve{
			{Name: "response", Ink: chart.Blue, Width: 2.4, Mark: chart.Steps, Points: ranked(response, t.Response.Count)},
			{Name: "service", Ink: chart.Orange, Dash: chart.Dashed, Mark: chart.Steps, Points: ranked(service, t.Service.Count)},
		},
	}}}
	if all := t.ResponseAll.Count; all > t.Response.Count && t.Response.Count > 0 {
		c.Panels[0].Curves = append(c.Panels[0].Curves, unanswered(response, d)...)
	}
	c.X.Max = max(10, 1.25*float64(max(t.ResponseAll.Count, t.Response.Count)))
	c.Columns = quantileColumns(c, response, service)
	return c, nil
}

// unanswered is the curve in which failed requests rank above all replies: it
// ends in an arrow where only failures are left.
func unanswered(response []step, d *Document) []chart.Curve {
	points := ranked(response, d.Summary.Time.ResponseAll.Count)
	return []chart.Curve{
		{Name: "response (all), failed from the arrow on", Ink: chart.Vermillion, Dash: chart.Dotted, Mark: chart.Steps, Points: points},
		{Ink: chart.Vermillion, Mark: chart.Arrow, Points: points[len(points)-1:]},
	}
}

// steps are the distinct values of a histogram of the document with the exact
// extremes of the summary.
func steps(d *Document, key string, s *record.Stats) ([]step, error) {
	text := d.Histograms[key]
	if s.Count == 0 {
		return nil, nil
	}
	if text == "" {
		return nil, fmt.Errorf("histogram %s: missing", key)
	}
	h, err := decodeHistogram(key, text)
	if err != nil {
		return nil, err
	}
	var all []step
	seen := uint64(0)
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		seen += uint64(bar.Count)
		value := min(max(float64(bar.To)/1e9, float64(s.Min)), float64(s.Max))
		all = append(all, step{value, seen})
	}
	return all, nil
}

// ranked are the steps over 1/(1−p) if n requests are all: the k-th smallest value
// holds from p = (k−1)/n on.
func ranked(steps []step, n uint64) []chart.Point {
	var points []chart.Point
	before := uint64(0)
	for _, s := range steps {
		points = append(points, chart.Point{X: float64(n) / float64(n-before), Y: s.value})
		before = s.upTo
	}
	if len(points) == 0 {
		return nil
	}
	end := 1.25 * float64(n) // the last request's own rank ends nowhere
	if before < n {
		end = float64(n) / float64(n-before)
	}
	return append(points, chart.Point{X: end, Y: points[len(points)-1].Y})
}

// quantileOf is the nearest-rank quantile q of the steps.
func quantileOf(steps []step, q float64) record.Number {
	if len(steps) == 0 {
		return record.Undefined()
	}
	rank := q * float64(steps[len(steps)-1].upTo)
	for _, s := range steps {
		if float64(s.upTo) >= rank*(1-1e-12) {
			return record.Number(s.value)
		}
	}
	return record.Number(steps[len(steps)-1].value)
}

// quantileColumns tell the times at ten percentiles for each nine.
func quantileColumns(c *chart.Chart, response, service []step) []chart.Column {
	const each = 10
	var columns []chart.Column
	for i := 0.0; math.Pow(10, i/each) < c.X.Max; i++ {
		from, to := math.Pow(10, i/each), math.Pow(10, (i+1)/each)
		q := 1 - 1/from
		decimals := int(i/each) + 1
		columns = append(columns, chart.Column{From: from, To: min(to, c.X.Max), Text: strings.Join([]string{
			fixed(100*q, decimals) + " %",
			"response " + seconds(quantileOf(response, q)),
			"service " + seconds(quantileOf(service, q)),
		}, "\n")})
	}
	return columns
}
