package attack

import (
	"maps"
	"slices"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// logHeld is how many outcomes wait for an earlier request to end, some 50 MB.
// Vegeta's commands sort what they read, so that the order may be given up then.
const logHeld = 1 << 18

// order puts outcomes, which come as requests end, into the order of the plan.
//
// Those that come early are held until their turn. When more than limit are
// held, the request that they wait for is overtaken, and passed on when it ends.
// What is held thus stays bounded however long one request takes; the overtaken
// ones are no more than are in flight.
type order struct {
	pass      func(o *record.Outcome, unsent bool)
	schedule  *plan.Arrivals // keeps step with next, for the due times of requests without an outcome
	targetOf  func(seq uint64) uint32
	next      uint64 // lowest number that has not had its turn
	held      map[uint64]*record.Outcome
	overtaken map[uint64]time.Duration // due times
	limit     int
	end       time.Duration // when the last of all ended
}

func newOrder(p *plan.Plan, pass func(o *record.Outcome, unsent bool)) *order {
	return &order{
		pass: pass, schedule: p.Measurement(), targetOf: p.TargetOf, next: p.WarmupRequests(),
		held: map[uint64]*record.Outcome{}, overtaken: map[uint64]time.Duration{}, limit: logHeld,
	}
}

// add takes an outcome, which the caller may use again afterwards.
func (q *order) add(o *record.Outcome) {
	q.end = max(q.end, o.Done)
	if o.Seq < q.next {
		if _, ok := q.overtaken[o.Seq]; ok {
			delete(q.overtaken, o.Seq)
			q.pass(o, false)
		}
		return
	}
	if o.Seq == q.next {
		q.turn()
		q.pass(o, false)
	} else {
		early := *o
		q.held[o.Seq] = &early
	}
	q.passHeld()
	for len(q.held) > q.limit {
		seq := q.next
		q.overtaken[seq] = q.turn()
		q.passHeld()
	}
}

// passHeld passes on those whose turn has come.
func (q *order) passHeld() {
	for {
		o, ok := q.held[q.next]
		if !ok {
			return
		}
		delete(q.held, q.next)
		q.turn()
		q.pass(o, false)
	}
}

// turn ends the turn of next and returns its due time.
func (q *order) turn() time.Duration {
	q.next++
	a, _ := q.schedule.Next()
	return a.Due
}

// finish passes on all that is left. Requests below the highest number that have
// no outcome never started.
func (q *order) finish() {
	for len(q.held) > 0 {
		seq := q.next
		q.passUnsent(seq, q.turn())
		q.passHeld()
	}
	for _, seq := range slices.Sorted(maps.Keys(q.overtaken)) {
		q.passUnsent(seq, q.overtaken[seq])
	}
}

func (q *order) passUnsent(seq uint64, due time.Duration) {
	o := record.NewOutcome(seq, due)
	o.Target, o.Done = q.targetOf(seq), max(q.end, due)
	q.pass(&o, true)
}
