package plan

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// MaxConcurrency is the greatest accepted Concurrency.
const MaxConcurrency = 100_000

// Closed says whether the plan is a closed loop: Concurrency slots each carry one
// request after the other. The first of all are due at once, at the start; a slot's
// next is due when the one before has ended, by a reply or by an error.
//
// So when a request is due is not known beforehand: Schedule and Share of such a
// plan are empty, and a Dealer gives out its requests instead.
func (p *Plan) Closed() bool { return p.Concurrency > 0 }

// Dealer gives out the requests of a closed loop to its slots. It reads no clock.
// Its methods may be called by several goroutines at once.
type Dealer struct {
	total            uint64 // 0 for no limit
	duration         time.Duration
	warmup, measured atomic.Uint64 // requests asked for
}

// NewDealer is the Dealer of one run of p, a closed loop.
func (p *Plan) NewDealer() *Dealer { return &Dealer{total: p.Total, duration: p.Duration.Std()} }

// Next is the request of a slot that is free from due on. ok is false if the plan is
// over: Total is given out, or due is not before Duration. A request due before the
// origin is the warm-up's. Those of the warm-up and those of the measurement are each
// numbered from 0.
func (d *Dealer) Next(due time.Duration) (a Arrival, ok bool) {
	if due < 0 {
		return Arrival{Seq: d.warmup.Add(1) - 1, Due: due}, true
	}
	if d.duration > 0 && due >= d.duration {
		return Arrival{}, false
	}
	n := d.measured.Add(1)
	return Arrival{Seq: n - 1, Due: due}, d.total == 0 || n <= d.total
}

// Exhausted says whether Total is given out.
func (d *Dealer) Exhausted() bool { return d.total > 0 && d.measured.Load() >= d.total }

// closedWindow is how long a closed loop may take up requests at most: until
// Duration, or until each of Total has timed out and its slot rested.
func (p *Plan) closedWindow() time.Duration {
	longest := time.Duration(math.MaxInt64)
	if p.Duration > 0 {
		longest = p.Duration.Std()
	}
	if p.Total == 0 {
		return longest
	}
	rounds, each := (p.Total-1)/uint64(p.Concurrency)+1, uint64(p.Timeout.Std()+SlotRest)
	if rounds > uint64(math.MaxInt64)/each {
		return longest
	}
	return min(longest, time.Duration(rounds*each))
}

// SlotRest is how long a slot of a closed loop rests when no connection came about,
// before its next request is due. A server that refuses would be asked as fast as
// the client can otherwise: ab -r does so and reports it as a rate of requests.
const SlotRest = time.Millisecond

func (p *Plan) validateClosed() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Concurrency < 0 || p.Concurrency > MaxConcurrency {
		add("--concurrency %d: must be 1 to %d", p.Concurrency, MaxConcurrency)
	}
	if !p.Closed() {
		return errors.Join(errs...)
	}
	if p.Ramp != nil {
		add("--concurrency %d and --ramp %v exclude each other", p.Concurrency, p.Ramp)
	} else if p.Rate != (Rate{}) {
		add("--concurrency %d and --rate %v exclude each other: a closed loop sends as fast as replies come", p.Concurrency, p.Rate)
	}
	if p.Arrivals == Poisson {
		add("--concurrency %d: replies say when its requests start, not --arrivals %s", p.Concurrency, p.Arrivals)
	}
	if p.Concurrency > p.MaxConnections && p.MaxConnections > 0 && !p.HTTP2 {
		add("--concurrency %d: is more than --max-connections %d", p.Concurrency, p.MaxConnections)
	}
	return errors.Join(errs...)
}
