package epoll

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Bounds of what a loop does before it looks at the clock and the other things
// that wait: requests started in a row, and reads from one connection.
const (
	startBatch = 32
	readBatch  = 16
)

// tick bounds a loop's sleep, so that it looks at its housekeeping again and again.
const tick = 20 * time.Millisecond

// loop offers one share of the plan on one thread: it starts requests when they
// are due, moves bytes when sockets are ready, and gives up requests whose time
// is over. Everything it touches is its own.
type loop struct {
	*setup
	index    int // of loops
	shard    *record.Shard
	arrivals *plan.Arrivals
	next     plan.Arrival // the request to start next
	more     bool         // there is a next
	slots    *slots       // of a closed loop, in place of arrivals; nil for an open one

	ep    int // epoll descriptor
	mail  *mailbox
	clock *clock
	now   time.Duration // of this pass
	conns conns
	limit int // connections

	deadlines deadlines
	started   uint64        // requests of the measurement taken up
	blocked   time.Duration // since when the connection limit holds requests back; record.Never if it does not
	hurry     bool          // a connection is free for the requests held back
	freed     time.Duration // since when hurry is set
	again     []ref         // connections with more to read than one batch
	turns     uint64        // connections opened so far, to take addresses in turn
	counts    record.Connections
	brisk     bool // events come within a short wait
	told      bool // the recorder knows the server's name

	events   [256]event
	buffer   [64 << 10]byte
	receiver receiver
}

// run offers the share until it is over. The thread is the loop's own: it is
// never unlocked, so that its timer slack and priority end with it.
func (l *loop) run(stop, abandon context.Context) error {
	runtime.LockOSThread()
	sharpenTimers()
	defer l.close()
	l.rec.Measured(l.method())
	l.begin()
	for {
		l.now = l.clock.now()
		if stop.Err() != nil {
			l.end()
		}
		if abandon.Err() != nil {
			l.end()
			l.expire() // what is over by itself is not aborted
			l.abort()
		}
		l.start()
		l.expire()
		if !l.pending() && l.deadlines.size == 0 {
			l.shard.Tick(l.clock.now())
			return nil
		}
		if err := l.wait(); err != nil {
			l.end()
			l.abort() // or the accounts lack what was in flight
			return err
		}
		l.housekeep()
	}
}

// begin takes the first request in hand.
func (l *loop) begin() {
	if l.slots == nil {
		l.next, l.more = l.arrivals.Next()
		return
	}
	for range shareOf(l.plan.Concurrency, l.index, l.loops) {
		l.slots.deal(l.shard, -l.plan.WarmupLength())
	}
}

// pending says whether there are requests to start yet.
func (l *loop) pending() bool { return l.more || l.slots.pending() }

// end lets no more requests begin.
func (l *loop) end() {
	switch {
	case l.slots != nil:
		l.endClosed()
	case l.more:
		l.more = false
		l.shard.Stop(l.now)
	}
}

// method raises the thread's priority if that is wanted and says how it measures.
func (l *loop) method() record.Method {
	m := record.Method{Timestamps: plan.TimestampsUser, Priority: ordinary, Loops: l.loops}
	if l.raise {
		m.Priority = raisePriority()
	}
	if l.kernelStamps {
		m.Timestamps = plan.TimestampsKernel
	}
	return m
}

// start takes up requests that are due, one batch.
func (l *loop) start() {
	if l.slots != nil {
		l.startClosed()
		return
	}
	for range startBatch {
		if !l.more || l.next.Due > l.now {
			l.blocked, l.hurry = record.Never, false // nobody waits
			return
		}
		if !l.take(l.next) {
			l.hurry = false
			return
		}
		l.next, l.more = l.arrivals.Next()
	}
}

// take starts a due request, or ends it if its time is over before it could be
// started. It reports false if no connection is free: then the request stays
// where it is, in the plan, its clock running.
func (l *loop) take(a plan.Arrival) bool {
	target := l.plan.TargetOf(a.Seq)
	late := l.now-a.Due >= l.timeout
	var c *conn
	if !late {
		if c = l.connection(l.requests[target].server); c == nil {
			if l.blocked == record.Never {
				l.blocked = l.now
			}
			return false
		}
	}
	if a.Due >= 0 {
		l.started++
	}
	o := record.NewOutcome(a.Seq, a.Due)
	o.Target = uint32(target)
	o.Queued = l.heldBack(a.Due, late)
	if late {
		o.Class, o.Phase, o.Done = record.ClientTimeout, record.Queued, l.now
		o.Reason = record.Reason(record.Queued, "timed out before it could be started")
		l.record(&o)
		return true
	}
	l.carry(c, &o)
	return true
}

// heldBack is for how long the connection limit kept a request that was due from
// being started: from when none was free, or it was due, to when one was. What
// comes after is the loop's own lateness.
func (l *loop) heldBack(due time.Duration, never bool) time.Duration {
	if l.blocked == record.Never || !never && due > l.freed {
		return 0
	}
	until := l.now
	if !never {
		until = l.freed
	}
	return max(until-max(l.blocked, due), 1)
}

