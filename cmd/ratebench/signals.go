package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupt is the cause of a context that a signal ended.
type interrupt struct{ signal syscall.Signal }

func (i interrupt) Error() string {
	switch i.signal {
	case syscall.SIGINT:
		return "interrupted (SIGINT)"
	case syscall.SIGTERM:
		return "interrupted (SIGTERM)"
	case syscall.SIGHUP:
		return "interrupted (SIGHUP)"
	}
	return "interrupted"
}

func (i interrupt) status() int { return exitSignal + int(i.signal) }

// interruptOf is why ctx ended, SIGINT if whoever ended it did not say.
func interruptOf(ctx context.Context) interrupt {
	var i interrupt
	if !errors.As(context.Cause(ctx), &i) {
		i.signal = syscall.SIGINT
	}
	return i
}

// caught delivers the signals that end a run. SIGPIPE is caught too, and left
// unread, so that a closed standard output is an error of the write and not
// the end of the process.
func caught() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ends := make(chan os.Signal, 2)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return ends
}

// interruptible is a context that the first signal ends, the interrupt being
// its cause. The second signal calls exit with its status. stop waits until
// nothing more can call exit.
func interruptible(parent context.Context, signals <-chan os.Signal, exit func(status int)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	stopped, done := make(chan struct{}), make(chan struct{})
	go func() { // ends by stop or after the second signal
		defer close(done)
		for first := true; ; first = false {
			select {
			case s := <-signals:
				if i := asInterrupt(s); first {
					cancel(i)
				} else {
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

func asInterrupt(s os.Signal) interrupt {
	number, _ := s.(syscall.Signal) // every signal of os/signal is one
	return interrupt{number}
}

// emergency holds what must still be done when the process has to end at once.
type emergency struct {
	mu    sync.Mutex
	steps []func()
}

func (e *emergency) add(step func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = append(e.steps, step)
}

func (e *emergency) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, step := range e.steps {
		step()
	}
}
