package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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
	s, err := readOptions(c, line)
	out, err := a.opened(s.files(), errors.Join(line.faults...), err)
	if err != nil {
		return err
	}
	defer out.discard()
	return a.carryOut(c.Context, s, out)
}

// carryOut runs the plan and prints the report everywhere.
func (a *app) carryOut(ctx context.Context, s *settings, out *outputs) error {
	watched := a.newServers(s.watching, s.plan)
	run, logged, err := a.offer(ctx, s, out, watched)
	records := watched.stop()
	switch {
	case ctx.Err() != nil && (err != nil || run.Summary.Sent == 0):
		when := beforeAll
		if err == nil && s.plan.Warmup > 0 {
			when = " in the warm-up: there is nothing to report"
		}
		return interruptOf(ctx).says(when)
	case err != nil:
		return err
	}
	document := report.New(version(), clientHost(), s.plan, run)
	watched.addTo(document, records)
	report.AddObjectives(document, s.objectives)
	unwritten := errors.Join(logged, s.sheet.print(document, a.stdout, out))
	return concluded(unwritten, run.Interrupted, judge(ctx, document))
}

// offer runs the plan and begins to watch the servers. logged is what went wrong
// with the log of requests, which does not undo the run.
func (a *app) offer(ctx context.Context, s *settings, out *outputs, watched *servers) (run *record.Run, logged, err error) {
	var shown *progress
	if !s.quiet {
		shown = newProgress(a.stderr, s.plan, watched.cores)
	}
	defer shown.clear()
	hooks := attack.Hooks{
		Ready:  watched.ready,
		Origin: func(origin time.Time) { shown.warm(origin); watched.start(origin) },
		Second: shown.second,
	}
	if s.log == "" {
		run, err = a.attack(ctx, s.plan, hooks)
		return run, nil, err
	}
	last := len(s.sheet.outputs) // the log's place among the files
	hooks.Log, err = attack.NewLog(out.writer(last), s.logFormat, s.plan)
	if err != nil {
		return nil, nil, err
	}
	run, err = a.attack(ctx, s.plan, hooks)
	logged = out.write(last, func(io.Writer) error { return hooks.Log.Close() })
	return run, logged, err
}

// judge is the exit status of a run that was reported, the gravest word first.
func judge(ctx context.Context, d *report.Document) error {
	missed := report.Missed(d)
	switch {
	case d.Interrupted:
		return interruptOf(ctx).says(untilThen)
	case d.Summary.Replies == 0:
		return fmt.Errorf("nothing answered: %d requests sent, no reply", d.Summary.Sent)
	case d.Verdict.Status == record.Invalid:
		return statusError{exitInvalid, fmt.Errorf("run INVALID: %s", reason(d.Verdict))}
	case len(missed) > 0:
		return statusError{exitMissed, fmt.Errorf("objective %s", strings.Join(missed, ", "))}
	}
	return nil
}

func reason(v record.Verdict) string {
	if len(v.Findings) == 0 {
		return "the client was the limit"
	}
	return v.Findings[0].Text
}
