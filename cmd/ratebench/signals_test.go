package main

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestFirstSignalEndsTheContextSecondTheProcess(t *testing.T) {
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		signals, exits := make(chan os.Signal), make(chan int, 1)
		ctx, stop := interruptible(context.Background(), signals, func(status int) { exits <- status })
		signals <- syscall.SIGINT
		<-ctx.Done()
		if got := interruptOf(ctx); got.signal != syscall.SIGINT {
			t.Errorf("the cause is %v", got)
		}
		if len(exits) != 0 {
			t.Error("the first signal ends the process")
		}
		signals <- signal
		select {
		case got := <-exits:
			if got != status {
				t.Errorf("second signal %v: status %d, want %d", signal, got, status)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the second signal does nothing")
		}
		stop()
	}
}

func TestStopWithoutASignal(t *testing.T) {
	ctx, stop := interruptible(context.Background(), make(chan os.Signal), func(int) { t.Error("exit") })
	if ctx.Err() != nil {
		t.Error("the context has ended already")
	}
	stop()
	if interruptOf(ctx).signal != syscall.SIGINT {
		t.Errorf("a context that somebody else ended: %v", interruptOf(ctx))
	}
}

func TestInterruptsHaveNames(t *testing.T) {
	for signal, want := range map[syscall.Signal]string{
		syscall.SIGINT: "interrupted (SIGINT)", syscall.SIGTERM: "interrupted (SIGTERM)",
		syscall.SIGHUP: "interrupted (SIGHUP)", syscall.SIGQUIT: "interrupted",
	} {
		if got := (interrupt{signal}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestEmergencyDoesAllThatWasAdded(t *testing.T) {
	var e emergency
	done := ""
	e.add(func() { done += "a" })
	e.add(func() { done += "b" })
	e.run()
	if done != "ab" {
		t.Errorf("did %q", done)
	}
}

func TestExitStatusOf(t *testing.T) {
	plain := errors.New("x")
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {plain, 1}, {usageError{plain}, 2}, {statusError{4, plain}, 4}, {errors.Join(plain, usageError{plain}), 2},
		{usageError{errors.Join(plain, plain)}, 2},
	} {
		if got := exitStatus(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
	if !errors.Is(usageError{plain}, plain) || !errors.Is(statusError{4, plain}, plain) {
		t.Error("an error inside is hidden")
	}
}
