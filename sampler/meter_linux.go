package sampler

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// meter adds up the CPU time of what it measures. What the collector and the
// scheduler do for it on other threads is not in it.
type meter struct{ spent time.Duration }

// measure keeps the goroutine on its thread, whose time it adds when the function
// returned is called. A nil meter measures nothing.
func (m *meter) measure() func() {
	if m == nil {
		return func() {}
	}
	runtime.LockOSThread()
	before := threadTime()
	return func() {
		m.spent += threadTime() - before
		runtime.UnlockOSThread()
	}
}

// threadTime is exact to the nanosecond, other than getrusage(2), which shows the
// time up to the last tick (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID). It cannot
// fail for the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
