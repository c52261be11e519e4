package epoll

import "golang.org/x/sys/unix"

// Scheduling of a loop's thread, as the run document names it.
const (
	ordinary = "ordinary"
	fifo     = "SCHED_FIFO"
	nice     = "nice -20"
)

// schedFlagResetOnFork keeps the raised priority from threads that this one starts (sched_setattr(2)).
const schedFlagResetOnFork = 1

// raisePriority puts the calling thread before all ordinary ones, so that a busy
// neighbour does not make it late: SCHED_FIFO where CAP_SYS_NICE allows it, else the
// lowest niceness, else nothing. It returns what was got. The lowest FIFO priority
// suffices, and leaves real-time threads of the system their place.
func raisePriority() string {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: schedFlagResetOnFork, Priority: 1}
	if unix.SchedSetAttr(0, &attr, 0) == nil {
		return fifo
	}
	if unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), -20) == nil {
		return nice
	}
	return ordinary
}
