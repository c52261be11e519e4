package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"regexp"
	"strconv"
	"time"
)

// Bounds of a rate, in requests per second. The upper one is a request each
// nanosecond, the unit of due times.
const (
	MinRate = 1e-6
	MaxRate = 1e9
)

// Rate is a number of requests per second, kept as a fraction so that the
// n-th due time is exact for every n. The zero value is no rate at all.
type Rate struct {
	// ns/requests nanoseconds pass from one request to the next, in lowest terms.
	ns, requests uint64
}

var rateText = regexp.MustCompile(`^([0-9]{1,10}(?:\.[0-9]{1,6})?)(?:/([smh]))?$`)

var secondsPerUnit = map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600}

// ParseRate reads 300, 0.5, 2.5/s, 30/m or 90/h: up to six decimals, per second
// unless said otherwise. Errors name the text.
func ParseRate(text string) (Rate, error) {
	m := rateText.FindStringSubmatch(text)
	if m == nil {
		return Rate{}, fmt.Errorf("%q is not a rate: want 300, 0.5, 2.5/s or 30/m", text)
	}
	perSecond, _ := new(big.Rat).SetString(m[1])
	perSecond.Quo(perSecond, big.NewRat(secondsPerUnit[m[2]], 1))
	if f, _ := perSecond.Float64(); f < MinRate || f > MaxRate {
		return Rate{}, fmt.Errorf("%q is out of range: from %g to %g requests a second", text, MinRate, MaxRate)
	}
	interval := new(big.Rat).Quo(big.NewRat(1e9, 1), perSecond)
	return Rate{ns: interval.Num().Uint64(), requests: interval.Denom().Uint64()}, nil
}

// PerSecond is the rate as the nearest float, for printing and statistics.
func (r Rate) PerSecond() float64 {
	if r.ns == 0 {
		return 0
	}
	f := new(big.Rat).SetFrac(new(big.Int).SetUint64(r.requests), new(big.Int).SetUint64(r.ns))
	perSecond, _ := f.Mul(f, big.NewRat(1e9, 1)).Float64()
	return perSecond
}

// String is the rate per second with no more digits than it needs.
func (r Rate) String() string { return strconv.FormatFloat(r.PerSecond(), 'f', -1, 64) }

// At is the exact due time of the n-th request, counted from 0, rounded down
// to a nanosecond. It stops at the longest time.Duration (292 years).
func (r Rate) At(n uint64) time.Duration {
	if r.requests == 0 {
		return 0
	}
	hi, lo := bits.Mul64(n, r.ns)
	if hi >= r.requests {
		return math.MaxInt64
	}
	ns, _ := bits.Div64(hi, lo, r.requests)
	return time.Duration(min(ns, math.MaxInt64))
}

// Before is the number of requests due earlier than d: the least n whose exact
// due time is not below d.
func (r Rate) Before(d time.Duration) uint64 {
	if d <= 0 || r.ns == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(d), r.requests)
	lo, carry := bits.Add64(lo, r.ns-1, 0)
	hi += carry
	if hi >= r.ns {
		return math.MaxUint64
	}
	n, _ := bits.Div64(hi, lo, r.ns)
	return n
}

// MarshalJSON writes requests per second.
func (r Rate) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, r.PerSecond(), 'f', -1, 64), nil
}

// UnmarshalJSON reads requests per second and finds the fraction again that
// ParseRate made: 0.016666666666666666 is 1/m. A number that is not the float of
// such a rate is rounded to six decimals.
func (r *Rate) UnmarshalJSON(text []byte) error {
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if f == 0 {
		*r = Rate{}
		return nil
	}
	for _, unit := range []string{"s", "m", "h"} {
		if parsed, err := nearestRate(f, unit); err == nil && parsed.PerSecond() == f {
			*r = parsed
			return nil
		}
	}
	parsed, err := nearestRate(f, "s")
	if err != nil {
		return fmt.Errorf("%g is not a rate: want %g to %g requests a second", f, MinRate, MaxRate)
	}
	*r = parsed
	return nil
}

// nearestRate is f requests per second as six decimals of a rate per unit.
func nearestRate(f float64, unit string) (Rate, error) {
	perUnit := math.Round(f*float64(secondsPerUnit[unit])*1e6) / 1e6
	return ParseRate(strconv.FormatFloat(perUnit, 'f', -1, 64) + "/" + unit)
}
