package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/attack/search"
	"ratebench/report"
)

// Defaults of capacity.
const (
	defaultObjective = "p99<1s" // a second is what a user waits without losing the thread
	defaultFrom      = "10"     // a server that cannot serve that is not what this is for
)

// capacityCommand is "ratebench capacity": a search. Its action is set where the
// command line is known.
func capacityCommand() *cli.Command {
	return &cli.Command{
		Name:      "capacity",
		Usage:     "the highest rate that meets the objectives",
		ArgsUsage: urlUsage,
		Description: "As in: ratebench capacity --objective 'p99<250ms' http://127.0.0.1:8080/\n" +
			"Rates are doubled until one fails, then the gap is narrowed, and trials of full length decide: some\n" +
			"20 minutes, most of them at loads that the server can just bear, some beyond it.",
		Flags: capacityFlags(),
	}
}

// searching is what the options of capacity ask for.
type searching struct {
	settings
	sheet    sheet[*report.Capacity]
	goal     search.Goal
	criteria []plan.Objective
	pause    *plan.Seconds
}

// readCapacity reads the options of capacity; its error is every fault that is not
// in line already.
func readCapacity(c *cli.Context, line *commandLine) (*searching, error) {
	r := newReader(c, line)
	s := &searching{}
	s.goal = r.readGoal()
	s.pause = r.readRuns()
	s.goal.Seed = r.plan.Seed
	if r.plan.HTTP2 { // the server that does nothing does not speak it
		s.goal.Lengths.Ceiling = 0
	}
	s.criteria = r.readCriteria()
	s.sheet = readSheet(r, report.CapacityFormat, report.CapacityFormatOf)
	err := r.checkPlan()
	s.settings = r.settings
	s.objectives = nil // the search judges
	return s, err
}

func (r *reader) readGoal() search.Goal {
	goal := search.Thorough()
	if r.Bool("quick") {
		goal = search.Quick()
	}
	trial := goal.Lengths.Decide
	r.above0("trial", &trial, trial)
	goal.Lengths = goal.Lengths.Scaled(trial)
	goal.From, _ = plan.ParseRate(defaultFrom)
	before := len(r.faults)
	r.rate("from", &goal.From)
	r.rate("max", &goal.Most)
	if len(r.faults) == before {
		r.faults = append(r.faults, goal.Validate())
	}
	return goal
}

// readCriteria are what a rate has to meet.
func (r *reader) readCriteria() []plan.Objective {
	objectives := r.objectives
	if !r.IsSet("objective") {
		standard, _ := plan.ParseObjective(defaultObjective)
		objectives = []plan.Objective{standard}
	}
	criteria, err := search.Criteria(objectives)
	r.faults = append(r.faults, err)
	return criteria
}

// capacity searches and reports what was found.
func (a *app) capacity(c *cli.Context, line *commandLine) error {
	s, err := readCapacity(c, line)
	out, err := a.opened(s.sheet.outputs, errors.Join(line.faults...), err)
	if err != nil {
		return err
	}
	defer out.discard()
	d, err := a.searchCapacity(c.Context, s)
	if d == nil || len(d.Runs) == 0 {
		return unbegun(c.Context, err)
	}
	return concluded(s.sheet.print(d, a.stdout, out), d.Interrupted, judgeCapacity(c.Context, d))
}

// searchCapacity makes the trials that the search asks for, until it is over or
// something ends it, which is then noted in the document.
func (a *app) searchCapacity(ctx context.Context, s *searching) (*report.Capacity, error) {
	state, err := search.New(s.goal)
	if err != nil {
		return nil, err
	}
	d := &report.Capacity{
		Schema: report.CapacitySchema, StartedAt: time.Now().UTC(), Version: version(),
		Pause: s.pause, Criteria: s.criteria, Search: state, Runs: []report.CapacityRun{},
	}
	h := &hunt{trials: trials{app: a, settings: &s.settings, pause: s.pause}, document: d}
	defer h.end()
	for err == nil && !d.Interrupted {
		next, more := state.Next()
		if !more {
			break
		}
		err = h.try(ctx, next)
	}
	switch {
	case errors.Is(err, errNothingSent):
		d.Interrupted = true
	case err != nil:
		d.Failure = err.Error()
		state.BreakOff("the search ended early")
	}
	if d.Interrupted {
		state.BreakOff("interrupted")
	}
	d.Answer = state.Answer()
	return d, err
}

// judgeCapacity is the exit status of a search that was reported.
func judgeCapacity(ctx context.Context, d *report.Capacity) error {
	var runs []*report.Document
	for i := range d.Runs {
		if r := &d.Runs[i]; r.Trial > len(d.Search.Trials) || d.Search.Trials[r.Trial-1].Trial.Purpose != search.Ceiling {
			runs = append(runs, r.Run)
		}
	}
	switch {
	case d.Interrupted:
		return interruptOf(ctx).says(untilThen)
	case d.Failure != "":
		return fmt.Errorf("ended early, in trial %d: %s", len(d.Search.Trials)+1, d.Failure)
	case len(runs) > 0 && !answeredAny(runs):
		return fmt.Errorf("nothing answered in any of %d trials", len(runs))
	}
	switch d.Answer.Outcome {
	case search.Found, search.PassesHighest:
		return nil
	case search.ClientLimited:
		return statusError{exitInvalid, errors.New(d.Answer.String())}
	}
	return statusError{exitMissed, errors.New(d.Answer.String())}
}
