package search

import (
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Purpose is why a trial is made.
type Purpose string

const (
	Ceiling  Purpose = "ceiling"  // can the client offer so much? Against a server that does nothing
	Baseline Purpose = "baseline" // the lowest rate, and how the server answers there when at ease
	Ramp     Purpose = "ramp"     // doubling until a rate fails
	Narrow   Purpose = "narrow"   // halving the bracket with short trials
	Decide   Purpose = "decide"   // full length: the answer rests on these alone
	Sentinel Purpose = "sentinel" // has the server recovered from the trial before?
	Overload Purpose = "overload" // what happens beyond the answer
)

// Trial is one run to be made: Rate for Length, with arrivals from Seed. Before
// it nothing may be in flight any more from the trial before.
type Trial struct {
	Number  int          `json:"trial"` // from 1
	Purpose Purpose      `json:"purpose"`
	Rate    plan.Rate    `json:"rate_per_s"`
	Repeat  int          `json:"repeat"` // from 1: of this rate for this purpose, one after the other
	Length  plan.Seconds `json:"length_s"`
	Seed    uint64       `json:"seed"`
}

// Result is what a trial showed.
type Result struct {
	Trial  Trial    `json:"trial"`
	Valid  bool     `json:"valid"`            // the client was not the limit; otherwise it counts neither way
	Missed []string `json:"missed,omitempty"` // the criteria that were not met; none means that the rate passed

	Objectives []plan.Judged `json:"objectives"` // with the values that they were held against; for people

	Requests    uint64        `json:"requests"`              // replies that Response rests on
	Response    record.Number `json:"response_p50_s"`        // median response time of the replies
	CPU         record.Number `json:"cpu_s_per_reply"`       // of the server; undefined if it was not watched
	CPUWithin   record.Number `json:"cpu_s_per_reply_error"` // CPU is as exact as that; undefined takes CPU out of the sentinel's account
	GoodputRate record.Number `json:"goodput_per_s"`
	GoodReplies record.Number `json:"good_replies_per_s"` // that came in the arrival window: fewer than the goodput while a queue grows

	// Sentinels is how many it took after this trial until the server was found
	// recovered: 1 is at once, more is damage that lasted. 0 means that none was
	// needed or none found it so. Set by the search.
	Sentinels int `json:"sentinels"`
}

// Passed says whether every criterion was met.
func (r *Result) Passed() bool { return len(r.Missed) == 0 }
