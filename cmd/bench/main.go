//go:build linux

// Command bench measures ratebench beside other load generators, all against the
// same nginx in the same run.
//
// The server has one core and the client under measurement another. Each round
// runs every client of a block in a shuffled order, so that a disturbance of the
// machine falls on all alike; figures are medians over the rounds, and ratios are
// medians of the ratios within a round. CPU time is what the kernel says at a
// child's end (wait4(2)), start and report included; replies are counted by each
// client itself. Times are seconds in JSON.
//
// The program is also its own helpers, as children of itself: a floor of two
// system calls a request, a busy loop, a slow server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1 // something could not be run
	exitUsage       = 2
	exitMissed      = 3 // a goal was missed, with -strict
	exitInterrupted = 130
)

var errUsage = errors.New("wrong usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	status, err := dispatch(ctx, os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) && !errors.Is(err, errUsage) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(status)
}

// dispatch runs the bench, or the helper that the first argument names.
func dispatch(ctx context.Context, args []string) (int, error) {
	helpers := map[string]func(context.Context, []string, io.Writer) error{
		"floor": floor,
		"spin":  spin,
		"slow":  slow,
	}
	if len(args) > 0 {
		if helper := helpers[args[0]]; helper != nil {
			return statusOf(helper(ctx, args[1:], os.Stdout))
		}
	}
	o, err := readOptions(args)
	if err != nil {
		return statusOf(err)
	}
	return bench(ctx, o)
}

func statusOf(err error) (int, error) {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitDone, err
	case errors.Is(err, errUsage):
		return exitUsage, err
	}
	return exitFailed, err
}

// bench measures, prints the tables and the goals, and writes the document.
func bench(ctx context.Context, o *options) (int, error) {
	l, err := newLab(ctx, o)
	if err != nil {
		return exitFailed, err
	}
	defer l.close()
	d := newDocument(ctx, l)
	d.Blocks, err = l.measure(ctx)
	if err != nil {
		return exitFailed, err
	}
	d.Goals = goals(d.Blocks)
	if o.only != "" {
		d.Goals = measured(d.Goals)
	}
	printDocument(os.Stdout, d)
	if err := d.write(o.out); err != nil {
		return exitFailed, err
	}
	return verdict(ctx, o, d), nil
}

func verdict(ctx context.Context, o *options, d *document) int {
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case d.failures() > 0:
		return exitFailed
	case o.strict && !d.allMet():
		return exitMissed
	}
	return exitDone
}
