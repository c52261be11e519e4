//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A task is a client to be run and how its output is read.
type task struct {
	client string // unique in the block
	argv   []string
	stdin  string
	cores  string // the client's core if empty
	limit  int    // seconds that it may be expected to take; the length of a run if 0
	spin   bool   // beside a busy loop on the same core
	exits  []int  // statuses that are no failure, besides 0
	read   func(context.Context, *ended, *sample) error
}

// sample runs the task once. A failure is in the sample.
func (l *lab) sample(ctx context.Context, t *task, url string, round int) sample {
	s := sample{Round: round, Figures: figures{}}
	if err := l.run(ctx, t, url, &s); err != nil {
		s.Error, s.Figures = err.Error(), nil
	}
	return s
}

func (l *lab) run(ctx context.Context, t *task, url string, s *sample) error {
	before, known := l.counts(ctx, url)
	if t.spin {
		_, stop, err := background(ctx, l.clientList, l.helper("spin"))
		if err != nil {
			return err
		}
		defer stop()
	}
	e, err := runChild(ctx, patience(t.length(l)), t.where(l), t.argv, t.stdin)
	if err != nil {
		return withOutput(err, e)
	}
	if e.exit != 0 && !slices.Contains(t.exits, e.exit) {
		return withOutput(fmt.Errorf("%s: exit status %d", t.argv[0], e.exit), e)
	}
	if err := t.read(ctx, e, s); err != nil {
		return withOutput(err, e)
	}
	addCosts(s.Figures, e)
	if after, still := l.counts(ctx, url); known && still {
		s.Figures.put(serverCount, float64(after-before))
	}
	return nil
}

// counts is how many requests nginx has had, if it is the server.
func (l *lab) counts(ctx context.Context, url string) (uint64, bool) {
	if l.nginx == nil || url != l.nginx.url {
		return 0, false
	}
	return l.nginx.settled(ctx)
}

// addCosts adds what the kernel says of a client to what it says itself.
func addCosts(f figures, e *ended) {
	f.put(elapsedTime, e.elapsed.Seconds())
	f.put(cpuCores, e.cpu.Seconds()/e.elapsed.Seconds())
	f.put(peakMemory, float64(e.rss))
	f.put(exitStatus, float64(e.exit))
	if f[replyCount] > 0 {
		f.put(cpuPerReply, e.cpu.Seconds()/f[replyCount])
	}
}

// withOutput adds the end of what a child said to an error.
func withOutput(err error, e *ended) error {
	if e == nil {
		return err
	}
	said := strings.TrimSpace(string(e.stderr))
	if said == "" {
		said = strings.TrimSpace(string(e.stdout))
	}
	return fmt.Errorf("%w; it said %q", err, said[max(0, len(said)-300):])
}

func (t *task) length(l *lab) time.Duration {
	if t.limit > 0 {
		return time.Duration(t.limit) * time.Second
	}
	return time.Duration(l.seconds()) * time.Second
}

func (t *task) where(l *lab) string {
	if t.cores != "" {
		return t.cores
	}
	return l.clientList
}
