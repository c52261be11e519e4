//go:build !linux

package testserver

import (
	"syscall"
	"time"
)

// A clock tells the monotonic time, here since newClock.
type clock struct{ origin time.Time }

func newClock() clock { return clock{origin: time.Now()} }

func (c clock) now() int64 { return int64(time.Since(c.origin)) }

// An alarm lets one goroutine sleep until an instant or until it is woken, as
// exactly as Go's timers are.
type alarm struct {
	clock clock
	woken chan struct{}
}

func newAlarm(c clock) (*alarm, error) { return &alarm{clock: c, woken: make(chan struct{}, 1)}, nil }

func (a *alarm) prepare() error { return nil }

// sleep returns at the instant until or when woken.
func (a *alarm) sleep(until int64) {
	if until == forever {
		<-a.woken
		return
	}
	timer := time.NewTimer(time.Duration(until - a.clock.now()))
	defer timer.Stop()
	select {
	case <-a.woken:
	case <-timer.C:
	}
}

// wake ends the sleep that is under way, or the next one.
func (a *alarm) wake() {
	select {
	case a.woken <- struct{}{}:
	default:
	}
}

func (a *alarm) close() {}

// write leaves everything to the goroutine that takes over what is not written at once.
func write(syscall.RawConn, []byte) (int, error) { return 0, nil }

// peerClosed knows nothing here: the connection's reader reports a close, a little later.
func peerClosed(syscall.RawConn) bool { return false }

// unacknowledged knows nothing here.
func unacknowledged(syscall.RawConn) int { return 0 }
