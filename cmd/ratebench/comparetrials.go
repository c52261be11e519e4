package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/search"
	"ratebench/cmd/suite"
	"ratebench/report"
	"ratebench/sampler"
)

// lastBlocks is after how many blocks in a row without it a server is given up: one
// may be an accident, two are how it is.
const lastBlocks = 2

// quickPause is left between two trials of a quick comparison of which the first
// left nothing over.
const quickPause = plan.Seconds(200 * time.Millisecond)

// comparison makes the trials of a suite. One server runs at a time.
type comparison struct {
	*app
	*comparing
	folder   *suite.Folder
	document *report.Comparison
	lacks    []string       // of each server: why it is not here, empty if it is
	have     map[int]bool   // places whose trials were saved before
	without  map[int]int    // of a server: blocks in a row that lost a trial of it
	last     map[int]string // of a server: why the first of those trials was lost
	total    int            // trials, without those of servers that are not here
	done     int
}

func (a *app) newComparison(s *comparing, folder *suite.Folder) *comparison {
	c := &comparison{app: a, comparing: s, folder: folder, have: map[int]bool{}, without: map[int]int{}, last: map[int]string{}}
	for i := range s.suite.Servers {
		lacks := s.suite.Servers[i].Lacks()
		c.lacks = append(c.lacks, lacks)
		if lacks == "" {
			c.total += s.suite.Repeat * len(s.suite.Loads)
		}
	}
	c.document = compareDocument(s.suite, folder.Head, c.lacks)
	return c
}

// make makes all trials, or those until something ends them. A server that fails is
// no error: its trials are missing.
func (c *comparison) make(ctx context.Context) error {
	all, loads := c.suite.Trials(), len(c.suite.Loads)
	for ; len(all) > 0; all = all[loads:] {
		if err := c.turn(ctx, all[:loads]); err != nil {
			return err
		}
	}
	return nil
}

// turn makes those trials of one server in one block that are not there yet.
func (c *comparison) turn(ctx context.Context, all []suite.Trial) error {
	at := all[0].Server
	if c.lacks[at] != "" {
		return nil
	}
	left := slices.DeleteFunc(slices.Clone(all), func(t suite.Trial) bool { return c.have[t.Place] })
	switch {
	case len(left) == 0:
		c.succeeded(at)
		return nil
	case c.without[at] >= lastBlocks:
		c.lose(left, fmt.Sprintf("given up after %d blocks in a row: %s", lastBlocks, c.last[at]))
		return nil
	}
	running, err := suite.Start(ctx, &c.suite.Servers[at], c.suite.Directory, c.folder.Log(at))
	switch {
	case ctx.Err() != nil:
		if err == nil {
			running.Stop()
		}
		return errNothingSent
	case err != nil:
		c.lose(left, err.Error())
		c.without[at]++
		return nil
	}
	defer running.Stop()
	return c.play(ctx, left, running)
}

// takeSaved takes in the trials that are there, before any is made: an interrupt must
// not leave out what was done, and a damaged file is told at once.
func (c *comparison) takeSaved() error {
	var faults []error
	for _, t := range c.suite.Trials() {
		d, err := c.folder.Load(t)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%w: without that file, --resume makes the trial again", err))
		case d != nil:
			c.have[t.Place] = true
			c.add(t, d)
		}
	}
	return errors.Join(faults...)
}

// play makes trials against a server that runs.
func (c *comparison) play(ctx context.Context, left []suite.Trial, running *suite.Running) error {
	at := left[0].Server
	c.settings.watching = c.watching(at, running)
	runs := &trials{app: c.app, settings: &c.settings}
	failed := false
	for i, t := range left {
		runs.pause = c.pause(runs)
		d, err := c.one(ctx, runs, t)
		switch {
		case errors.Is(err, errNothingSent):
			return err
		case running.Over(): // whoever answered since, it was not this server
			c.without[at]++
			c.lose(left[i:], running.Ending())
			return nil
		case err != nil:
			failed = true
			c.lose(left[i:i+1], err.Error())
			continue
		}
		if err := c.folder.Save(t, d); err != nil {
			return err
		}
		c.add(t, d)
		c.tell(fmt.Sprintf("trial %d of %d  block %d  %s  %s  %s", c.done, c.total, t.Block, c.suite.Servers[at].Name, c.suite.Loads[t.Load].Name, told(d)))
	}
	if !failed {
		c.succeeded(at)
		return nil
	}
	c.without[at]++
	return nil
}

// succeeded: a server made all its trials of a block.
func (c *comparison) succeeded(at int) {
	c.without[at] = 0
	delete(c.last, at)
}

// one makes one trial. One that is interrupted is as if it had not been begun.
func (c *comparison) one(ctx context.Context, runs *trials, t suite.Trial) (*report.Document, error) {
	p := c.suite.Plan(t)
	if err := errors.Join(p.Validate(), p.Resolve()); err != nil {
		return nil, err
	}
	made, err := runs.next(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case made.run.Interrupted || ctx.Err() != nil:
		return nil, errNothingSent
	}
	return made.document, nil
}

// pause leaves it to search.Settle but for a quick comparison.
func (c *comparison) pause(runs *trials) *plan.Seconds {
	if !c.suite.IsQuick || runs.last == nil || search.LeftOver(runs.last) > 0 {
		return nil
	}
	pause := quickPause
	return &pause
}

// watching selects what the suite says, by default the processes of the command
// that was started. What runs already is found by its port.
func (c *comparison) watching(at int, running *suite.Running) watching {
	server := &c.suite.Servers[at]
	w := watching{selections: server.Process}
	if !server.Host.Local() {
		w.hosts = []sampler.Host{server.Host}
		return w
	}
	if len(w.selections) == 0 && running.PID() > 0 {
		w.selections = []sampler.Selection{{Kind: sampler.ByPID, Value: strconv.Itoa(running.PID())}}
	}
	return w
}

// add takes a trial into the document.
func (c *comparison) add(t suite.Trial, d *report.Document) {
	c.done++
	c.document.AddTrial(c.trial(t, ""), d)
}

// lose notes why trials are missing.
func (c *comparison) lose(left []suite.Trial, why string) {
	t := left[0]
	if c.last[t.Server] == "" { // what is said first is the cause, and later its consequence
		c.last[t.Server] = why
	}
	c.done += len(left)
	for _, one := range left {
		c.document.AddTrial(c.trial(one, why), nil)
	}
	c.tell(fmt.Sprintf("block %d  %s: %d trials lost: %s", t.Block, c.suite.Servers[t.Server].Name, len(left), why))
}

// trial is t as the document has it, with why it could not be made.
func (c *comparison) trial(t suite.Trial, why string) report.CompareTrial {
	return report.CompareTrial{
		Block: t.Block, Place: t.Place, Server: c.suite.Servers[t.Server].Name, Load: c.suite.Loads[t.Load].Name,
		Seed: t.Seed, Failure: why,
	}
}

// tell is that of trials.
func (c *comparison) tell(line string) { (&trials{app: c.app, settings: &c.settings}).tell(line) }
