package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/report"
)

// trials makes runs against one server, one after the other. What one leaves
// behind must not be measured in the next: a run ends when nothing of it is in
// flight, and then the server is left alone for a while.
type trials struct {
	*app
	settings *settings
	pause    *plan.Seconds // between runs; nil leaves it to search.Settle

	last  *record.Summary // of the run before, nil before the first
	ended time.Time       // when it was over
}

// readRuns reads what all runs have in common, and the pause between them.
func (r *reader) readRuns() (pause *plan.Seconds) {
	pause = r.readPause()
	r.readLoad()
	r.plan.Rate, _ = plan.ParseRate("1") // stands for all until the runs are made
	return pause
}

// trial is one run and what was before it.
type trial struct {
	run      *record.Run
	document *report.Document
	pause    plan.Seconds // since the run before, 0 for the first
	leftOver uint64       // requests of the run before that were given up
}

// errNothingSent is the end of a trial that was interrupted before it began.
var errNothingSent = errors.New("interrupted before the first request")

// unbegun is the error of a command of which not one run was made for err.
func unbegun(ctx context.Context, err error) error {
	if errors.Is(err, errNothingSent) {
		return interruptOf(ctx).says(beforeAll)
	}
	return err
}

// next waits as long as it takes and makes the run of p. A run that is interrupted
// is returned all the same, if anything of it was sent.
func (t *trials) next(ctx context.Context, p *plan.Plan) (*trial, error) {
	made := &trial{}
	if t.last != nil {
		made.leftOver = search.LeftOver(t.last)
		if err := t.settle(ctx); err != nil {
			return nil, err
		}
		made.pause = plan.Seconds(time.Since(t.ended))
	}
	if err := t.perform(ctx, p, made, t.settings.watching); err != nil {
		return nil, err
	}
	t.last, t.ended = &made.run.Summary, time.Now()
	return made, nil
}

// settle waits until the next run may begin.
func (t *trials) settle(ctx context.Context) error {
	pause := search.Settle(t.last)
	if t.pause != nil {
		pause = *t.pause
	}
	left := time.Until(t.ended.Add(pause.Std()))
	if left > 2*time.Second {
		t.tell(fmt.Sprintf("a pause of %.0f s: the server may still be at work on what was given up", left.Seconds()))
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return errNothingSent
	case <-timer.C:
		return nil
	}
}

// perform makes one run, watched as w says, and fills in made. Hosts are reached
// anew for each, which takes a moment of the pause: a server that was restarted
// meanwhile is found again, and a link that is lost costs one run its figures.
func (t *trials) perform(ctx context.Context, p *plan.Plan, made *trial, w watching) error {
	s := *t.settings
	s.plan, s.log = p, ""
	watched := t.newServers(w, p)
	run, _, err := t.offer(ctx, &s, nil, watched)
	records := watched.stop()
	switch {
	case ctx.Err() != nil && (err != nil || run.Summary.Sent == 0):
		return errNothingSent
	case err != nil:
		return err
	}
	made.run, made.document = run, report.New(version(), clientHost(), p, run)
	watched.addTo(made.document, records)
	report.AddObjectives(made.document, s.objectives)
	return nil
}

// tell prints a line for people who look on. A terminal that takes nothing
// (Ctrl-S) must not hold up the runs: what it is too slow for comes late or never.
func (t *trials) tell(line string) {
	f, ok := t.stderr.(*os.File)
	if !ok || t.settings.quiet || !term.IsTerminal(int(f.Fd())) {
		return
	}
	written := make(chan struct{})
	go func() { // ends when the terminal takes the line
		defer close(written)
		_, _ = io.WriteString(f, line+"\n")
	}()
	select {
	case <-written:
	case <-time.After(clearing):
	}
}

// told is a run in a line.
func told(d *report.Document) string {
	s := &d.Summary
	load := d.Plan.Rate.String() + "/s"
	if d.Plan.Closed() {
		load = fmt.Sprintf("%d at once", d.Plan.Concurrency)
	}
	text := fmt.Sprintf("%s  replies %.4g/s  goodput %.4g/s", load, s.ReplyRate.Mean, s.Goodput.Rate)
	if all := &s.Time.ResponseAll; all.P50.Defined() && all.P99.Defined() {
		text += fmt.Sprintf("  p50 %.3g p99 %.3g ms", all.P50*1e3, all.P99*1e3)
	}
	if s.Errors.Total > 0 {
		text += fmt.Sprintf("  errors %d", s.Errors.Total)
	}
	if cpu, _ := report.CPUPerReply(d); cpu.Defined() {
		text += fmt.Sprintf("  %.3g ms CPU a reply", cpu*1e3)
	}
	if d.Verdict.Status == record.Invalid {
		text += "  INVALID: " + reason(d.Verdict)
	}
	return text
}
