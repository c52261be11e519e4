package nethttp

import (
	"context"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// slots are a closed loop's. The goroutine that counts outcomes deals each slot its
// next request as the one before is counted; the pacer hands that to vegeta, which
// has an idle worker for it.
type slots struct {
	dealer  *plan.Dealer
	ready   chan plan.Arrival // due, and counted as such; closed when no slot is left
	resting []time.Duration   // until when, the earliest first: all rest equally long
	left    int               // slots
	over    bool              // nothing is dealt any more
	closed  bool              // ready is
}

func newSlots(p *plan.Plan) *slots {
	return &slots{dealer: p.NewDealer(), ready: make(chan plan.Arrival, p.Concurrency), left: p.Concurrency}
}

// deal gives the slot that is free from due on its next request. Without one the
// slot is gone.
func (s *slots) deal(shard *record.Shard, due time.Duration) {
	if !s.over {
		if a, ok := s.dealer.Next(due); ok {
			shard.Take(due)
			s.ready <- a // has room for every slot
			return
		}
	}
	s.lose(1)
}

// lose ends n slots.
func (s *slots) lose(n int) {
	s.left -= n
	if s.left <= 0 && !s.closed {
		s.closed = true
		close(s.ready)
	}
}

// ended lets the slot of a request that has ended and is counted go on.
func (s *slots) ended(shard *record.Shard, o *record.Outcome) {
	if next := o.Next(); next > o.Done && !s.over {
		s.resting = append(s.resting, next)
	} else {
		s.deal(shard, next)
	}
}

// rested lets go on those that have rested.
func (s *slots) rested(shard *record.Shard, now time.Duration) {
	for len(s.resting) > 0 && s.resting[0] <= now {
		due := s.resting[0]
		s.resting = s.resting[1:]
		s.deal(shard, due)
	}
}

// rests is when the next has rested, nil if none rests. origin is the run's.
func (s *slots) rests(origin time.Time) <-chan time.Time {
	if s == nil || len(s.resting) == 0 {
		return nil
	}
	return time.After(time.Until(origin.Add(s.resting[0])))
}

// end deals no more.
func (s *slots) end() {
	s.over = true
	s.lose(len(s.resting))
	s.resting = nil
}

// next waits for the request of a slot; ok is false if the run is over.
func (s *slots) next(stop, abandon context.Context) (a plan.Arrival, ok bool) {
	select {
	case a, ok = <-s.ready:
	case <-stop.Done():
	case <-abandon.Done():
	}
	return a, ok
}

// abort records the requests that were dealt and never handed out, when no more will
// be, and returns how many of them are the measurement's. They were due.
func (s *slots) abort(p *plan.Plan, rec *record.Recorder) (measured uint64) {
	s.end()
	for range len(s.ready) { // nobody else takes from it any more
		a := <-s.ready
		o := record.Unstarted(a, rec.Now())
		o.Target = p.TargetOf(a.Seq)
		rec.Shard(0).Record(&o)
		if a.Due >= 0 {
			measured++
		}
	}
	return measured
}
