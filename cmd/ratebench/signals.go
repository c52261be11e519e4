package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// interrupt is the cause of a context that a signal ended.
type interrupt struct{ signal os.Signal }

func (i interrupt) Error() string {
	switch i.signal {
	case syscall.SIGINT:
		return "interrupted (SIGINT)"
	case syscall.SIGTERM:
		return "interrupted (SIGTERM)"
	case syscall.SIGHUP:
		return "interrupted (SIGHUP)"
	case orphaned{}:
		return "interrupted (the program that started this one has ended; nohup keeps it running)"
	}
	return "interrupted"
}

func (i interrupt) status() int {
	number, ok := i.signal.(syscall.Signal)
	if !ok {
		number = syscall.SIGHUP
	}
	return exitSignal + int(number)
}

// says is the error of a command that the signal ended, with its status: the
// signal and then text.
func (i interrupt) says(text string) error {
	return statusError{i.status(), fmt.Errorf("%w%s", i, text)}
}

// What a command says that an interrupt ended before or after it could report anything.
const (
	beforeAll = " before the first request"
	untilThen = ": the report covers what was done until then"
)

// interruptOf is why ctx ended, SIGINT if whoever ended it did not say.
func interruptOf(ctx context.Context) interrupt {
	var i interrupt
	if !errors.As(context.Cause(ctx), &i) {
		i.signal = syscall.SIGINT
	}
	return i
}

// caught delivers the signals that end a run, and the end of the program that
// started it. SIGPIPE is caught too, and left unread, so that a closed standard
// output is an error of the write and not the end of the process. Under nohup
// a closed terminal is nobody's business, nor is who started it.
func caught() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ends := make(chan os.Signal, 2)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ends, syscall.SIGHUP)
		if !leadsSession() {
			go awaitOrphan(ends, os.Getppid) // ends with the process
		}
	}
	return ends
}

// together is how long signals that come after the first are the same one:
// timeout(1) sends it to the process and then to its group.
const together = 100 * time.Millisecond

// interruptible is a context that the first signal ends, the interrupt being
// its cause. A second one, INT or TERM, calls exit with its status. HUP does
// not: a terminal that closes sends several, and the report is still to be
// written. stop waits until nothing more can call exit.
func interruptible(parent context.Context, signals <-chan os.Signal, exit func(status int)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() { // ends by stop or after the second signal
		defer close(done)
		var first time.Time
		for {
			select {
			case s := <-signals:
				switch i := (interrupt{s}); {
				case first.IsZero():
					first = time.Now()
					cancel(i)
				case urgent(s) && time.Since(first) > together:
					exit(i.status())
					return
				}
			case <-stopped:
				return
			}
		}
	}()
	return ctx, func() { close(stopped); <-done; cancel(nil) }
}

// urgent tells the signals that a user repeats to have done with it.
func urgent(s os.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGTERM }

// emergency holds what must still be done when the process has to end at once.
type emergency struct {
	mu    sync.Mutex
	steps []*func() // by address, which tells them apart
}

// add has step done in an emergency until done is called.
func (e *emergency) add(step func()) (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = append(e.steps, &step)
	return func() { e.remove(&step) }
}

func (e *emergency) remove(step *func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = slices.DeleteFunc(e.steps, func(s *func()) bool { return s == step })
}

func (e *emergency) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, step := range e.steps {
		(*step)()
	}
}
