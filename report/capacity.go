package report

import (
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/search"
)

// CapacitySchema names the form and version of a Capacity.
const CapacitySchema = "ratebench.capacity/v1"

// Capacity is a search for the highest rate that meets the criteria.
type Capacity struct {
	Schema      string           `json:"schema"` // CapacitySchema
	StartedAt   time.Time        `json:"started_at"`
	Version     string           `json:"version"`           // of ratebench
	Interrupted bool             `json:"interrupted"`       // before the search was over
	Failure     string           `json:"failure,omitempty"` // why it ended early otherwise
	Pause       *plan.Seconds    `json:"pause_s"`           // asked for between trials; null leaves it to search.Settle
	Criteria    []plan.Objective `json:"criteria"`          // all that a rate had to meet
	Answer      search.Answer    `json:"answer"`
	Search      *search.Search   `json:"search"` // its goal, its trials and what it concluded
	Runs        []CapacityRun    `json:"runs"`   // of the trials that were made, in their order
}

// CapacityRun is the run of one trial.
type CapacityRun struct {
	Trial    int          `json:"trial"`     // its number in the search, from 1
	Pause    plan.Seconds `json:"pause_s"`   // before it, since the end of the run before
	LeftOver uint64       `json:"left_over"` // requests that the trial before had given up, against the same server
	Run      *Document    `json:"run"`
}

// Result is what the search made of the run; nil if it was broken off before.
func (c *Capacity) result(r *CapacityRun) *search.Result {
	if r.Trial < 1 || r.Trial > len(c.Search.Trials) {
		return nil
	}
	return &c.Search.Trials[r.Trial-1]
}
