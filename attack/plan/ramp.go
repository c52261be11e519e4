package plan

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// Bounds of a ramp. Within them its due times, computed in floating point, are
// right to a nanosecond and in order.
const (
	MaxRampRate     = 1e6 // requests per second
	MaxRampDuration = Seconds(1_000_000 * time.Second)
)

// Ramp is a rate that changes evenly over Plan.Duration, from From to To requests a
// second. Both are above 0.
type Ramp struct {
	From Rate `json:"from_per_s"`
	To   Rate `json:"to_per_s"`
}

// ParseRamp reads FROM..TO, both as ParseRate does but at most MaxRampRate, up or
// down. Errors name the text.
func ParseRamp(text string) (Ramp, error) {
	from, to, _ := strings.Cut(text, "..")
	if from == "" || to == "" || to[0] == '.' || strings.Contains(to, "..") {
		return Ramp{}, fmt.Errorf("%q is not a ramp: want two rates, as in 100..400", text)
	}
	var r Ramp
	var err1, err2 error
	r.From, err1 = parseEnd(from)
	r.To, err2 = parseEnd(to)
	return r, errors.Join(err1, err2)
}

// parseEnd tells of a ramp's own bounds, not of those of a rate, which are wider: who
// kept to these would be refused again.
func parseEnd(text string) (Rate, error) {
	r, err := ParseRate(text)
	number := err == nil || rateText.MatchString(text) || strings.Trim(text, "0123456789") == ""
	if number && (err != nil || r.PerSecond() > MaxRampRate) {
		return Rate{}, fmt.Errorf("%q is out of range: the rates of a ramp are from %.6f to %.0f requests a second", text, MinRate, MaxRampRate)
	}
	return r, err
}

// String is as ParseRamp reads it.
func (r Ramp) String() string { return r.From.String() + ".." + r.To.String() }

// Mean is the rate in the middle of the ramp, which is its mean.
func (r Ramp) Mean() Rate {
	sum := new(big.Rat).Add(r.From.exact(), r.To.exact())
	interval := sum.Quo(big.NewRat(2e9, 1), sum)
	if !interval.Num().IsUint64() || !interval.Denom().IsUint64() { // some millionths beside some millions
		return Rate{}
	}
	return Rate{ns: interval.Num().Uint64(), requests: interval.Denom().Uint64()}
}

// exact is r in requests per second.
func (r Rate) exact() *big.Rat {
	f := new(big.Rat).SetFrac(new(big.Int).SetUint64(r.requests), new(big.Int).SetUint64(max(r.ns, 1)))
	return f.Mul(f, big.NewRat(1e9, 1))
}

// curve is a ramp over a time. Up to t, N(t) = from·t + (to−from)·t²/(2·over)
// requests are due. One that falls is kept as its mirror image, which rises: near a
// rate of 0 its root would lose its digits.
type curve struct {
	from, bend float64       // of what rises: per ns; half of the change of the rate, per ns²
	over       time.Duration // the ramp's length
	all        uint64        // requests due before its end: N(over) rounded up
	whole      uint64        // N(over) is whole and rest
	rest       float64
	falls      bool
}

func (r Ramp) over(d time.Duration) curve {
	from, to := r.From.PerSecond()/1e9, r.To.PerSecond()/1e9
	c := curve{from: min(from, to), bend: math.Abs(to-from) / float64(d) / 2, over: d, falls: to < from}
	n := new(big.Rat).Mul(new(big.Rat).Add(r.From.exact(), r.To.exact()), big.NewRat(int64(d), 2e9))
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	if !whole.IsUint64() {
		c.whole, c.all = math.MaxUint64, math.MaxUint64
		return c
	}
	c.rest, _ = new(big.Rat).SetFrac(rest, n.Denom()).Float64()
	c.whole = whole.Uint64()
	c.all = c.whole + uint64(rest.Sign())
	return c
}

// rise is when what rises comes to n, in ns. Of the two forms of the root this one
// loses no digits, and it holds for a rate that does not change.
func (c curve) rise(n float64) float64 { return 2 * n / (c.from + math.Sqrt(c.from*c.from+4*c.bend*n)) }

