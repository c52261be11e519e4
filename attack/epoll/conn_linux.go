package epoll

import (
	"syscall"
	"time"

	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// phase is what a connection is doing.
type phase uint8

const (
	closed phase = iota
	connecting
	securing   // TLS handshake, on a goroutine of its own
	exchanging // request being written or reply being read
	idle
)

// ref names a connection of a loop for as long as it is that connection: slots
// are used again, with another generation.
type ref struct{ index, generation uint32 }

// conn is one connection and the request that it carries.
type conn struct {
	ref
	phase  phase
	fd     int
	server int      // index into loop.servers
	used   int      // requests begun on it
	ending bool     // the end of the stream is known to be there: it is read until that is met
	tls    *session // nil for plain text

	// Of the request, while phase is connecting, securing or exchanging:
	o       record.Outcome
	request uint32        // grows by one with each request, so that a stale deadline is known
	out     []byte        // not yet sent
	refused syscall.Errno // why the kernel did not take all of it; 0 if nothing is wrong
	reply   wire.Reply
}

// unsent says whether the kernel has not yet taken the whole request.
func (c *conn) unsent() bool { return len(c.out) > 0 || c.tls != nil && len(c.tls.pending) > 0 }

// busy says whether the connection carries a request.
func (c *conn) busy() bool {
	return c.phase == connecting || c.phase == securing || c.phase == exchanging
}

// at is the phase of the request's life, for timeouts.
func (c *conn) at() record.Phase {
	switch {
	case c.phase == connecting:
		return record.Connect
	case c.phase == securing:
		return record.TLS
	case c.o.FirstByte != record.Never:
		return record.Transfer
	}
	return record.Wait
}

// conns are a loop's connections: slots by index, and what is free or idle.
type conns struct {
	slots []*conn
	free  []uint32
	idle  [][]ref // by server, newest last; entries of closed connections are passed over
	open  int
}

// add makes a slot into a connection to server.
func (cs *conns) add(server int) *conn {
	var c *conn
	if n := len(cs.free); n > 0 {
		c = cs.slots[cs.free[n-1]]
		cs.free = cs.free[:n-1]
	} else {
		c = &conn{ref: ref{index: uint32(len(cs.slots))}}
		cs.slots = append(cs.slots, c)
	}
	c.generation++
	c.server, c.used, c.fd, c.tls = server, 0, -1, nil
	c.refused, c.ending = 0, false
	cs.open++
	return c
}

// remove gives the slot of a closed connection back.
func (cs *conns) remove(c *conn) {
	c.phase = closed
	cs.free = append(cs.free, c.index)
	cs.open--
}

// find is the connection that r names, nil if that one is gone.
func (cs *conns) find(r ref) *conn {
	if int(r.index) >= len(cs.slots) {
		return nil
	}
	c := cs.slots[r.index]
	if c.generation != r.generation || c.phase == closed {
		return nil
	}
	return c
}

// rest keeps a connection for the next request.
func (cs *conns) rest(c *conn) {
	c.phase = idle
	cs.idle[c.server] = append(cs.idle[c.server], c.ref)
}

// newest takes the idle connection to server that rested last, nil if there is none.
func (cs *conns) newest(server int) *conn {
	stack := cs.idle[server]
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		cs.idle[server] = stack
		if c := cs.find(r); c != nil && c.phase == idle {
			return c
		}
	}
	return nil
}

// deadlines are the requests in flight in the order in which they time out: that
// in which they were due, as every timeout is the same.
type deadlines struct {
	ring       []deadline // a power of two long
	head, size int
}

type deadline struct {
	conn    *conn
	request uint32
	at      time.Duration
}

func (q *deadlines) push(d deadline) {
	if q.size == len(q.ring) {
		q.tidy()
		if 2*q.size >= len(q.ring) {
			q.grow()
		}
	}
	q.ring[(q.head+q.size)&(len(q.ring)-1)] = d
	q.size++
}

func (q *deadlines) grow() {
	ring := make([]deadline, max(64, 2*len(q.ring)))
	for i := range q.size {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// tidy drops the deadlines of ended requests. Without it one request that hangs at
// the head would keep all that ended behind it.
func (q *deadlines) tidy() {
	kept := 0
	for i := range q.size {
		if d := q.ring[(q.head+i)&(len(q.ring)-1)]; d.live() {
			q.ring[(q.head+kept)&(len(q.ring)-1)] = d
			kept++
		}
	}
	q.size = kept
}

// live says whether the request is still in flight.
func (d deadline) live() bool { return d.conn.request == d.request && d.conn.busy() }

// first is the earliest deadline of a request still in flight; ok is false if
// nothing is. Deadlines of ended requests before it are dropped.
func (q *deadlines) first() (d deadline, ok bool) {
	for q.size > 0 {
		d = q.ring[q.head]
		if d.live() {
			return d, true
		}
		q.head = (q.head + 1) & (len(q.ring) - 1)
		q.size--
	}
	return deadline{}, false
}
