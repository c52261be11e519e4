package report

import (
	"fmt"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// runsPage shows several runs beside each other: a table with a row for each, their
// response times over time and by percentile, and every doubt.
func runsPage(all []Labelled[*Document]) (*page, error) {
	command := labelCommand(all)
	all = shortened(all)
	charts, err := runCharts(all)
	if err != nil {
		return nil, err
	}
	first := all[0].Doc
	p := newPage(fmt.Sprintf("%s beside each other", plural(len(all), "run")), "first run", first.Version, first.StartedAt)
	p.Status, p.Heading, p.Answer = record.Valid, "Comparison", "How far single runs differ by chance alone is not known from them."
	p.Accounts, p.Tables = runLoads(all), runTables(all)
	p.Charts = []pageChart{
		drawn("Over time", charts[0], "Each second's own figures, by the time of the reply, since the start of each run."),
		drawn("By percentile", charts[1], "Response times of all requests: where a line ends in an arrow, the requests beyond it got no reply."),
	}
	for i := range all {
		d := all[i].Doc
		p.Findings = append(p.Findings, standing(d, lettered(i, all[i].Label))...)
		if d.Plan.Closed() {
			p.Findings = append(p.Findings, record.Finding{Text: letter(i) + ": " + whatItHides, Status: record.Valid})
		}
		doubts, _ := findingTexts(&d.Verdict)
		for _, missed := range Missed(d) {
			doubts = append(doubts, shown(missed))
		}
		p.addRun(d, lettered(i, all[i].Label), strings.ToUpper(string(d.Verdict.Status)), doubts)
	}
	for _, f := range p.Findings {
		p.Status = graver(p.Status, f.Status)
	}
	p.Environment, p.Command, p.CommandNote = environmentsOf(all), command, overlayNote
	return p, nil
}

// standing is a finding if a run's figures are in doubt: which run, and the gravest.
func standing(d *Document, name string) []record.Finding {
	if d.Verdict.Status == record.Valid {
		return nil
	}
	text := name + ": " + strings.ToUpper(string(d.Verdict.Status))
	if len(d.Verdict.Findings) > 0 {
		text += ": " + shown(d.Verdict.Findings[0].Text)
	}
	return []record.Finding{{Text: clip(text, maxShown), Status: d.Verdict.Status}}
}

// graver is the one of two that says less for the figures.
func graver(a, b record.Status) record.Status {
	if a == record.Invalid || b == record.Invalid {
		return record.Invalid
	}
	if a == record.Suspect || b == record.Suspect {
		return record.Suspect
	}
	return a
}

// runLoads are what was offered in each run.
func runLoads(all []Labelled[*Document]) []pageRow {
	var rows []pageRow
	for i := range all {
		what, load := headline(all[i].Doc)
		rows = append(rows, pageRow{lettered(i, all[i].Label), [][]string{{clip(what, maxShown), load}}})
	}
	return rows
}

// runTables are what came of the loads.
func runTables(all []Labelled[*Document]) []pageTable {
	t := table{{"run", "offered /s", "sent", "replies", "goodput", "p50, ms", "p90", "p99", "p99.9", "max", "errors", "cores", "ms/reply", ""}}
	var runs []*Document
	for i := range all {
		d := all[i].Doc
		runs = append(runs, d)
		cells, times := loadCells(d), responseAllCells(d)
		row := append([]string{lettered(i, all[i].Label)}, cells[:4]...)
		row = append(row, times[3:8]...)
		t = append(t, append(append(row, cells[6:]...), strings.ToUpper(string(d.Verdict.Status))))
	}
	return []pageTable{newTable("Figures", t, figureNotes(runs)...)}
}

// environmentsOf are the documents' environments, each said once.
func environmentsOf(all []Labelled[*Document]) [][2]string {
	var rows [][2]string
	at := map[[2]string]int{}
	for i := range all {
		for _, row := range environmentRows(all[i].Doc) {
			if n, known := at[row]; known {
				rows[n][0] += " " + letter(i)
				continue
			}
			at[row] = len(rows)
			rows = append(rows, [2]string{row[0] + " " + letter(i), row[1]})
		}
	}
	return rows
}

// runsPicture is the plots of several runs.
func runsPicture(all []Labelled[*Document]) (*picture, error) {
	charts, err := runCharts(shortened(all))
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s beside each other", plural(len(all), "run"))
	title = markedEach(title, len(all), func(i int) string { return doubt(all[i].Doc) })
	return &picture{title, all[0].Doc.StartedAt, charts}, nil
}

// runCharts are the runs over time and by percentile.
func runCharts(all []Labelled[*Document]) ([]*chart.Chart, error) {
	if err := checkOverlay(len(all), "run"); err != nil {
		return nil, err
	}
	percentiles, err := spectra(all)
	if err != nil {
		return nil, err
	}
	return []*chart.Chart{runsOverTime(all), percentiles}, nil
}

func runsOverTime(all []Labelled[*Document]) *chart.Chart {
	names, letters := labels(all)
	c := &chart.Chart{X: chart.Seconds(), XTitle: "time since the start of each run, a step a second"}
	add := func(title string, y chart.Axis, height float64, figure func(*record.Interval) record.Number) {
		shownNames := letters
		if len(c.Panels) == 0 {
			shownNames = names
		}
		p := overlaid(title, y, height, shownNames, func(i int) []chart.Point { return eachSecond(all[i].Doc, figure) })
		if len(c.Panels) == 0 || drawsAny(p.Curves) {
			c.Panels = append(c.Panels, p)
		}
	}
	add("Response time, p99", chart.Spans(), mainPanel, func(v *record.Interval) record.Number { return v.P99 })
	add("Response time, p50", chart.Spans(), mainPanel, func(v *record.Interval) record.Number { return v.P50 })
	add("Replies per second", chart.Counts(), sidePanel, func(v *record.Interval) record.Number { return record.Number(v.Replies) })
	if anyFailed(all) {
		add("Errors per second", chart.Counts(), sidePanel, func(v *record.Interval) record.Number { return record.Number(v.Errors) })
	}
	add("Requests in flight", chart.Counts(), sidePanel, func(v *record.Interval) record.Number { return record.Number(v.InFlight) })
	add("Server's CPU, cores in use", chart.Amounts(), sidePanel, func(v *record.Interval) record.Number { return v.ServerCPU })
	return c
}

func anyFailed(all []Labelled[*Document]) bool {
	for i := range all {
		if all[i].Doc.Summary.Errors.Total > 0 {
			return true
		}
	}
	return false
}

// spectra are the response times of all requests by percentile. Failed requests
// rank above all replies.
func spectra(all []Labelled[*Document]) (*chart.Chart, error) {
	names, _ := labels(all)
	c := &chart.Chart{X: chart.Percentiles(), XTitle: "percentile p, on a scale of 1/(1-p)"}
	c.X.Max = 10
	points := make([][]chart.Point, len(all))
	var ends []chart.Curve
	for i := range all {
		t := &all[i].Doc.Summary.Time
		values, err := steps(all[i].Doc, "response", &t.Response)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown(all[i].Label), err)
		}
		n := max(t.ResponseAll.Count, t.Response.Count)
		points[i] = ranked(values, n)
		c.X.Max = max(c.X.Max, 1.25*float64(n))
		if last := len(points[i]) - 1; last >= 0 && n > t.Response.Count {
			ends = append(ends, chart.Curve{Ink: chart.Curves(len(all))[i], Mark: chart.Arrow, Points: points[i][last:]})
		}
	}
	p := overlaid("Response time by percentile", chart.Spans(), mainPanel+40, names, func(i int) []chart.Point { return points[i] })
	for i := range p.Curves {
		p.Curves[i].Mark = chart.Steps
	}
	p.Curves = append(p.Curves, ends...)
	c.Panels = []chart.Panel{p}
	return c, nil
}
