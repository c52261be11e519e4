package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report"
	"ratebench/sampler"
)

// sampleCommand is "ratebench sample": a server watched without a load of ours.
func (a *app) sampleCommand() *cli.Command {
	return &cli.Command{
		Name:      "sample",
		Usage:     "only watch a server",
		ArgsUsage: "[HOST]",
		Description: "HOST is local (default) or ssh://[USER@]HOST[:PORT]. It is watched for --duration, until an\n" +
			"interrupt, or until all that --process names has ended; a line for each reading, then the sum.\n" +
			"Without --process the figures are the host's alone.",
		Flags: append([]cli.Flag{
			value("", "duration", "stop after `TIME` (default: at an interrupt)"),
			list("", "output", "write all readings to `FILE` too, which ends in .json; repeatable", "o"),
			toggle("", "quiet", "print the sum alone"),
		}, watchFlags(" (default: the host's figures alone)")...),
		Action: a.sample,
	}
}

// sampling is what the options of sample ask for.
type sampling struct {
	config   sampler.Config
	duration time.Duration // 0: until interrupted
	outputs  []string
	quiet    bool
}

// readSampling reads the options of sample; its error is every fault.
func readSampling(c *cli.Context) (*sampling, error) {
	r := &reader{Context: c}
	s := &sampling{outputs: c.StringSlice("output"), quiet: c.Bool("quiet")}
	at := sampler.Host{}
	for i, text := range c.Args().Slice() {
		host, err := sampler.ParseHost(text)
		switch {
		case i > 0:
			r.fault("surplus argument %q: one host is watched", masked(text))
		case err != nil:
			r.fault("host %w", err)
		}
		at = host
	}
	r.readWatching()
	r.checkSSH(!at.Local(), "ratebench sample ssh://…")
	var duration plan.Seconds
	r.above0("duration", &duration, plan.DefaultDuration)
	if s.duration = duration.Std(); s.duration > 0 && s.duration < report.LeastSpan {
		r.fault("--duration %s: want %v or more: less tells nothing of a server", c.String("duration"), report.LeastSpan)
	}
	for _, path := range s.outputs {
		if path != "" && strings.ToLower(filepath.Ext(path)) != ".json" {
			r.fault("--output %q: want a name that ends in .json", path)
		}
	}
	s.config = r.watching.config(at)
	if s.config.Interval == 0 {
		s.config.Interval = sampler.DefaultInterval
	}
	return s, errors.Join(r.faults...)
}

// sample watches until the end and prints what was seen.
func (a *app) sample(c *cli.Context) error {
	s, err := readSampling(c)
	out, unwritable := openOutputs(s.outputs)
	if err := errors.Join(err, unwritable); err != nil {
		out.discard()
		return usageError{err}
	}
	defer out.discard()
	a.emergency.add(out.discard)
	seen, began, err := a.watch(c.Context, s)
	if seen == nil {
		return err
	}
	d := report.NewSample(version(), seen)
	d.StartedAt, d.Interval = began, record.Seconds(s.config.Interval)
	var unwritten []error
	for i := range s.outputs {
		unwritten = append(unwritten, out.write(i, func(w io.Writer) error { return report.WriteSample(w, d) }))
	}
	unwritten = append(unwritten, out.commit())
	if !errors.As(err, new(*unshown)) {
		unwritten = append(unwritten, report.WriteSampleSummary(a.stdout, d))
	}
	return errors.Join(errors.Join(unwritten...), err)
}

// watch shows the readings until the end. seen is nil if there was no beginning;
// an error beside it is why the end came before it was meant to.
func (a *app) watch(ctx context.Context, s *sampling) (seen *sampler.Record, began time.Time, err error) {
	readings := make(chan sampler.Reading, 64) // what a stopped terminal is too slow for is not shown
	s.config.OnReading = func(r sampler.Reading) {
		select {
		case readings <- r:
		default:
		}
	}
	w, err := sampler.Open(ctx, s.config)
	if err != nil {
		if ctx.Err() != nil {
			i := interruptOf(ctx)
			err = statusError{i.status(), fmt.Errorf("%w before the first reading", i)}
		}
		return nil, began, err
	}
	a.emergency.add(w.Discard)
	<-readings // made by Open, before the beginning
	began = time.Now()
	w.Start(began)
	var table *sampleTable
	if !s.quiet {
		table = newSampleTable(a.stdout, w)
	}
	err = s.follow(ctx, w, readings, table)
	seen = w.Stop()
	if err == nil && seen.Lost != nil {
		err = fmt.Errorf("lost %s after %.1f s: %s", seen.Host.Name, seen.Lost.At.Seconds(), seen.Lost.Why)
	}
	return seen, began, errors.Join(err, table.finish(readings, s.config.Interval))
}

// follow shows readings until the end: that of the time or of the processes, or
// an interrupt, which is one only if there was a time to wait for.
func (s *sampling) follow(ctx context.Context, w *sampler.Watch, readings <-chan sampler.Reading, table *sampleTable) error {
	var over <-chan time.Time
	if s.duration > 0 {
		over = time.After(s.duration)
	}
	for {
		select {
		case <-ctx.Done():
			if i := interruptOf(ctx); s.duration > 0 {
				return statusError{i.status(), fmt.Errorf("%w: the sum covers what was seen until then", i)}
			}
			return nil
		case <-over:
			return nil
		case <-w.Lost():
			return nil
		case r := <-readings:
			if err := table.add(r); err != nil || allEnded(r) {
				return err
			}
		}
	}
}

// allEnded says that processes were watched, and that none is left.
func allEnded(r sampler.Reading) bool {
	return len(r.Groups) > 0 && !slices.ContainsFunc(r.Groups, func(g sampler.GroupCounters) bool { return !g.Ended })
}
