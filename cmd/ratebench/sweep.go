package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/report"
)

// sweepCommand is "ratebench sweep": a run for each offered rate. Its action is
// set where the command line is known.
func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "one run for each of several offered rates",
		ArgsUsage: urlUsage,
		Description: "As in: ratebench sweep --from 100 --to 400 --step 50 http://127.0.0.1:8080/\n" +
			"Each run is a fresh measurement. --duration, --total and --objective are each run's.",
		Flags: sweepFlags(),
	}
}

// sweeping is what the options of sweep ask for.
type sweeping struct {
	settings
	sheet sheet[*report.Sweep]
	steps search.Steps
	pause *plan.Seconds
}

// readSweep reads the options of sweep; its error is every fault that is not in
// line already.
func readSweep(c *cli.Context, line *commandLine) (*sweeping, error) {
	r := newReader(c, line)
	s := &sweeping{}
	s.steps = r.readSteps()
	s.pause = r.readRuns()
	s.sheet = readSheet(r, report.SweepFormat, report.SweepFormatOf)
	s.steps.Seed = r.plan.Seed
	err := r.checkPlan()
	s.settings = r.settings
	return s, err
}

// readSteps reads which rates are offered, and checks them unless one cannot be read.
func (r *reader) readSteps() search.Steps {
	steps := search.Steps{Order: search.Up, Repeat: 1}
	before := len(r.faults)
	r.rate("from", &steps.From)
	r.rate("to", &steps.To)
	r.rate("step", &steps.Step)
	r.readFactor(&steps.Factor)
	if r.IsSet("rates") {
		for text := range strings.SplitSeq(r.String("rates"), ",") {
			rate, err := plan.ParseRate(strings.TrimSpace(text))
			if err != nil {
				r.fault("--rates: %w", err)
			}
			steps.Rates = append(steps.Rates, rate)
		}
	}
	valueless := r.valueless["from"] || r.valueless["to"] || r.valueless["step"] || r.valueless["factor"] || r.valueless["rates"]
	if len(r.faults) > before || valueless { // what is wrong with the rest follows from it
		one, _ := plan.ParseRate("1")
		steps = search.Steps{Rates: []plan.Rate{one}, Repeat: 1}
	}
	if len(steps.Rates) > 0 {
		steps.Order = search.Given
	}
	if r.IsSet("order") {
		steps.Order = r.readOrder()
	}
	if r.IsSet("repeat") {
		steps.Repeat = int(r.whole("repeat", 1, 10_000))
	}
	r.faults = append(r.faults, steps.Validate())
	return steps
}

// readOrder lets Validate say what there is.
func (r *reader) readOrder() search.Order {
	order := search.Order(r.String("order"))
	if order == search.Given { // a word of the document, not of the command line
		return "given "
	}
	return order
}

func (r *reader) readFactor(to *float64) {
	if !r.IsSet("factor") {
		return
	}
	factor, err := strconv.ParseFloat(r.String("factor"), 64)
	if err != nil {
		r.fault("--factor %q: want a number above 1, as in 1.5", r.String("factor"))
		return
	}
	*to = factor
}

// sweep offers one rate after the other and reports all runs.
func (a *app) sweep(c *cli.Context, line *commandLine) error {
	s, err := readSweep(c, line)
	out, err := a.opened(s.sheet.outputs, errors.Join(line.faults...), err)
	if err != nil {
		return err
	}
	defer out.discard()
	d, err := a.makeSweep(c.Context, s)
	if len(d.Runs) == 0 {
		return unbegun(c.Context, err)
	}
	return concluded(s.sheet.print(d, a.stdout, out), d.Interrupted, judgeSweep(c.Context, d))
}

// makeSweep makes the runs until the last or until something ends them, which is
// then noted in the document.
func (a *app) makeSweep(ctx context.Context, s *sweeping) (*report.Sweep, error) {
	d := &report.Sweep{
		Schema: report.SweepSchema, StartedAt: time.Now().UTC(), Version: version(),
		Steps: s.steps, Pause: s.pause, Runs: []report.SweepRun{},
	}
	t := &trials{app: a, settings: &s.settings, pause: s.pause}
	list := s.steps.List()
	for i, step := range list {
		made, err := t.next(ctx, s.planOf(step))
		if err != nil {
			d.Interrupted = errors.Is(err, errNothingSent)
			if !d.Interrupted {
				d.Failure = err.Error()
			}
			return d, err
		}
		d.Runs = append(d.Runs, report.SweepRun{Pass: step.Pass, Pause: made.pause, LeftOver: made.leftOver, Run: made.document})
		t.tell(fmt.Sprintf("run %d of %d  %s", i+1, len(list), told(made.document)))
		if made.run.Interrupted {
			d.Interrupted = true
			return d, nil
		}
	}
	return d, nil
}

// planOf is the plan of one run: a pass has arrivals of its own, so that repeats
// tell what chance does.
func (s *sweeping) planOf(step search.Step) *plan.Plan {
	p := *s.plan
	p.Rate = step.Rate
	p.Seed += uint64(step.Pass - 1)
	return &p
}

// judgeSweep is the exit status of a sweep that was reported, the gravest word first.
func judgeSweep(ctx context.Context, d *report.Sweep) error {
	var runs, invalid, missed []*report.Document
	for i := range d.Runs {
		run := d.Runs[i].Run
		runs = append(runs, run)
		if run.Verdict.Status == record.Invalid {
			invalid = append(invalid, run)
		} else if len(report.Missed(run)) > 0 {
			missed = append(missed, run)
		}
	}
	switch {
	case d.Interrupted:
		return interruptOf(ctx).says(untilThen)
	case d.Failure != "":
		return fmt.Errorf("ended early, after %d of %d runs: %s", len(runs), len(d.Steps.List()), d.Failure)
	case !answeredAny(runs):
		return fmt.Errorf("nothing answered in any of %d runs", len(runs))
	case len(invalid) > 0:
		return statusError{exitInvalid, fmt.Errorf("%d of %d runs INVALID, the first at %v/s: %s",
			len(invalid), len(runs), invalid[0].Plan.Rate, reason(invalid[0].Verdict))}
	case len(missed) > 0:
		return statusError{exitMissed, fmt.Errorf("objectives missed in %d of %d runs, first at %v/s: %s",
			len(missed), len(runs), missed[0].Plan.Rate, strings.Join(report.Missed(missed[0]), ", "))}
	}
	return nil
}