// free notes that a connection can be had, for the requests held back.
func (l *loop) free() {
	if l.blocked != record.Never && !l.hurry {
		l.hurry, l.freed = true, l.now
	}
}

// carry puts a request on its connection.
func (l *loop) carry(c *conn, o *record.Outcome) {
	c.o = *o
	c.request++
	c.used++
	r := &l.requests[o.Target]
	c.out = r.bytes
	c.reply.Reset(r.head)
	c.reply.WantServer = !l.told
	l.deadlines.push(deadline{c, c.request, o.Due + l.timeout})
	if c.fd >= 0 {
		c.o.Reused = true
		c.phase = exchanging
		l.now = l.clock.now()
		c.o.Sent = l.now
		l.write(c)
		return
	}
	l.open(c)
}

// expire ends the requests whose time is over.
func (l *loop) expire() {
	for {
		d, ok := l.deadlines.first()
		if !ok || d.at > l.now {
			return
		}
		l.giveUp(d.conn)
	}
}

// giveUp ends a request whose time is over, unless its reply is there and has only
// not been read yet: that this loop comes late must not look like a slow server.
// The recorder makes a timeout of what the kernel received too late.
func (l *loop) giveUp(c *conn) {
	request := c.request
	if c.phase == exchanging {
		l.read(c)
	}
	if c.request == request && c.busy() {
		l.fail(c, c.at(), record.ClientTimeout, "timed out")
	}
}

// abort ends all that is in flight.
func (l *loop) abort() {
	for {
		d, ok := l.deadlines.first()
		if !ok {
			return
		}
		l.fail(d.conn, d.conn.at(), record.Aborted, "aborted")
	}
}

// wait sleeps until the next thing is due or a socket is ready, and deals with
// what is ready.
func (l *loop) wait() error {
	n, err := l.await()
	if err != nil {
		return err
	}
	for i := range l.events[:n] {
		e := &l.events[i]
		l.dispatch(ref{uint32(e.Fd), uint32(e.Pad)}, e.Events)
	}
	l.readOn()
	return nil
}

// await waits for events. While they come quickly it first waits briefly, out of
// the Go scheduler's sight: told of each wait, its monitor wakes up every 20 µs to
// look after the thread, which cost a saturated loop 4 % of its CPU.
func (l *loop) await() (int, error) {
	l.now = l.clock.now()
	began, until := l.now, l.wakeUp()
	n, err := 0, error(nil)
	if l.brisk && until-began > shortWait {
		n, err = waitEvents(l.ep, l.events[:], shortWait)
		l.now = l.clock.now()
	}
	if n == 0 && err == nil {
		n, err = waitEvents(l.ep, l.events[:], until-l.now)
		l.now = l.clock.now()
	}
	l.brisk = n > 0 && l.now-began < shortWait
	return n, err
}

// readOn goes on with connections that had more to read than one batch.
func (l *loop) readOn() {
	waiting := len(l.again)
	for i := range waiting {
		if c := l.conns.find(l.again[i]); c != nil && c.phase == exchanging {
			l.read(c)
		}
	}
	l.again = append(l.again[:0], l.again[waiting:]...)
}

// wakeUp is until when the loop may sleep.
func (l *loop) wakeUp() time.Duration {
	if len(l.again) > 0 || l.hurry {
		return l.now
	}
	until := l.now + tick
	if l.more && l.blocked == record.Never {
		until = min(until, l.next.Due)
	}
	if l.more && l.blocked != record.Never {
		until = min(until, l.next.Due+l.timeout)
	}
	if d, ok := l.deadlines.first(); ok {
		until = min(until, d.at)
	}
	if l.slots != nil {
		return l.wakeClosed(until)
	}
	return until
}

// mailRef is the reference under which the mailbox's descriptor is watched.
var mailRef = ref{1<<32 - 1, 1<<32 - 1}

func (l *loop) dispatch(r ref, events uint32) {
	if r == mailRef {
		for _, h := range l.mail.collect() {
			l.secured(h)
		}
		return
	}
	c := l.conns.find(r)
	if c == nil {
		return
	}
	switch c.phase {
	case connecting:
		l.connected(c, events)
	case exchanging:
		if c.unsent() && events&unix.EPOLLOUT != 0 {
			l.write(c)
		}
		l.readable(c, events)
	case idle:
		if events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			l.drop(c) // the server closed it or sent something unasked
		}
	}
}

func (l *loop) housekeep() {
	if l.now-l.clock.synced > resync {
		l.clock.sync()
		l.shard.Tick(l.now)
	}
}

func (l *loop) close() {
	for _, c := range l.conns.slots {
		if c.phase != closed {
			l.drop(c)
		}
	}
	l.shard.SetConnections(l.counts)
	unix.Close(l.ep)
	l.mail.close()
}
