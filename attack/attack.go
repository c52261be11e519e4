// Package attack offers a plan to a server and records what came back.
//
// Run follows one request's journey: the plan says when it is due, an engine
// sends it then whether or not the server keeps up (an open loop), stamps what
// happens to it, and a recorder counts it. The verdict says whether the client
// or the server was measured.
package attack

import (
	"context"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Hooks let a caller watch a run. The zero value watches nothing. The functions
// are called one at a time and must not block for long.
type Hooks struct {
	Second func(record.Interval) // after each second of the run, warm-up included
	Log    *Log                  // gets every request of the measurement; nil for none
}

// Run offers p, which must be validated and resolved, until it is over or ctx is
// done, and returns what was recorded. Cancelling ctx starts no more requests;
// those in flight get a moment to end and then count as aborted, and the run is
// returned all the same. An error means that no run took place.
func Run(ctx context.Context, p *plan.Plan, hooks Hooks) (*record.Run, error) {
	panic("to be written")
}
