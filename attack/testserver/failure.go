package testserver

import (
	"errors"
	"fmt"
	"slices"
)

// A Failure is a way to fail a request. It takes the place of the reply: it comes
// after the request was served, at the moment the reply would have left.
type Failure string

// Kinds of failure. Refuse is different: it concerns a connection, and its share
// is one of connections. A listening socket either refuses every connection or
// none, so this comes as near as a share can: the connection is accepted and
// reset before anything is read. A client sees a reset, some while still connecting.
const (
	FailStatus   Failure = "status"   // a complete reply of status 500
	FailReset    Failure = "reset"    // RST in place of the reply
	FailTruncate Failure = "truncate" // a full head and half of its body, then FIN; half of the head to a HEAD request
	FailHang     Failure = "hang"     // no reply, the connection stays open
	FailRefuse   Failure = "refuse"   // the accepted connection is reset before anything is read
)

// good is the fate of a request that is not made to fail.
const good Failure = ""

// Failures lists every kind.
func Failures() []Failure {
	return []Failure{FailStatus, FailReset, FailTruncate, FailHang, FailRefuse}
}

func validateFailures(shares map[Failure]float64) error {
	var errs []error
	sum := 0.0
	for _, kind := range sortedKinds(shares) {
		share := shares[kind]
		if !slices.Contains(Failures(), kind) {
			errs = append(errs, fmt.Errorf("--fail %s: want status, reset, truncate, hang or refuse", kind))
		}
		if !(share >= 0 && share <= 1) { // NaN too
			errs = append(errs, fmt.Errorf("--fail %s=%v: the share must be from 0 to 1", kind, share))
		}
		if kind != FailRefuse {
			sum += share
		}
	}
	if len(errs) == 0 && sum > 1+1e-9 {
		errs = append(errs, fmt.Errorf("--fail: the shares of requests add up to %.6g, more than 1", sum))
	}
	return errors.Join(errs...)
}

func sortedKinds(shares map[Failure]float64) []Failure {
	var kinds []Failure
	for kind := range shares {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// unit is the whole of which shares are parts: they are kept to a billionth, as
// integers, so that a count is exact however many requests came before.
const unit = int64(1e9)

// A dealer deals fates to requests, in the order in which they were read, so that
// after every one of them the count of each fate is as near to its share as can be.
// No chance is involved: the fate of the n-th request follows from the shares and n.
//
// The rule is Tijdeman's (The chairman assignment problem, Discrete Mathematics
// 32, 1980). With k fates, good included, the fates whose count is behind by at
// least 1/(2k-2) are eligible, and the one that must be dealt soonest is dealt.
// No count is then ever off by more than 1 - 1/(2k-2): by half for one kind of failure.
type dealer struct {
	fates  []Failure
	shares []int64 // of unit, above 0, adding up to unit
	behind []int64 // share × requests dealt − times dealt, in units
}

// newDealer deals the given kinds; what is left of the whole is good.
func newDealer(all map[Failure]float64, kinds ...Failure) *dealer {
	d := &dealer{}
	rest := unit
	for _, kind := range kinds {
		if share := min(int64(all[kind]*float64(unit)+0.5), rest); share > 0 {
			d.add(kind, share)
			rest -= share
		}
	}
	if rest > 0 {
		d.add(good, rest)
	}
	return d
}

func (d *dealer) add(fate Failure, share int64) {
	d.fates = append(d.fates, fate)
	d.shares = append(d.shares, share)
	d.behind = append(d.behind, 0)
}

// next deals a fate to the next request.
func (d *dealer) next() Failure {
	if len(d.fates) == 1 {
		return d.fates[0]
	}
	slack := unit / int64(2*len(d.fates)-2)
	best := -1
	for i, share := range d.shares {
		d.behind[i] += share
		if d.behind[i] < slack {
			continue
		}
		if best < 0 || d.sooner(i, best, unit-slack) {
			best = i
		}
	}
	d.behind[best] -= unit
	return d.fates[best]
}

// sooner says whether fate i would reach the limit of being behind in fewer requests than j.
func (d *dealer) sooner(i, j int, limit int64) bool {
	return (limit-d.behind[i])*d.shares[j] < (limit-d.behind[j])*d.shares[i]
}
