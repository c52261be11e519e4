package report

import (
	"fmt"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// medianNote is said wherever medians over runs are drawn.
const medianNote = "Lines join the medians of the runs at each rate. INVALID and interrupted runs are marked and are in none."

// cohortNote is said where replies and good replies are drawn over each other.
const cohortNote = "Replies are counted when they come, while requests are due; good replies are of the requests that were due then, " +
	"whenever they came: in a queue that grows they are more."

// sweepPage is a sweep for people: up to where the server kept up, the runs and
// their medians, plots over the offered rate, and every doubt.
func sweepPage(s *Sweep) (*page, error) {
	if len(s.Runs) == 0 {
		return newPage("sweep without a run", "sweep", s.Version, s.StartedAt), nil
	}
	first := s.Runs[0].Run
	what, _ := headline(first)
	p := newPage("sweep of "+what, "sweep", s.Version, s.StartedAt)
	p.Load = clip(shown(strings.Join(append([]string{s.asked()}, conditions(first.Plan)...), ", ")), maxShown)
	p.Status, p.Heading, p.Answer, p.Findings = record.Valid, "Result", s.served(), s.notes()
	if len(p.Findings) > 0 {
		p.Status = record.Suspect
	}
	p.Tables = append(p.Tables, newTable("Runs, in order of time", s.runTable(), figureNotes(s.ascending())...))
	if t := s.medianTable(); t != nil {
		p.Tables = append(p.Tables, newTable("Medians", t, "INVALID and interrupted runs are left out of medians; a median among failed requests is none"))
	}
	p.Charts = []pageChart{drawn("Over the offered rate", s.loads().chart(), medianNote, cohortNote)}
	for i := range s.Runs {
		r := &s.Runs[i]
		p.addRun(r.Run, fmt.Sprintf("%d: %s/s", i+1, grouped(r.Run.Plan.Rate.String())), r.mark(), r.doubts())
	}
	p.Environment, p.Command, p.CommandNote = environmentRows(first), clip(sweepCommand(s), maxShown), againNote
	return p, nil
}

// notes are what must be known of the whole sweep.
func (s *Sweep) notes() []record.Finding {
	var all []record.Finding
	note := func(text string) {
		all = append(all, record.Finding{Text: clip(shown(text), maxShown), Status: record.Suspect})
	}
	switch {
	case s.Failure != "":
		note("ended early: " + s.Failure)
	case s.Interrupted:
		note(fmt.Sprintf("interrupted in run %d of %d", len(s.Runs), len(s.Steps.List())))
	}
	if n := len(s.loads().spoilt); n > 0 {
		note(fmt.Sprintf("%d of %s INVALID or interrupted: the client was the limit there, or the run is not whole", n, plural(len(s.Runs), "run")))
	}
	return all
}

// sweepPicture is the sweep's plots over the offered rate.
func sweepPicture(s *Sweep) (*picture, error) {
	if len(s.Runs) == 0 {
		return &picture{"sweep without a run", s.StartedAt, []*chart.Chart{s.loads().chart()}}, nil
	}
	what, _ := headline(s.Runs[0].Run)
	title := "sweep of " + clip(what, 60) + titleGap + clip(s.served(), 90)
	return &picture{marked(endedEarly(s.Interrupted, s.Failure), title), s.StartedAt, []*chart.Chart{s.loads().chart()}}, nil
}