// time is when N(t) is n and a part of one, in ns.
func (c curve) time(n uint64, part float64) float64 {
	end := float64(c.over)
	if !c.falls {
		return min(c.rise(float64(n)+part), end)
	}
	left := max(float64(c.whole-min(n, c.whole))+c.rest-part, 0)
	return max(end-c.rise(left), 0)
}

// at is the due time of request n, rounded down to a nanosecond; that of the first
// beyond the ramp, and of all after it, is the ramp's end.
func (c curve) at(n uint64) time.Duration {
	if n >= c.all {
		return c.over
	}
	return min(time.Duration(c.time(n, 0)), c.over-1)
}

// before is the number of requests due earlier than d.
func (c curve) before(d time.Duration) uint64 {
	if d <= 0 {
		return 0
	}
	if d >= c.over {
		return c.all
	}
	n := c.near(float64(d))
	for n > 0 && c.at(n-1) >= d {
		n--
	}
	for n < c.all && c.at(n) < d {
		n++
	}
	return n
}

// near is N(t) within a few.
func (c curve) near(t float64) uint64 {
	if c.falls {
		t = float64(c.over) - t
	}
	n := uint64(c.from*t + c.bend*t*t)
	if c.falls {
		return c.whole - min(n, c.whole)
	}
	return n
}

// At is the due time of the n-th request of uniform arrivals, counted from 0 without
// the warm-up; for one beyond the plan, of what it would be.
func (p *Plan) At(n uint64) time.Duration {
	if p.bent() {
		return p.Ramp.over(p.Duration.Std()).at(n)
	}
	return p.Rate.At(n)
}

// Before is the number of requests of uniform arrivals, without the warm-up, that
// are due earlier than d.
func (p *Plan) Before(d time.Duration) uint64 {
	if p.bent() {
		return p.Ramp.over(p.Duration.Std()).before(d)
	}
	return p.Rate.Before(d)
}

// bent says whether the rate changes.
func (p *Plan) bent() bool { return p.Ramp != nil && p.Ramp.From != p.Ramp.To }

// RampEnd is the rate at which a plan with a Ramp ends, in requests per second: To, or
// less far if Total ends it before.
func (p *Plan) RampEnd() float64 {
	from, to := p.Ramp.From.PerSecond(), p.Ramp.To.PerSecond()
	if p.Window() >= p.Duration.Std() {
		return to
	}
	return from + (to-from)*p.Window().Seconds()/p.Duration.Std().Seconds()
}

// PeakRate is the highest rate that the plan comes to, in requests per second; 0 for
// a closed loop, where it is not known.
func (p *Plan) PeakRate() float64 {
	if p.Ramp == nil {
		return p.Rate.PerSecond()
	}
	return max(p.Ramp.From.PerSecond(), p.Ramp.To.PerSecond())
}

// WarmupLength is how long before the measurement the first request is due.
func (p *Plan) WarmupLength() time.Duration {
	if p.Closed() {
		return p.Warmup.Std()
	}
	return p.warmupRate().At(p.WarmupRequests())
}

// warmupRate is that at which the measurement begins.
func (p *Plan) warmupRate() Rate {
	if p.Ramp != nil {
		return p.Ramp.From
	}
	return p.Rate
}

func (p *Plan) validateRamp() error {
	r := p.Ramp
	if r == nil {
		return nil
	}
	var errs []error
	if p.PeakRate() > MaxRampRate {
		errs = append(errs, fmt.Errorf("--ramp %v: at most %.0f requests a second", r, MaxRampRate))
	}
	if r.From == (Rate{}) || r.To == (Rate{}) || r.Mean() == (Rate{}) {
		errs = append(errs, fmt.Errorf("--ramp %v: want two rates above 0 that have a mean", r))
	}
	if p.Duration <= 0 {
		errs = append(errs, fmt.Errorf("--ramp %v: needs a --duration, over which the rate changes", r))
	}
	if p.Duration > MaxRampDuration {
		errs = append(errs, fmt.Errorf("--duration %v: is too long for --ramp %v, which lasts %v at most", p.Duration, r, MaxRampDuration))
	}
	return errors.Join(errs...)
}
