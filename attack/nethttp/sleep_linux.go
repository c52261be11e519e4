package nethttp

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// sharpenTimers lets the calling thread's sleeps end when they are over: Linux
// otherwise delays them by up to 50 µs to batch wake-ups (prctl(2),
// PR_SET_TIMERSLACK). Failure only leaves the slack as it is.
func sharpenTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }

// sleepUntil blocks the thread until t (clock_nanosleep(2), absolute).
func sleepUntil(t time.Time) {
	var now unix.Timespec
	left := time.Until(t)
	if left <= 0 || unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return
	}
	end := unix.NsecToTimespec(now.Nano() + int64(left))
	for {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &end, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
