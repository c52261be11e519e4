//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// A block is some clients that do the same work and are compared with each other.
type block struct {
	name, title string
	base        string // the client that ratios are taken to
	once        bool   // figures that need no repetition, such as memory
	columns     []column
	// server starts a server for this block; nil takes nginx.
	server func(context.Context, *lab) (url string, stop func(), err error)
	tasks  func(l *lab, url string) []task
}

// measure runs all blocks, round by round. It returns what has been measured
// when ctx ends.
func (l *lab) measure(ctx context.Context) ([]*result, error) {
	random := rand.New(rand.NewPCG(l.seed, 0))
	wanted, measured := l.choose()
	if len(wanted) == 0 {
		return nil, fmt.Errorf("-only %q: no block is named so", l.only)
	}
	for round := 1; round <= l.rounds; round++ {
		for i := range wanted {
			if round > 1 && wanted[i].once || ctx.Err() != nil {
				continue
			}
			if err := l.round(ctx, &wanted[i], measured[i], round, random); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range measured {
		for _, row := range r.Rows {
			row.settle()
		}
	}
	return measured, nil
}

// choose is the blocks that are wanted, with a place for what each gives.
func (l *lab) choose() (wanted []block, places []*result) {
	for _, b := range blocks() {
		if l.wants(b.name) {
			wanted = append(wanted, b)
			places = append(places, &result{Name: b.name, Title: b.title, Base: b.base, columns: b.columns})
		}
	}
	return wanted, places
}

// round runs each client of a block once, in random order.
func (l *lab) round(ctx context.Context, b *block, into *result, round int, random *rand.Rand) error {
	started := time.Now()
	url, stop, err := l.server(ctx, b)
	if err != nil {
		return err
	}
	defer stop()
	tasks := b.tasks(l, url)
	for i := range tasks {
		into.ensure(&tasks[i])
	}
	for _, i := range random.Perm(len(tasks)) {
		s := l.sample(ctx, &tasks[i], url, round)
		if ctx.Err() != nil {
			return nil // the sample is of a child that was told to end
		}
		row := into.Rows[i]
		row.Samples = append(row.Samples, s)
	}
	fmt.Fprintf(os.Stderr, "round %d of %d  %s  %.0f s\n", round, l.rounds, b.name, time.Since(started).Seconds())
	return nil
}

// server is the block's own, or else nginx.
func (l *lab) server(ctx context.Context, b *block) (url string, stop func(), err error) {
	if b.server != nil {
		return b.server(ctx, l)
	}
	return l.nginx.url, func() {}, nil
}

// ensure makes the row of a task in the first round and keeps its command.
func (r *result) ensure(t *task) {
	of := r.row(t.client)
	if of == nil {
		of = &row{Client: t.client}
		r.Rows = append(r.Rows, of)
	}
	of.Command = t.argv
}
