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
	Behaviour Behaviour     `json:"behaviour"`       // the worst seen above the answer; empty if it was not looked at, or not to the end
	Beyond    []Beyond      `json:"beyond"`          // where it was seen, and where it was not and why
	Never     int           `json:"never_recovered"` // number of the trial that the server did not recover from, 0 for none
}

// Answer is what is known now: at the end, or when a search is broken off.
func (s *Search) Answer() Answer {
	a := Answer{
		Outcome: s.outcome, Passes: record.Undefined(), Fails: record.Undefined(), Goodput: record.Undefined(),
		Confirmed: true, Missed: []string{}, Never: s.watch.never,
	}
	var whole bool
	if a.Beyond, whole = s.looked(); whole {
		a.Behaviour = worst(a.Beyond)
	}
	if low := s.Bracket.low(); low != nil {
		a.Passes, a.Confirmed = record.Number(low.Rate), low.Confirmed
		a.Goodput, _ = s.peak()
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
	text := a.rates() + a.beyond()
	if a.Never > 0 {
		text += fmt.Sprintf("; the server did not recover from trial %d", a.Never)
	}
	return text
}

// beyond says no more than was looked at: the worst up to the highest rate that was, or
// why there is no telling.
func (a Answer) beyond() string {
	if len(a.Beyond) == 0 {
		return ""
	}
	last := a.Beyond[len(a.Beyond)-1]
	if a.Behaviour == "" {
		return "; beyond it not known: " + last.Why
	}
	text := fmt.Sprintf("; beyond it the server %s", a.Behaviour)
	if last.Why != "" {
		text += " as far as was tried"
	}
	if queue := a.queued(); queue > 0 && a.Behaviour != Collapses {
		text += fmt.Sprintf(", with a queue of %.2g s at the end of the trials", queue)
	}
	return text
}

// queued is the longest queue that trials beyond the answer left at their ends, 0 for
// none worth a word.
func (a Answer) queued() (longest record.Number) {
	for _, b := range a.Beyond {
		if b.Queue > longest {
			longest = b.Queue
		}
	}
	return longest
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
