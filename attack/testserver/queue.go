package testserver

import (
	"container/heap"
	"math/rand/v2"
)

// A queue is the server in virtual time: which request leaves when. It reads no
// clock and knows no sockets; every instant is handed to it. Its caller takes
// each departure (head, then step) before it reports anything that happened later.
type queue struct {
	service    func() int64 // the next service time
	delay      int64
	limit      int // on inside; 0 means none
	queueing   bool
	stall      stall
	stallAt    int64 // after the first arrival
	stallFor   int64
	started    bool        // the first arrival has been
	inside     int         // in service and waiting
	free       ring[int64] // since when each idle worker has been free, the longest idle first
	waiting    fifo
	departures departures
	seq        uint64
}

func newQueue(c *Config) *queue {
	q := &queue{
		service:  serviceTimes(c),
		delay:    int64(c.Delay),
		limit:    c.Queue,
		queueing: c.Workers > 0,
		stallAt:  int64(c.StallAt),
		stallFor: int64(c.StallFor),
	}
	for range c.Workers {
		q.free.push(0)
	}
	return q
}

// serviceTimes draws service times in ns. The sequence is the seed's alone.
func serviceTimes(c *Config) func() int64 {
	if c.Service != Exponential {
		return func() int64 { return int64(c.ServiceTime) }
	}
	random := rand.New(rand.NewPCG(c.Seed, 0))
	return func() int64 { return int64(random.ExpFloat64() * float64(c.ServiceTime)) }
}

// A job is a request inside the queue.
type job struct {
	conn      *conn // whose request it is; the queue does not look at it
	arrival   int64
	departure int64 // virtual instant of the reply, once step has returned the job
	rejected  bool  // it found the queue full
	fate      Failure
	place     place
	slot      *departure // in service or leaving
}

// A place is where in the queue a job is.
type place uint8

const (
	outside place = iota
	waiting
	serving
	leaving // served, or never in need of it; only the instant is awaited
)

// arrive takes a request that had been read at the given instant.
func (q *queue) arrive(j *job, at int64) {
	if !q.started {
		q.started = true
		q.stall = stall{from: at + q.stallAt, length: q.stallFor}
	}
	j.arrival, j.rejected = at, false
	switch {
	case !q.queueing:
		q.leave(j, at+q.delay)
	case q.limit > 0 && q.inside >= q.limit:
		j.rejected = true
		q.leave(j, at)
	default:
		j.place = waiting
		q.inside++
		q.waiting.push(j)
		q.serve()
	}
}

// serve gives idle workers to the requests that have waited longest.
func (q *queue) serve() {
	for q.free.size > 0 {
		j := q.waiting.pop()
		if j == nil {
			return
		}
		since, _ := q.free.pop()
		j.place = serving
		q.push(j, q.stall.end(max(j.arrival, since), q.service()))
	}
}

// leave lets the request go at the given instant, or at the end of the stall that this falls in.
func (q *queue) leave(j *job, at int64) {
	j.place = leaving
	q.push(j, q.stall.end(at, 0))
}

func (q *queue) push(j *job, at int64) {
	q.seq++
	j.slot = &departure{at: at, seq: q.seq, job: j}
	heap.Push(&q.departures, j.slot)
}

// head is the request with the next departure and its instant; nil and forever if there is none.
func (q *queue) head() (*job, int64) {
	if len(q.departures) == 0 {
		return nil, forever
	}
	return q.departures[0].job, q.departures[0].at
}

// step takes the head's departure. It returns the request if it leaves the server
// with that, nil if it has yet to sit out the delay.
func (q *queue) step() *job {
	d := heap.Pop(&q.departures).(*departure)
	j := d.job
	j.slot = nil
	if j.place == serving {
		q.inside--
		q.free.push(d.at)
		q.serve()
		if q.delay > 0 {
			q.leave(j, d.at+q.delay)
			return nil
		}
	}
	j.place, j.departure = outside, d.at
	return j
}

// close forgets a request whose client is gone. If it was in service, the
// departure it was heading for goes to the request that has waited longest, and
// only without one does the worker become free.
//
// Handing on the departure is what makes the server useful under overload. With
// clients that give up after a fixed time the longest waiting request is always
// about to give up: if the worker began afresh with it, it would give up during
// its service as well, and so would each one after it. Every slot would be spent
// on a request that nobody waits for any more, and nothing would ever be answered.
func (q *queue) close(j *job, at int64) {
	switch j.place {
	case waiting:
		q.inside--
	case serving:
		q.inside--
		q.handOn(j.slot, at)
	case leaving:
		heap.Remove(&q.departures, j.slot.index)
	}
	j.place, j.slot = outside, nil
}

func (q *queue) handOn(slot *departure, at int64) {
	next := q.waiting.pop()
	if next == nil {
		heap.Remove(&q.departures, slot.index)
		q.free.push(at)
		return
	}
	next.place, next.slot, slot.job = serving, slot, next
}
