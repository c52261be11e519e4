package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ratebench/attack"
	"ratebench/attack/record"
	"ratebench/report"
)

// measure is the command without a name: one run. line is what was found in
// the command line before cli read it.
func (a *app) measure(c *cli.Context, line *commandLine) error {
	if c.Bool("version") {
		_, err := fmt.Fprintln(a.stdout, "ratebench", version())
		return err
	}
	s, err := readOptions(c)
	out, unwritable := openOutputs(s.files())
	if err := errors.Join(errors.Join(line.faults...), err, unwritable); err != nil {
		out.discard()
		return usageError{err}
	}
	defer out.discard()
	a.emergency.add(out.discard)
	return a.carryOut(c.Context, s, out)
}

// carryOut runs the plan and prints the report everywhere.
func (a *app) carryOut(ctx context.Context, s *settings, out *outputs) error {
	run, logged, err := a.offer(ctx, s, out)
	switch {
	case ctx.Err() != nil && (err != nil || run.Summary.Sent == 0):
		i, when := interruptOf(ctx), "before the first request"
		if err == nil && s.plan.Warmup > 0 {
			when = "in the warm-up: there is nothing to report"
		}
		return statusError{i.status(), fmt.Errorf("%w %s", i, when)}
	case err != nil:
		return err
	}
	document := report.New(version(), clientHost(), s.plan, run)
	unwritten := errors.Join(logged, a.print(document, s, out))
	if unwritten != nil && !run.Interrupted {
		return unwritten
	}
	return errors.Join(unwritten, judge(ctx, run)) // a terminal that closed takes its report along
}

// offer runs the plan. logged is what went wrong with the log of requests,
// which does not undo the run.
func (a *app) offer(ctx context.Context, s *settings, out *outputs) (run *record.Run, logged, err error) {
	var shown *progress
	if !s.quiet {
		shown = newProgress(a.stderr, s.plan)
	}
	defer shown.clear()
	hooks := attack.Hooks{Second: shown.second}
	if s.log == "" {
		run, err = a.attack(ctx, s.plan, hooks)
		return run, nil, err
	}
	last := len(s.outputs) // the log's place among the files
	hooks.Log, err = attack.NewLog(out.writer(last), s.logFormat, s.plan)
	if err != nil {
		return nil, nil, err
	}
	run, err = a.attack(ctx, s.plan, hooks)
	logged = out.write(last, func(io.Writer) error { return hooks.Log.Close() })
	return run, logged, err
}

// print writes the report to every file and to standard output. One that fails
// does not keep the others from their copy.
func (a *app) print(d *report.Document, s *settings, out *outputs) error {
	var errs []error
	for i, format := range s.formats {
		errs = append(errs, out.write(i, func(w io.Writer) error { return format(w, d) }))
	}
	errs = append(errs, out.commit())
	if err := buffered(a.stdout, func(w io.Writer) error { return s.format(w, d) }); err != nil {
		errs = append(errs, fmt.Errorf("writing the report: %w", err))
	}
	return errors.Join(errs...)
}

// judge is the exit status of a run that was reported, the gravest word first.
func judge(ctx context.Context, run *record.Run) error {
	switch {
	case run.Interrupted:
		i := interruptOf(ctx)
		return statusError{i.status(), fmt.Errorf("%w: the report covers what was done until then", i)}
	case run.Summary.Replies == 0:
		return fmt.Errorf("nothing answered: %d requests sent, no reply", run.Summary.Sent)
	case run.Verdict.Status == record.Invalid:
		return statusError{exitInvalid, fmt.Errorf("run INVALID: %s", reason(run.Verdict))}
	}
	return nil
}

func reason(v record.Verdict) string {
	if len(v.Findings) == 0 {
		return "the client was the limit"
	}
	return v.Findings[0].Text
}
