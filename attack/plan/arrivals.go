package plan

import (
	"math"
	"math/rand/v2"
	"time"
)

// Process is how arrivals are spread over the window.
type Process string

const (
	// Uniform spaces requests evenly, as httperf does.
	Uniform Process = "uniform"
	// Poisson is a Poisson process conditioned on the plan: exactly the
	// planned number of requests in exactly the window, in random places.
	Poisson Process = "poisson"
)

// Arrival is one planned request: its number, counted from 0 with the warm-up
// first, and its due time from the origin. Due times of the warm-up are negative.
type Arrival struct {
	Seq uint64
	Due time.Duration
}

// Arrivals yields a plan's requests in order. It is an iterator in constant
// memory that reads no clock: two iterators over one plan agree for ever.
type Arrivals struct {
	plan         *Plan
	next, step   uint64 // number to be yielded next; distance to the one after
	warmup, end  uint64 // numbers below warmup are the warm-up's; end is beyond the last
	warmupStart  time.Duration
	ramp         *curve       // nil for an even rate
	random       *conditioned // nil for uniform arrivals
	measured     *conditioned // takes over from random after the warm-up
	generated    uint64       // numbers that random has already produced
	generatedDue time.Duration
}

// Schedule is the whole plan's Arrivals.
func (p *Plan) Schedule() *Arrivals { return p.Share(0, 1) }

// Share is share i of k of the plan's Arrivals: the requests whose number
// leaves i when divided by k. The shares together are the whole plan, but for a
// closed loop, whose shares are empty: see Dealer.
func (p *Plan) Share(i, k int) *Arrivals {
	if p.Closed() {
		return &Arrivals{plan: p}
	}
	warmup := p.WarmupRequests()
	a := &Arrivals{
		plan: p, next: uint64(i), step: uint64(k),
		warmup: warmup, end: saturatingAdd(warmup, p.Planned()),
		warmupStart: -p.WarmupLength(),
	}
	if p.bent() {
		ramp := p.Ramp.over(p.Duration.Std())
		a.ramp = &ramp
	}
	if p.Arrivals == Poisson {
		a.random = newConditioned(p.Seed, 1, warmup, a.warmupStart, p.warmupRate())
		a.measured = newConditioned(p.Seed, 2, p.Planned(), 0, p.Rate)
		if a.ramp != nil {
			a.measured.bend(*a.ramp)
		}
	}
	return a
}

// Measurement is the whole plan's Arrivals without the warm-up.
func (p *Plan) Measurement() *Arrivals {
	a := p.Schedule()
	a.SkipWarmup()
	return a
}

// SkipWarmup moves on to the first request of the measurement: at once, however
// long the warm-up is.
func (a *Arrivals) SkipWarmup() {
	if a.next >= a.warmup {
		return
	}
	a.next += ((a.warmup-a.next-1)/a.step + 1) * a.step
	a.generated = max(a.generated, a.warmup)
}

// Next yields the next request; ok is false after the last.
func (a *Arrivals) Next() (next Arrival, ok bool) {
	if a.next >= a.end {
		return Arrival{}, false
	}
	next = Arrival{Seq: a.next, Due: a.due(a.next)}
	a.next = saturatingAdd(a.next, a.step)
	return next, true
}

func (a *Arrivals) due(seq uint64) time.Duration {
	if a.random != nil {
		return a.randomDue(seq)
	}
	if seq < a.warmup {
		return -a.plan.warmupRate().At(a.warmup - seq)
	}
	if a.ramp != nil {
		return a.ramp.at(seq - a.warmup)
	}
	return a.plan.Rate.At(seq - a.warmup)
}

// randomDue draws every number up to seq, so that shares see the same process.
func (a *Arrivals) randomDue(seq uint64) time.Duration {
	for ; a.generated <= seq; a.generated++ {
		if a.generated == a.warmup {
			a.random = a.measured
		}
		a.generatedDue = a.random.next()
	}
	return a.generatedDue
}

// conditioned draws n uniform points of a window in order, in constant memory:
// the least of m points left in a remainder of length r lies r·(1−U^(1/m))
// beyond its start (Bentley and Saxe, Generating Sorted Lists of Random
// Numbers, ACM TOMS 6(3), 1980).
type conditioned struct {
	rng         *rand.Rand
	left        float64       // points not yet drawn
	at, length  float64       // ns from the start: of the last point, and of the window's end
	start, last time.Duration // the window's first and last nanosecond
	ramp        *curve        // at and length count requests instead, whose times it tells; nil for an even rate
}

func newConditioned(seed, stream, n uint64, start time.Duration, rate Rate) *conditioned {
	return &conditioned{
		rng:  rand.New(rand.NewPCG(seed, stream)),
		left: float64(n), start: start, last: start + max(rate.At(n)-1, 0),
		// Not from At, which stops at 292 years: the gaps would shrink to fit.
		length: float64(n) / rate.PerSecond() * 1e9,
	}
}

func (c *conditioned) next() time.Duration {
	u := 1 - c.rng.Float64() // in (0, 1], so that the logarithm is finite
	c.at += (c.length - c.at) * -math.Expm1(math.Log(u)/c.left)
	c.left--
	at := c.at
	if c.ramp != nil {
		whole, part := math.Modf(at)
		at = c.ramp.time(uint64(whole), part)
	}
	if at >= float64(c.last-c.start) {
		return c.last // beyond it the conversion may overflow
	}
	return c.start + time.Duration(at)
}

// bend makes the rate that of a ramp: the points of such a process are those of an
// even one where time is counted in requests (Çınlar, Introduction to Stochastic
// Processes, 1975, 4.7).
func (c *conditioned) bend(ramp curve) {
	c.ramp, c.length = &ramp, c.left
	c.last = max(ramp.at(uint64(c.left))-1, 0)
}

func saturatingAdd(a, b uint64) uint64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return math.MaxUint64
}
