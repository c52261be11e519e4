package epoll

import (
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// slots are a loop's part of a closed loop. A slot is not a thing of its own: what
// follows a request that has ended is the slot's next one. They hold no more than
// there are slots, so that nothing is allocated once they have been so long.
type slots struct {
	dealer  *plan.Dealer
	ready   queue[plan.Arrival]  // due, and counted as such
	resting queue[time.Duration] // until when; all rest equally long
	over    bool                 // nothing is dealt any more
}

// deal gives the slot that is free from due on its next request. Without one the
// slot is gone.
func (s *slots) deal(shard *record.Shard, due time.Duration) {
	if s.over {
		return
	}
	if a, ok := s.dealer.Next(due); ok {
		shard.Take(due)
		s.ready.push(a)
	}
}

// record counts a request that has ended and lets its slot go on.
func (l *loop) record(o *record.Outcome) {
	l.shard.Record(o)
	if l.slots == nil {
		return
	}
	if next := o.Next(); next > o.Done && !l.slots.over {
		l.slots.resting.push(next)
	} else {
		l.slots.deal(l.shard, next)
	}
}

// startClosed takes up the requests of slots that are free, one batch.
func (l *loop) startClosed() {
	s := l.slots
	for s.resting.size > 0 && s.resting.first() <= l.now {
		s.deal(l.shard, s.resting.pop())
	}
	for range startBatch {
		if s.ready.size == 0 || s.ready.first().Due > l.now || !l.take(s.ready.first()) {
			break
		}
		s.ready.pop()
	}
}

// pending says whether a slot has a request to start, or will have.
func (s *slots) pending() bool { return s != nil && s.ready.size+s.resting.size > 0 }

// endClosed deals no more. What is dealt and not yet started is aborted: it was due.
func (l *loop) endClosed() {
	s := l.slots
	if s.over {
		return
	}
	s.over = true
	if !s.dealer.Exhausted() {
		l.shard.Stop(l.now)
	}
	for s.ready.size > 0 {
		a := s.ready.pop()
		o := record.Unstarted(a, l.now)
		o.Target = l.plan.TargetOf(a.Seq)
		if a.Due >= 0 {
			l.started++
		}
		l.shard.Record(&o)
	}
	s.resting = queue[time.Duration]{}
}

// wakeClosed is until when a loop of a closed loop may sleep, at most until.
func (l *loop) wakeClosed(until time.Duration) time.Duration {
	s := l.slots
	if s.ready.size > 0 {
		until = min(until, s.ready.first().Due)
	}
	if s.resting.size > 0 {
		until = min(until, s.resting.first())
	}
	return until
}

// queue is a FIFO that keeps its memory.
type queue[T any] struct {
	ring       []T // a power of two long
	head, size int
}

func (q *queue[T]) push(v T) {
	if q.size == len(q.ring) {
		ring := make([]T, max(16, 2*len(q.ring)))
		for i := range q.size {
			ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.size)&(len(q.ring)-1)] = v
	q.size++
}

// first is the oldest value. There is one.
func (q *queue[T]) first() T { return q.ring[q.head] }

// pop takes the oldest value. There is one.
func (q *queue[T]) pop() T {
	v := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.size--
	return v
}
