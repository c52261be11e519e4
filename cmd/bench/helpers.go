//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"ratebench/attack/testserver"
)

// helperLife bounds a helper that nobody ends.
const helperLife = 10 * time.Minute

// spin is a neighbour that wants its core for itself.
func spin(ctx context.Context, args []string, stdout io.Writer) error {
	if err := parse(newFlags("bench spin"), args); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "spinning")
	for end := time.Now().Add(helperLife); ctx.Err() == nil && time.Now().Before(end); {
		for range 1 << 20 { // some hundred microseconds between two looks at the clock
		}
	}
	return nil
}

// slow is a server that holds every reply for a while, any number at once.
func slow(ctx context.Context, args []string, stdout io.Writer) error {
	f := newFlags("bench slow")
	delay := f.Duration("delay", 5*time.Second, "answer after `TIME`")
	if err := parse(f, args); err != nil {
		return err
	}
	s, err := testserver.Start(testserver.Config{Delay: *delay, Size: 3})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, helperLife)
	defer cancel()
	fmt.Fprintln(stdout, s.URL())
	<-ctx.Done()
	return nil
}
