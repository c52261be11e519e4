package epoll

import "time"

// clock gives offsets from the run's origin and maps the kernel's receive times
// onto them. Those are CLOCK_REALTIME, which may be slewed or stepped while the
// run counts on CLOCK_MONOTONIC: both are read together again and again, so that a
// step spoils no more than the stamps of one period, and those are noticed.
type clock struct {
	origin time.Time
	offset int64         // CLOCK_REALTIME in ns at the origin, as it is told now
	synced time.Duration // when offset was found
}

// resync is how old the mapping may grow. A clock slewed by the most that NTP
// allows, 500 ppm, moves 25 µs in it.
const resync = 50 * time.Millisecond

func newClock(origin time.Time) *clock {
	c := &clock{origin: origin}
	c.sync()
	return c
}

func (c *clock) now() time.Duration { return time.Since(c.origin) }

// sync reads both clocks; time.Now reads them within some tens of nanoseconds.
func (c *clock) sync() {
	now := time.Now()
	c.synced = now.Sub(c.origin)
	c.offset = now.UnixNano() - int64(c.synced)
}

// kernel is the offset of a kernel stamp. ok is false if it cannot be: before the
// request was sent or after it was read, by a stepped clock or a missing stamp.
func (c *clock) kernel(stamp int64, sent, read time.Duration) (at time.Duration, ok bool) {
	at = time.Duration(stamp - c.offset)
	return at, stamp != 0 && at >= sent && at <= read
}
