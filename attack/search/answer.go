package search

import (
	"fmt"
	"strings"

	"ratebench/attack/record"
)

// Outcome is how a search ended.
type Outcome string

const (
	Unfinished    Outcome = ""               // interrupted; the rates are what was known by then
	Found         Outcome = "found"          // the capacity lies in [Passes, Fails)
	FailsLowest   Outcome = "fails_lowest"   // even at the lowest rate
	PassesHighest Outcome = "passes_highest" // even at the highest rate asked for
	ClientLimited Outcome = "client_limited" // the client could not offer what would have decided
	NotRecovered  Outcome = "not_recovered"  // the server did not recover from a failing trial
)

// Answer is what a search has found.
type Answer struct {
	Outcome   Outcome       `json:"outcome"`
	Passes    record.Number `json:"passes_per_s"`    // the highest rate that passes, null if none is known
	Fails     record.Number `json:"fails_per_s"`     // the lowest that fails above it, null if none is known
	Missed    []string      `json:"missed"`          // at Fails, the most often missed criterion first
	Client    bool          `json:"client"`          // at Fails the client was the limit, not the server
	Confirmed bool          `json:"confirmed"`       // both rates rest on trials of full length
	Goodput   record.Number `json:"goodput_per_s"`   // median of those trials at Passes
	Behaviour Behaviour     `json:"behaviour"`       // the worst seen above the answer; empty if not looked at
	Beyond    []Beyond      `json:"beyond"`          // where it was seen
	Never     int           `json:"never_recovered"` // number of the trial that the server did not recover from, 0 for none
}

// Answer is what is known now: at the end, or when a search is broken off.
func (s *Search) Answer() Answer {
	a := Answer{
		Outcome: s.outcome, Passes: record.Undefined(), Fails: record.Undefined(), Goodput: record.Undefined(),
		Confirmed: true, Missed: []string{}, Behaviour: worst(s.Beyond), Beyond: s.Beyond, Never: s.watch.never,
	}
	if low := s.Bracket.low(); low != nil {
		a.Passes, a.Goodput = record.Number(low.Rate), s.peak()
		a.Confirmed = low.Confirmed
	}
	if high := s.Bracket.high(); high != nil {
		a.Fails, a.Client = record.Number(high.Rate), high.Client
		a.Missed = append(a.Missed, high.Missed...)
		a.Confirmed = a.Confirmed && high.Confirmed
	}
	return a
}

// concluded is the outcome of a bracket in which nothing is left to be asked.
func (s *Search) concluded() Outcome {
	low, high := s.Bracket.low(), s.Bracket.high()
	switch {
	case high == nil && !s.Client.Limits:
		return PassesHighest
	case high == nil || high.Client:
		return ClientLimited
	case low == nil:
		return FailsLowest
	}
	return Found
}

func worst(beyond []Beyond) Behaviour {
	seen := map[Behaviour]bool{}
	for _, b := range beyond {
		seen[b.Behaviour] = true
	}
	for _, b := range []Behaviour{Collapses, Degrades, Holds} {
		if seen[b] {
			return b
		}
	}
	return ""
}

// String is the answer in a sentence or two.
func (a Answer) String() string {
	text := a.rates()
	if a.Behaviour != "" {
		text += fmt.Sprintf("; beyond it the server %s", a.Behaviour)
	}
	if a.Never > 0 {
		text += fmt.Sprintf("; the server did not recover from trial %d", a.Never)
	}
	return text
}

func (a Answer) rates() string {
	missed := strings.Join(a.Missed, ", ")
	switch a.Outcome {
	case Found:
		return fmt.Sprintf("capacity %.5g/s: passes there, at %.5g/s it misses %s", a.Passes, a.Fails, missed)
	case FailsLowest:
		return fmt.Sprintf("fails at the lowest rate, %.5g/s: misses %s", a.Fails, missed)
	case PassesHighest:
		return fmt.Sprintf("passes at the highest rate asked for, %.5g/s", a.Passes)
	case ClientLimited:
		return "client limited: " + a.known()
	case NotRecovered:
		return "not recovered: " + a.known()
	}
	return "unfinished: " + a.known()
}

// known is how far a search came that has no answer.
func (a Answer) known() string {
	text := "no rate passed"
	if a.Passes.Defined() {
		text = fmt.Sprintf("passes at %.5g/s", a.Passes)
	}
	if a.Client {
		return text + fmt.Sprintf(", at %.5g/s %s", a.Fails, clientWas)
	}
	if a.Fails.Defined() {
		text += fmt.Sprintf(", at %.5g/s it misses %s", a.Fails, strings.Join(a.Missed, ", "))
	}
	return text
}
