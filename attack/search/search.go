// Package search says which rate to offer next, and whether the last one was good
// enough. It makes no request, reads no clock and starts no goroutine: a caller
// asks for a trial, makes it and records what came of it, until there is none.
//
// A Search finds the capacity of a server, the highest rate at which every
// objective is met, as a gap between a rate that passes and one that fails. One
// noisy trial must not decide: with one in ten spoilt, a plain bisection ends 5 %
// low on average and loses half of its range at worst. So rates are voted upon,
// best of 3 while narrowing and best of 5 at the end, where trials are longer and
// overrule the shorter (Multiple Loss Ratio Search, draft-ietf-bmwg-mlrsearch,
// with an exceed ratio of one half and trials of equal length). After each failing
// trial a sentinel at the lowest rate shows that the server has recovered, since
// overload may leave a state that outlives it. Steps are the plain sweep.
//
// Rates are requests per second, times seconds, CPU seconds per reply.
package search

import (
	"fmt"
	"slices"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// maxInvalid is how many trials of one rate the client may spoil, if they are also
// the most of them, until it is taken for the limit. With hiccups in one trial of
// twenty, three would still mislead some simulated searches in a hundred.
const maxInvalid = 4

// Search is a capacity search under way. As JSON it is all that it knows; the same
// results recorded into a new search of the same goal lead to the same state. Use
// New.
type Search struct {
	Goal    Goal     `json:"goal"`
	Trials  []Result `json:"trials"` // in order
	Bracket Bracket  `json:"bracket"`
	Client  Client   `json:"client"`
	Beyond  []Beyond `json:"beyond"` // behaviour above the answer, as far as it was looked at

	outcome   Outcome // Unfinished until the bracket answers
	broken    bool    // the sentinel ended it
	brokenOff string  // why the caller did, see BreakOff
	most      float64 // no rate above it is tried
	pending   Trial   // handed out and not yet recorded
	at        vote
	ceiling   vote
	watch     watch
}

// vote gathers the trials of one rate for one purpose. The zero value is none.
type vote struct {
	step
	passes, fails, invalid int
	missed                 map[string]int
	goodput, good          []record.Number // of valid trials
}

// New starts a search. Errors name the goal's faults.
func New(g Goal) (*Search, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	g.From = rate(g.From.PerSecond())
	s := &Search{
		Goal: g, Trials: []Result{}, Beyond: []Beyond{},
		Bracket: Bracket{Passing: []Level{}, Failing: []Level{}},
		most:    plan.MaxRate,
	}
	if most := g.Most.PerSecond(); most > 0 {
		s.most = most
	}
	return s, nil
}

// Next is the trial to make; the same until it is recorded. ok is false when the
// search is over.
func (s *Search) Next() (t Trial, ok bool) {
	if s.pending.Number == 0 {
		if st, more := s.choose(); more {
			s.pending = s.trial(st)
		}
	}
	return s.pending, s.pending.Number != 0
}

// trial is the next trial of a step, numbered, with its length and its own seed.
func (s *Search) trial(st step) Trial {
	number, repeat := len(s.Trials)+1, 1
	for i := len(s.Trials) - 1; i >= 0; i-- {
		t := &s.Trials[i].Trial
		if st.purpose != Sentinel && t.Purpose == Sentinel {
			continue
		}
		if t.Purpose == st.purpose && t.Rate.PerSecond() == st.rate {
			repeat = t.Repeat + 1
		}
		break
	}
	return Trial{
		Number: number, Purpose: st.purpose, Rate: rate(st.rate), Repeat: repeat,
		Length: s.Goal.length(st.purpose), Seed: s.Goal.Seed + uint64(number),
	}
}

// choose is the next thing to measure: first what the trials so far call for,
// then the load, then what lies beyond the answer.
func (s *Search) choose() (step, bool) {
	for !s.broken {
		if s.watch.owed {
			return step{Sentinel, s.Goal.From.PerSecond()}, true
		}
		if s.at.purpose == "" {
			next, ok := s.load()
			if !ok {
				return step{}, false
			}
			s.at = vote{step: next, missed: map[string]int{}}
		}
		proof, able := s.proof(s.at.rate)
		switch {
		case !able:
			s.beyondClient()
		case proof > 0:
			return step{Ceiling, proof}, true
		default:
			return s.at.step, true
		}
	}
	return step{}, false
}

// load is the next rate to vote upon.
func (s *Search) load() (step, bool) {
	if s.outcome == Unfinished {
		if next, ok := s.Bracket.next(&s.Goal, s.most); ok {
			return next, true
		}
		s.outcome = s.concluded()
	}
	return s.beyond()
}

// Record takes what the trial of Next showed. It is an error to record another.
func (s *Search) Record(r Result) error {
	if s.pending.Number == 0 || r.Trial != s.pending {
		return fmt.Errorf("capacity search: result of trial %d, %s at %v/s, is not that of the trial asked for, %d",
			r.Trial.Number, r.Trial.Purpose, r.Trial.Rate, s.pending.Number)
	}
	s.pending = Trial{}
	r.Sentinels = 0
	s.Trials = append(s.Trials, r)
	switch r.Trial.Purpose {
	case Ceiling:
		s.recordCeiling(&r)
	case Sentinel:
		s.recordSentinel(&r)
	default:
		s.recordLoad(&r)
	}
	return nil
}

func (s *Search) recordLoad(r *Result) {
	s.watch.load(r, s.Goal.From, len(s.Trials)-1)
	s.at.count(r)
	passed, decided := s.at.decided(&s.Goal)
	hopeless := s.at.hopeless()
	switch {
	case !decided && !hopeless:
		return
	case s.at.purpose == Overload && hopeless:
		s.Beyond = append(s.Beyond, s.at.unmeasured(clientWas))
	case s.at.purpose == Overload:
		_, peak := s.peak()
		s.Beyond = append(s.Beyond, s.at.beyond(peak, s.Goal.Lengths.Overload))
	case hopeless:
		s.Bracket.settle(Level{Rate: s.at.rate, Confirmed: true, Client: true}, false)
	default:
		s.Bracket.settle(s.at.level(), passed)
	}
	s.at = vote{}
}

func (v *vote) count(r *Result) {
	switch {
	case !r.Valid:
		v.invalid++
		return
	case r.Passed():
		v.passes++
	default:
		v.fails++
		for _, criterion := range r.Missed {
			v.missed[criterion]++
		}
	}
	v.goodput, v.good = append(v.goodput, r.GoodputRate), append(v.good, r.GoodReplies)
}

// hopeless says whether the client spoils most trials of this rate.
func (v *vote) hopeless() bool {
	return v.invalid >= maxInvalid && v.invalid > v.passes+v.fails
}

// decided says whether the valid trials agree, and upon what. A ramp goes on at the
// first pass and a client is taken at its word. Of n trials of one length, one half or
// less of the time failing is a pass in MLRsearch's classification: with n odd that is
// the majority.
func (v *vote) decided(g *Goal) (passed, ok bool) {
	need := g.majority(v.purpose)
	switch {
	case v.purpose == Overload:
		return false, v.passes+v.fails >= need
	case v.purpose == Ramp || v.purpose == Baseline || v.purpose == Ceiling:
		if v.passes == 1 && v.fails == 0 {
			return true, true
		}
	}
	return v.passes >= need, max(v.passes, v.fails) >= need
}

func (v *vote) level() Level {
	return Level{Rate: v.rate, Confirmed: v.purpose == Decide, Missed: v.criteria()}
}

// criteria are those missed in the failing trials, the most frequent first.
func (v *vote) criteria() []string {
	var names []string
	for name := range v.missed {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := v.missed[b] - v.missed[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}
