package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestFirstSignalEndsTheContextSecondTheProcess(t *testing.T) {
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
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
		time.Sleep(together + time.Millisecond)
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

// A terminal that closes and a shell that ends send SIGHUP each, timeout(1) its
// signal twice: none of them is a user in a hurry.
func TestSignalsThatAreNoSecondOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal)
		ctx, stop := interruptible(context.Background(), signals, func(status int) { t.Errorf("exit %d", status) })
		defer stop()
		signals <- syscall.SIGTERM
		signals <- syscall.SIGTERM
		time.Sleep(together + time.Millisecond)
		signals <- syscall.SIGHUP
		signals <- orphaned{}
		if got := interruptOf(ctx); got.signal != syscall.SIGTERM {
			t.Errorf("the cause is %v", got)
		}
	})
}

func TestAwaitOrphan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var parent atomic.Int64
		parent.Store(7)
		ends := make(chan os.Signal, 1)
		go awaitOrphan(ends, func() int { return int(parent.Load()) }) // ends below
		time.Sleep(handOver / 2)
		parent.Store(8) // left on purpose
		time.Sleep(time.Hour)
		if len(ends) != 0 {
			t.Fatal("a parent that ends at once was missed")
		}
		parent.Store(1)
		time.Sleep(orphanCheck + time.Millisecond)
		if len(ends) != 1 || <-ends != (orphaned{}) {
			t.Error("a parent that ends is not noticed")
		}
	})
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
	for _, c := range []struct {
		signal os.Signal
		text   string
		status int
	}{
		{syscall.SIGINT, "interrupted (SIGINT)", 130}, {syscall.SIGTERM, "interrupted (SIGTERM)", 143},
		{syscall.SIGHUP, "interrupted (SIGHUP)", 129}, {syscall.SIGQUIT, "interrupted", 131},
		{orphaned{}, "interrupted (the program that started this one has ended; nohup keeps it running)", 129},
	} {
		if i := (interrupt{c.signal}); i.Error() != c.text || i.status() != c.status {
			t.Errorf("%q, status %d", i.Error(), i.status())
		}
	}
}

func TestEmergencyDoesAllThatWasAdded(t *testing.T) {
	var e emergency
	done := ""
	e.add(func() { done += "a" })
	safe := e.add(func() { done += "x" })
	e.add(func() { done += "b" })
	safe()
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
