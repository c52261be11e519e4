package sampler

import (
	"math"
	"time"
)

// pairs is how many pairs of counters, user and system, have moved since the first
// reading or may have: each is floored to ticks on its own. A process that has run
// may hide up to a tick in each although they do not show it.
func (t *tree) pairs() int {
	n := 0
	for _, m := range t.members {
		if m.switched {
			n++
		}
		if m.reaped {
			n++
		}
	}
	return n
}

// treePrecision is three standard deviations of the difference of two sums of so
// many pairs. A counter that is floored to a tick is short by what is uniform from
// 0 to 1 tick; the difference of two such has a deviation of √(2/12) ticks, with
// user and system 0.58. The kernel's sum of a running process lags by up to one of
// its timer's ticks besides, of 4 ms mostly, which makes it 0.60. Errors of
// different processes are independent. The worst case, 2 ticks a pair, is never
// below this.
func treePrecision(pairs int, tick time.Duration) time.Duration {
	return time.Duration(3 * 0.60 * math.Sqrt(float64(max(pairs, 1))) * float64(tick))
}

// timerTick is the most by which the kernel's account of a running task is late:
// it is brought up to date when the task stops running and at each tick of the
// timer (update_curr of kernel/sched/fair.c). 4 ms is that of CONFIG_HZ=250, which
// most distributions have had; it is 1 ms with others, and 10 ms on a few.
const timerTick = 4 * time.Millisecond

// cgroupPrecision bounds the difference of two readings of a cgroup: each is late
// by up to a timer's tick for every core that the group is running on just then,
// which is taken to be the cores that it used on average, rounded up. The counter's
// own unit is at most 1 µs.
func cgroupPrecision(used, elapsed time.Duration, cores int) time.Duration {
	busy := 1
	if elapsed > 0 {
		busy = int(math.Ceil(used.Seconds() / elapsed.Seconds()))
	}
	return time.Microsecond + timerTick*time.Duration(max(1, min(busy, cores)))
}
