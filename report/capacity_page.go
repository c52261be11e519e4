package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/report/chart"
)

// capacityPage is a search for people: the answer and what it rests on, the trials
// over the offered rate, what the server does beyond, and every doubt.
func capacityPage(c *Capacity) (*page, error) {
	if len(c.Runs) == 0 {
		return newPage("capacity search without a trial", "search", c.Version, c.StartedAt), nil
	}
	load := c.load()
	what, _ := headline(load)
	p := newPage("capacity of "+what, "search", c.Version, c.StartedAt)
	p.Load = clip(shown(strings.Join(conditions(load.Plan), ", ")), maxShown)
	p.Status, p.Heading = c.standing(), "Result"
	p.Answer = clip(shown(c.Answer.String()+unconfirmed(&c.Answer)), maxShown)
	if text := interval(&c.Answer); text != "" {
		p.Findings = []record.Finding{{Text: text, Status: record.Valid}}
	}
	if c.Failure != "" {
		p.Findings = append(p.Findings, record.Finding{Text: clip(shown("ended early: "+c.Failure), maxShown), Status: record.Suspect})
	} else if c.Interrupted {
		p.Findings = append(p.Findings, record.Finding{Text: "interrupted before the search was over", Status: record.Suspect})
	}
	p.Accounts = c.answerRows()
	p.Charts = []pageChart{drawn("Over the offered rate", c.chart(), medianNote+" Trials against a server that does nothing are left out.", cohortNote)}
	p.Tables = []pageTable{newTable("Trials, in order of time", c.trialTable(), figureNotes(c.runs())...)}
	for i := range c.Runs {
		r := &c.Runs[i]
		label := fmt.Sprintf("%d %s, %s/s", r.Trial, c.purpose(r), grouped(r.Run.Plan.Rate.String()))
		doubts, _ := findingTexts(&r.Run.Verdict)
		p.addRun(r.Run, label, c.mark(r), doubts)
	}
	p.Environment, p.Command, p.CommandNote = environmentRows(load), clip(capacityCommand(c), maxShown), againNote
	return p, nil
}

// standing is how far the answer can be relied on.
func (c *Capacity) standing() record.Status {
	a := &c.Answer
	switch {
	case c.Failure != "" || c.Interrupted || a.Outcome == search.Unfinished:
		return record.Suspect
	case a.Confirmed && (a.Outcome == search.Found || a.Outcome == search.PassesHighest):
		return record.Valid
	}
	return record.Suspect
}

// answerRows are the text report's rows about the answer, but for those that the box has.
func (c *Capacity) answerRows() []pageRow {
	var b bytes.Buffer
	writeAnswer(&b, c)
	inBox := []string{"answer", "ended early"}
	return slices.DeleteFunc(pageRows(&b), func(r pageRow) bool { return slices.Contains(inBox, r.Label) })
}

// loads are the trials against the server that the search is about.
func (c *Capacity) loads() *loads {
	l := &loads{}
	var passed, missed []chart.Point
	for i := range c.Runs {
		r := &c.Runs[i]
		result := c.result(r)
		if result != nil && result.Trial.Purpose == search.Ceiling {
			continue
		}
		at := l.rate(r.Run)
		at.all++
		if result == nil || !result.Valid {
			l.spoilt = append(l.spoilt, r.Run)
			continue
		}
		at.good = append(at.good, r.Run)
		point := chart.Point{X: r.Run.Plan.Rate.PerSecond(), Y: float64(replyRate(r.Run))}
		if result.Passed() {
			passed = append(passed, point)
		} else {
			missed = append(missed, point)
		}
	}
	slices.SortStableFunc(l.at, func(a, b atRate) int { return cmp.Compare(a.rate.PerSecond(), b.rate.PerSecond()) })
	l.judged = []chart.Curve{
		{Name: "trial passed", Ink: chart.Text, Mark: chart.Ring, Points: ascending(passed)},
		{Name: "trial missed a criterion", Ink: chart.Vermillion, Mark: chart.Cross, Points: ascending(missed)},
	}
	return l
}

// rate is where the runs at d's rate are gathered.
func (l *loads) rate(d *Document) *atRate {
	at := slices.IndexFunc(l.at, func(a atRate) bool { return a.rate == d.Plan.Rate })
	if at < 0 {
		at = len(l.at)
		l.at = append(l.at, atRate{rate: d.Plan.Rate})
	}
	return &l.at[at]
}

func ascending(points []chart.Point) []chart.Point {
	slices.SortStableFunc(points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	return points
}

// chart has the answer's interval behind the trials.
func (c *Capacity) chart() *chart.Chart {
	a := &c.Answer
	if !a.Passes.Defined() || !a.Fails.Defined() {
		return c.loads().chart()
	}
	from, to := float64(a.Passes), float64(a.Fails)
	name := fmt.Sprintf("capacity: passes at %s/s, not at %s/s", figure(a.Passes), figure(a.Fails))
	ends := []chart.Point{{X: from}, {X: to}}
	return c.loads().chart(
		chart.Curve{Name: name, Ink: chart.Wash, Mark: chart.Band, Points: ends},
		chart.Curve{Ink: chart.Grey, Dash: chart.Dotted, Width: 1, Mark: chart.Upright, Points: ends},
	)
}

// capacityPicture is the search's plots over the offered rate.
func capacityPicture(c *Capacity) (*picture, error) {
	title := "capacity search without a trial"
	if len(c.Runs) > 0 {
		what, _ := headline(c.load())
		title = "capacity of " + clip(what, 60) + titleGap + clip(shown(c.Answer.String()), 90)
	}
	return &picture{marked(endedEarly(c.Interrupted, c.Failure), title), c.StartedAt, []*chart.Chart{c.chart()}}, nil
}
