package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ratebench/attack/record"
	"ratebench/cmd/suite"
	"ratebench/report"
)

// carryOutSuite makes the trials and reports them.
func (a *app) carryOutSuite(ctx context.Context, s *comparing, folder *suite.Folder, out *outputs) error {
	c := a.newComparison(s, folder)
	if err := c.takeSaved(); err != nil {
		return err
	}
	err := c.make(ctx)
	d := c.document
	d.Interrupted = errors.Is(err, errNothingSent)
	if err != nil && !d.Interrupted {
		d.Failure = err.Error()
	}
	if len(runsIn(d)) == 0 {
		return c.nothing(ctx, err)
	}
	c.finish()
	report.AddResults(d)
	return concluded(s.sheet.print(d, a.stdout, out), d.Interrupted, c.judge(ctx, s.trials))
}

// compareDocument is the comparison before its first trial.
func compareDocument(s *suite.Suite, head suite.Head, lacks []string) *report.Comparison {
	d := &report.Comparison{
		Schema: report.CompareSchema, StartedAt: head.StartedAt, Version: head.Version,
		Suite: report.CompareSuite{
			Name: s.Name, About: s.About, Baseline: s.Baseline, Rank: s.Rank, Repeat: s.Repeat, Seed: s.Seed,
			Quick: s.IsQuick, SHA256: s.SHA256, AA: s.IsAA,
		},
		Trials: []report.CompareTrial{},
	}
	for i, v := range s.Servers {
		d.Servers = append(d.Servers, report.CompareServer{Name: v.Name, URL: v.URL, Missing: lacks[i]})
	}
	for _, l := range s.Loads {
		d.Loads = append(d.Loads, report.CompareLoad{
			Name: l.Name, Rate: l.Rate, Total: l.Total, Duration: l.Duration, Concurrency: l.Concurrency,
			RequestsPerConnection: l.RequestsPerConnection, Overload: l.Overload,
		})
	}
	return d
}

// runsIn are the runs of the trials that were made.
func runsIn(d *report.Comparison) []*report.Document {
	var runs []*report.Document
	for i := range d.Trials {
		if run := d.Trials[i].Run; run != nil {
			runs = append(runs, run)
		}
	}
	return runs
}

// finish puts the trials in order and names the servers that never ran.
func (c *comparison) finish() {
	d := c.document
	slices.SortFunc(d.Trials, func(a, b report.CompareTrial) int { return cmp.Compare(a.Place, b.Place) })
	for i := range d.Servers {
		server := &d.Servers[i]
		ran := func(t report.CompareTrial) bool { return t.Server == server.Name && t.Run != nil }
		if why := c.last[i]; why != "" && !slices.ContainsFunc(d.Trials, ran) {
			server.Missing = "could not be run: " + why
		}
	}
}

// nothing is the end of a comparison without a single trial.
func (c *comparison) nothing(ctx context.Context, err error) error {
	if errors.Is(err, errNothingSent) {
		return interruptOf(ctx).says(" before the first trial was over")
	}
	if err != nil {
		return err
	}
	var why []string
	for i, v := range c.suite.Servers {
		why = append(why, v.Name+": "+cmp.Or(c.lacks[i], c.last[i]))
	}
	return fmt.Errorf("nothing could be run\n%s", strings.Join(why, "\n"))
}

// judge is the exit status of a comparison that was reported.
func (c *comparison) judge(ctx context.Context, folder string) error {
	d := c.document
	runs, unmade := runsIn(d), c.unmade()
	switch invalid := invalidPairs(d); {
	case d.Interrupted:
		return interruptOf(ctx).says(fmt.Sprintf(": the report covers %d of %d trials; --resume goes on with those in %s", len(runs), c.total, shown(folder)))
	case d.Failure != "":
		return fmt.Errorf("ended early, after %d of %d trials: %s", len(runs), c.total, d.Failure)
	case !answeredAny(runs):
		return fmt.Errorf("nothing answered in any of %d trials", len(runs))
	case len(unmade) > 0:
		return fmt.Errorf("not all could be made: %s", strings.Join(unmade, ", "))
	case len(invalid) > 0:
		return statusError{exitInvalid, fmt.Errorf("every trial INVALID of %s", strings.Join(invalid, ", "))}
	}
	return nil
}

// unmade counts the trials that could not be made, by server.
func (c *comparison) unmade() []string {
	var all []string
	for i := range c.suite.Servers {
		name, n := c.suite.Servers[i].Name, 0
		for _, t := range c.document.Trials {
			if t.Server == name && t.Run == nil {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%s (%d)", name, n))
		}
	}
	return all
}

// invalidPairs are the servers and loads of which no trial speaks of the server.
func invalidPairs(d *report.Comparison) []string {
	valid, order := map[string]bool{}, []string{}
	for _, t := range d.Trials {
		if t.Run == nil {
			continue
		}
		pair := t.Server + " at " + t.Load
		if _, seen := valid[pair]; !seen {
			order = append(order, pair)
		}
		valid[pair] = valid[pair] || t.Run.Verdict.Status != record.Invalid
	}
	return slices.DeleteFunc(order, func(pair string) bool { return valid[pair] })
}
