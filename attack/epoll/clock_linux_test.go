package epoll

import (
	"testing"
	"time"
)

// stepped is a wall clock that an administrator moves.
type stepped struct{ by time.Duration }

func (s *stepped) now() int64 { return time.Now().Add(s.by).UnixNano() }

func steppedClock() (*clock, *stepped) {
	wall := &stepped{}
	c := newClock(time.Now())
	c.wall = wall.now
	c.sync()
	return c, wall
}

// RC-038: a kernel stamp that does not lie between sending and reading is refused,
// whichever way the wall clock was moved, and the next mapping is right again.
func TestStepsOfTheWallClock(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -2 * time.Hour, 3 * time.Second, -50 * time.Millisecond, 24 * 365 * time.Hour} {
		c, wall := steppedClock()
		sent := c.now()
		wall.by = step
		stamp := wall.now() // received after the step, mapped as before it
		read := c.now()
		if at, ok := c.kernel(stamp, sent, read); ok {
			t.Errorf("step of %v: the stamp was mapped to %v, sent %v, read %v", step, at, sent, read)
		}
		c.sync()
		sent = c.now()
		stamp = wall.now()
		read = c.now() + time.Millisecond // the two readings of the clock differ by less
		if at, ok := c.kernel(stamp, sent-time.Millisecond, read); !ok {
			t.Errorf("step of %v: refused after the next mapping too: %v, sent %v, read %v", step, at, sent, read)
		}
	}
}

func TestStampsThatCannotBe(t *testing.T) {
	c, wall := steppedClock()
	sent := c.now()
	stamp := wall.now()
	read := c.now()
	if _, ok := c.kernel(0, sent, read); ok {
		t.Error("a missing stamp was taken")
	}
	if at, ok := c.kernel(stamp+int64(time.Second), sent, read); ok {
		t.Errorf("a stamp later than the reading was taken as %v", at)
	}
	if at, ok := c.kernel(stamp-int64(time.Second), sent, read); ok {
		t.Errorf("a stamp earlier than the sending was taken as %v", at)
	}
	if at, ok := c.kernel(stamp, 0, read+time.Second); !ok || at < 0 || at > read+time.Second {
		t.Errorf("a good stamp became %v, %v", at, ok)
	}
}

// A thread that loses its core between the two readings must not spoil the mapping.
func TestInterruptedSync(t *testing.T) {
	c, wall := steppedClock()
	reads := 0
	c.wall = func() int64 {
		now := wall.now()
		if reads++; reads == 1 {
			time.Sleep(20 * time.Millisecond)
		}
		return now
	}
	c.sync()
	off := time.Duration(wall.now()-c.offset) - c.now()
	if reads < 2 || off.Abs() > 5*time.Millisecond {
		t.Errorf("the mapping is off by %v after %d readings", off, reads)
	}
}

// The run's own time does not follow the wall clock.
func TestTimeGoesOn(t *testing.T) {
	c, wall := steppedClock()
	last := c.now()
	for _, step := range []time.Duration{time.Hour, -2 * time.Hour} {
		wall.by += step
		c.sync()
		if now := c.now(); now < last || now > last+time.Minute || c.synced < last {
			t.Errorf("after a step of %v it is %v, was %v", step, now, last)
		}
		last = c.now()
	}
}
