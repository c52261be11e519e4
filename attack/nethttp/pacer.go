package nethttp

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"time"

	"ratebench/attack/plan"
)

// clock is the run's time; record.Recorder is one.
type clock interface{ Origin() time.Time }

// pacer is a vegeta.Pacer that keeps the plan's schedule to the microsecond: it
// blocks until the next request is due, on a thread of its own, because the
// runtime's timers ride on whole milliseconds of epoll_wait. Vegeta calls Pace
// once for each hit, in one goroutine, and numbers the hits in that order.
type pacer struct {
	stop     context.Context // when done, no more requests are due
	abandon  context.Context // when done, the time of the whole run is over
	clock    clock
	arrivals *plan.Arrivals
	slots    *slots // of a closed loop, in place of arrivals; nil for an open one
	measured uint64 // requests handed out that belong to the measurement
	locked   bool

	mu  sync.Mutex
	due map[uint64]plan.Arrival // hits handed out and not yet taken, by vegeta's number
}

// Pace blocks until the next request is due. It ends the attack when the plan is
// over or stop or abandon is done: requests that the client cannot get rid of in
// time stay unsent.
func (p *pacer) Pace(_ time.Duration, hits uint64) (wait time.Duration, stop bool) {
	if !p.locked {
		runtime.LockOSThread() // until the goroutine ends, and the thread with it
		sharpenTimers()
		p.locked = true
	}
	next, ok := p.next()
	if !ok {
		return 0, true
	}
	if next.Due >= 0 {
		p.measured++
	}
	p.mu.Lock()
	p.due[hits] = next
	p.mu.Unlock()
	return 0, false
}

// next waits for the next request; ok is false if there is none in time.
func (p *pacer) next() (a plan.Arrival, ok bool) {
	if p.slots == nil {
		a, ok = p.arrivals.Next()
		return a, ok && p.waitUntil(p.clock.Origin().Add(a.Due))
	}
	if a, ok = p.slots.next(p.stop, p.abandon); !ok {
		return a, false
	}
	ok = p.waitUntil(p.clock.Origin().Add(a.Due))
	if !ok {
		p.slots.ready <- a // has room for it; it is accounted for at the end
	}
	return a, ok
}

// Rate is for vegeta's interface only; nothing calls it.
func (p *pacer) Rate(time.Duration) float64 { return 0 }

// nearby is the last part of a wait, slept exactly and not interruptible.
const nearby = 20 * time.Millisecond

// waitUntil reports false if stop was done first.
func (p *pacer) waitUntil(due time.Time) bool {
	if far := time.Until(due) - nearby; far > 0 {
		timer := time.NewTimer(far)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.stop.Done():
		}
	}
	if p.stop.Err() != nil || p.abandon.Err() != nil {
		return false
	}
	sleepUntil(due)
	return true
}

// take is the planned request behind vegeta's hit of that number.
func (p *pacer) take(hit string) plan.Arrival {
	n, err := strconv.ParseUint(hit, 10, 64)
	if err != nil {
		panic("vegeta did not number its hit: " + err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a, handedOut := p.due[n]
	if !handedOut {
		panic("vegeta made a hit that the pacer did not hand out")
	}
	delete(p.due, n)
	return a
}
