package testserver

import "sync"

// A dispatcher is the goroutine that owns the queue and the state of every
// connection. It alone decides what happens to a request, and it writes the
// replies itself: when a stall ends and a thousand leave at once, waking a
// goroutine for each would spread them over tens of milliseconds.
type dispatcher struct {
	config  *Config
	clock   clock
	inbox   *inbox
	count   *counters
	log     *departureLog
	queue   *queue
	fates   *dealer
	replies *replies
	conns   map[*conn]struct{}
	writers sync.WaitGroup // goroutines that write what the kernel would not take at once
	scratch []byte
}

// maxPipelined bounds the requests that a client may send ahead of their replies.
// One that sends more is cut off.
const maxPipelined = 1000

// run returns when the inbox has been closed and every connection told to end.
func (d *dispatcher) run() {
	for {
		now := d.clock.now() // before take: then no arrival up to now is missing
		all, open := d.inbox.take()
		for i := range all {
			d.release(all[i].at)
			d.handle(&all[i])
		}
		if !open {
			break
		}
		d.release(now)
		_, next := d.queue.head()
		d.inbox.wait(next)
	}
	for c := range d.conns {
		d.end(c, d.clock.now())
	}
}

// release takes every departure up to the given instant.
func (d *dispatcher) release(until int64) {
	for {
		j, at := d.queue.head()
		if j == nil || at > until {
			return
		}
		// Asked now and not earlier: the slot must not go to a client that has closed
		// a moment ago. See queue.close.
		if d.config.DropClosed && peerClosed(j.conn.raw) {
			d.end(j.conn, at)
			continue
		}
		if j = d.queue.step(); j != nil {
			d.answer(j)
		}
	}
}

func (d *dispatcher) handle(n *news) {
	switch n.what {
	case isOpened:
		d.conns[n.conn] = struct{}{}
	case isRequest:
		d.count.requests.Add(1)
		d.line(n, call{request: n.request, at: n.at, fate: d.fates.next()})
	case isBad:
		d.count.malformed.Add(1)
		d.line(n, call{at: n.at, bad: true})
	case isEnded:
		d.lost(n.conn, n.at, n.failed)
	case isWritten:
		d.written(n.conn, n.at, !n.failed)
	}
}

// line puts a request behind those that its connection has still to be answered.
// They enter the queue one after the other, so that replies keep the order of requests.
func (d *dispatcher) line(n *news, latest call) {
	c := n.conn
	if c.ended || c.hung {
		d.abandon([]call{latest})
		return
	}
	c.line = append(c.line, latest)
	switch {
	case len(c.line) == 1:
		d.submit(c, n.at)
	case len(c.line) > maxPipelined:
		d.end(c, n.at)
	}
}

// submit hands the first request of the connection's line to the queue.
func (d *dispatcher) submit(c *conn, at int64) {
	if c.line[0].bad {
		d.send(c, d.replies.whole[c.line[0].form(400)], at)
		return
	}
	c.job.conn, c.job.fate = c, c.line[0].fate
	d.queue.arrive(&c.job, at)
}
