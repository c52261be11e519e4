package search

import (
	"math"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Limits of the sentinel.
const (
	// sentinelTries is how often a server may be found not yet recovered until the
	// search gives up. Trials are spoilt by others too: with one in ten, five in a
	// row are not an accident.
	sentinelTries = 5

	// sentinelShare is how much slower, or dearer in CPU, than at ease a recovered
	// server may be; a convention.
	sentinelShare = 0.10

	// sentinelErrors: of few requests the median itself moves. That of n
	// exponential times has a standard error of 1.44/√n of itself; the logarithm of
	// the ratio of two exceeds three standard errors, √2 times as much, once in 700.
	sentinelErrors = 3 * math.Sqrt2 / math.Ln2

	// sentinelFloor, in seconds: what no user and few clients can tell.
	sentinelFloor = 1e-3
)

// watch sees to it that the server has recovered from one trial before the next.
type watch struct {
	owed  bool
	cause int     // index of the trial that it was overloaded in
	tries int     // sentinels after it
	valid int     // of them those that the client did not spoil
	ease  *Result // the first that passed at the lowest rate; the fastest would be so by chance
	never int     // number of the trial that it did not recover from, 0 for none
}

// load looks at the trial with the given index: whether it shows the server at
// ease, or may have hurt it.
func (w *watch) load(r *Result, lowest plan.Rate, index int) {
	if r.Trial.Rate == lowest {
		w.keep(r)
		return
	}
	if !r.Passed() {
		w.owed, w.cause, w.tries, w.valid = true, index, 0, 0
	}
}

// keep keeps r if it is the first to show the server at ease.
func (w *watch) keep(r *Result) {
	if w.ease == nil && r.Valid && r.Passed() && r.Response.Defined() {
		kept := *r
		w.ease = &kept
	}
}

func (s *Search) recordSentinel(r *Result) {
	w := &s.watch
	w.tries++
	if r.Valid {
		w.valid++
	}
	switch {
	case r.Valid && recovered(w.ease, r):
		w.owed = false
		s.Trials[w.cause].Sentinels = w.tries
	case w.tries >= sentinelTries:
		w.owed, s.broken = false, true
		s.gaveUp()
	}
}

// gaveUp sets the outcome of a search that its sentinel ended. An answer already
// found stands.
func (s *Search) gaveUp() {
	w := &s.watch
	if w.valid > 0 {
		w.never = s.Trials[w.cause].Trial.Number
	}
	switch {
	case s.outcome != Unfinished:
	case w.valid > 0:
		s.outcome = NotRecovered
	default:
		s.Client.Limits = true
		s.outcome = ClientLimited
	}
}

// recovered says whether the server is as well as it was at ease.
func recovered(ease, r *Result) bool {
	if !r.Passed() || ease == nil {
		return false
	}
	noise := sentinelErrors / math.Sqrt(float64(min(ease.Requests, r.Requests)))
	share := record.Number(max(1+sentinelShare, math.Exp(noise)))
	if !(r.Response <= ease.Response*share+sentinelFloor) {
		return false
	}
	dearer := r.CPU-r.CPUWithin > ease.CPU*share+ease.CPUWithin // false if any is undefined
	return !dearer
}
