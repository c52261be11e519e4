package report

import (
	"fmt"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// sweepsPage shows several sweeps beside each other: what each came to, the medians
// at each rate, plots over the offered rate, and every doubt.
func sweepsPage(all []Labelled[*Sweep]) (*page, error) {
	command := labelCommand(all)
	all = shortened(all)
	c, err := sweepsChart(all)
	if err != nil {
		return nil, err
	}
	first := all[0].Doc
	p := newPage(fmt.Sprintf("%s beside each other", plural(len(all), "sweep")), "first sweep", first.Version, first.StartedAt)
	p.Status, p.Heading = record.Valid, "Result"
	for i := range all {
		served := record.Finding{Text: lettered(i, all[i].Label) + ": " + clip(shown(all[i].Doc.served()), maxShown), Status: record.Valid}
		p.Findings = append(p.Findings, served)
		for _, note := range all[i].Doc.notes() {
			note.Text, p.Status = letter(i)+": "+note.Text, record.Suspect
			p.Findings = append(p.Findings, note)
		}
	}
	p.Accounts, p.Tables = sweepLoads(all), []pageTable{sweepTable(all)}
	p.Charts = []pageChart{drawn("Over the offered rate", c, medianNote+" Arrows: that percentile lies above the timeout, or among failed requests.", cohortNote)}
	for i := range all {
		for n := range all[i].Doc.Runs {
			r := &all[i].Doc.Runs[n]
			p.addRun(r.Run, fmt.Sprintf("%s %d: %s/s", letter(i), n+1, grouped(r.Run.Plan.Rate.String())), r.mark(), r.doubts())
		}
	}
	p.Environment, p.Command, p.CommandNote = environmentsOf(firstRuns(all)), command, overlayNote
	return p, nil
}

// firstRuns stand for their sweeps.
func firstRuns(all []Labelled[*Sweep]) []Labelled[*Document] {
	runs := make([]Labelled[*Document], 0, len(all))
	for i := range all {
		if len(all[i].Doc.Runs) > 0 {
			runs = append(runs, Labelled[*Document]{all[i].Label, all[i].Doc.Runs[0].Run})
		}
	}
	return runs
}

// sweepLoads are what was offered in each sweep.
func sweepLoads(all []Labelled[*Sweep]) []pageRow {
	var rows []pageRow
	for i := range all {
		s := all[i].Doc
		if len(s.Runs) == 0 {
			continue
		}
		d := s.Runs[0].Run
		what, _ := headline(d)
		load := shown(strings.Join(append([]string{s.asked()}, conditions(d.Plan)...), ", "))
		rows = append(rows, pageRow{lettered(i, all[i].Label), [][]string{{clip(what, maxShown), clip(load, maxShown)}}})
	}
	return rows
}

// sweepTable has a row for each rate of each sweep.
func sweepTable(all []Labelled[*Sweep]) pageTable {
	t := table{{"sweep", "offered /s", "runs", "replies", "goodput", "p50, ms", "p99, ms", "good", "cores", "ms/reply", ""}}
	for i := range all {
		for _, at := range all[i].Doc.byRate() {
			t = append(t, append([]string{letter(i)}, at.cells()...))
		}
	}
	return newTable("Medians at each rate", t, "replies and goodput are per second; p50 and p99 are response times of all requests",
		"INVALID and interrupted runs are left out of medians")
}

// cells are a rate's medians.
func (a *atRate) cells() []string {
	time := func(of figureOf) string {
		if a.lost(of) {
			return a.time(of)
		}
		return millis(middle(a.good, of))
	}
	good := "–"
	if len(a.good) > 0 {
		all := outcomes()
		good = percent(record.Number(all[len(all)-1].share(a.good)))
	}
	return []string{
		grouped(a.rate.String()), fmt.Sprintf("%d of %d", len(a.good), a.all),
		figureOrDash(middle(a.good, replyRate)), figureOrDash(middle(a.good, goodputRate)), time(medianTime), time(slowTime),
		good, figureOrDash(middle(a.good, serverCores)), millis(middle(a.good, cpuMillis) / 1000), "",
	}
}

// sweepsPicture is the plots of several sweeps.
func sweepsPicture(all []Labelled[*Sweep]) (*picture, error) {
	c, err := sweepsChart(shortened(all))
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s beside each other", plural(len(all), "sweep"))
	title = markedEach(title, len(all), func(i int) string { return endedEarly(all[i].Doc.Interrupted, all[i].Doc.Failure) })
	return &picture{title, all[0].Doc.StartedAt, []*chart.Chart{c}}, nil
}

// sweepsChart has one panel for each figure, so that colour and pattern are free to
// tell the sweeps apart.
func sweepsChart(all []Labelled[*Sweep]) (*chart.Chart, error) {
	if err := checkOverlay(len(all), "sweep"); err != nil {
		return nil, err
	}
	o := &sweepOverlay{}
	o.names, o.letters = labels(all)
	for i := range all {
		o.loads = append(o.loads, all[i].Doc.loads())
	}
	highest := 0.0
	for _, l := range o.loads {
		highest = max(highest, l.highest())
	}
	c := &chart.Chart{X: offeredAxis(highest), XTitle: offeredTitle}
	c.Panels = []chart.Panel{
		o.goodPanel(highest),
		o.panel("Replies per second", chart.Amounts(), sidePanel, replyRate),
		o.timePanel("Response time of all requests, p50", medianTime),
		o.timePanel("Response time of all requests, p99", slowTime),
		o.notGoodPanel(),
	}
	for _, p := range []chart.Panel{
		o.panel("Server's CPU, cores in use", chart.Amounts(), sidePanel, serverCores),
		o.panel("Server's CPU time for a reply, ms", chart.Amounts(), sidePanel, cpuMillis),
	} {
		if drawsAny(p.Curves) {
			c.Panels = append(c.Panels, p)
		}
	}
	return c, nil
}

// sweepOverlay is several sweeps, ready to be drawn.
type sweepOverlay struct {
	names, letters []string
	loads          []*loads
}

func (o *sweepOverlay) panel(title string, y chart.Axis, height float64, of figureOf) chart.Panel {
	p := overlaid(title, y, height, o.letters, func(i int) []chart.Point { return o.loads[i].medians(of) })
	for i := range p.Curves {
		p.Curves[i].Dots = true
	}
	for i, l := range o.loads {
		for _, spoilt := range l.invalid("", of) {
			spoilt.Ink = p.Curves[i].Ink
			p.Curves = append(p.Curves, spoilt)
		}
	}
	return p
}

// goodPanel is the first: its legend has whole names, and what all panels share.
func (o *sweepOverlay) goodPanel(highest float64) chart.Panel {
	p := o.panel("Good replies per second", chart.Amounts(), mainPanel, goodputRate)
	spoilt := 0
	for i, l := range o.loads {
		p.Curves[i].Name = o.names[i]
		spoilt += len(l.spoilt)
	}
	offered := chart.Curve{Name: "offered", Ink: chart.Grey, Dash: chart.Dotted, Width: 1.2, Points: []chart.Point{{}, {X: highest, Y: highest}}}
	p.Curves = append([]chart.Curve{offered}, p.Curves...)
	if spoilt > 0 {
		p.Curves = append(p.Curves, chart.Curve{Name: "run that is INVALID or interrupted", Ink: chart.Text, Mark: chart.Plus})
	}
	return p
}

func (o *sweepOverlay) timePanel(title string, of figureOf) chart.Panel {
	p := o.panel(title, chart.Spans(), mainPanel, of)
	for i, l := range o.loads {
		if points := l.beyond(of); len(points) > 0 {
			shift := arrowShift * (float64(i) - float64(len(o.loads)-1)/2)
			p.Curves = append(p.Curves, chart.Curve{Ink: p.Curves[i].Ink, Mark: chart.Arrow, Shift: shift, Points: points})
		}
	}
	return p
}

// notGoodPanel is the share of requests that got no good reply.
func (o *sweepOverlay) notGoodPanel() chart.Panel {
	all := outcomes()
	return o.panel("Requests without a good reply, %", chart.Amounts(), sidePanel, func(d *Document) record.Number {
		return record.Number(100 * (1 - all[len(all)-1].share([]*Document{d})))
	})
}
