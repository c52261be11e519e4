package epoll

import (
	"math"
	"time"
)

// clock gives offsets from the run's origin and maps the kernel's receive times
// onto them. Those are CLOCK_REALTIME, which may be slewed or stepped while the
// run counts on CLOCK_MONOTONIC: both are read together again and again, so that a
// step spoils no more than the stamps of one period, and those are noticed.
type clock struct {
	origin time.Time
	wall   func() int64  // CLOCK_REALTIME in ns
	offset int64         // wall at the origin, as it is told now
	synced time.Duration // when offset was found
}

// resync is how old the mapping may grow. A clock slewed by the most that NTP
// allows, 500 ppm, moves 25 µs in it.
const resync = 50 * time.Millisecond

// syncTries bounds the attempts to read both clocks without being interrupted
// between them, and syncSpan is the span that passes for that.
const (
	syncTries = 4
	syncSpan  = 2 * time.Microsecond
)

func newClock(origin time.Time) *clock {
	c := &clock{origin: origin, wall: func() int64 { return time.Now().UnixNano() }}
	c.sync()
	return c
}

func (c *clock) now() time.Duration { return time.Since(c.origin) }

// sync reads the wall clock between two readings of the other one. The pair that
// was read fastest counts: a thread that loses its core in between would put every
// stamp of the next period off by as much.
func (c *clock) sync() {
	best := time.Duration(math.MaxInt64)
	for range syncTries {
		before := c.now()
		wall := c.wall()
		after := c.now()
		if span := after - before; span < best {
			best = span
			c.offset = wall - int64(before+span/2)
		}
		c.synced = after
		if best <= syncSpan {
			return
		}
	}
}

// kernel is the offset of a kernel stamp. ok is false if it cannot be: before the
// request was sent or after it was read, by a stepped clock or a missing stamp.
func (c *clock) kernel(stamp int64, sent, read time.Duration) (at time.Duration, ok bool) {
	at = time.Duration(stamp - c.offset)
	return at, stamp != 0 && at >= sent && at <= read
}
