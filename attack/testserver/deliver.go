package testserver

import (
	"bytes"
	"time"
)

// answer takes leave of a request that comes out of the queue, with a note in the
// log if there is one.
func (d *dispatcher) answer(j *job) {
	if j.conn.ended {
		return // the work was done for nobody
	}
	now := d.clock.now()
	d.count.late(now - j.departure)
	if d.config.Log == 0 {
		d.deliver(j, now)
		return
	}
	entry := Departure{
		Target: j.conn.line[0].target, Fate: j.fate, Rejected: j.rejected,
		Arrival: j.arrival, Due: j.departure, Begun: now,
	}
	d.log.begin()
	d.deliver(j, now)
	entry.Done = d.clock.now()
	d.log.add(entry)
}

// deliver does what the request's fate says.
func (d *dispatcher) deliver(j *job, now int64) {
	c := j.conn
	first := &c.line[0]
	switch {
	case j.rejected:
		d.count.rejected.Add(1)
		d.send(c, d.bytes(j, first.form(503), now), now)
	case j.fate == good:
		d.send(c, d.bytes(j, first.form(200), now), now)
	default:
		d.count.failed[j.fate].Add(1)
		d.fail(j, first, now)
	}
}

func (d *dispatcher) fail(j *job, first *call, now int64) {
	c := j.conn
	switch j.fate {
	case FailStatus:
		d.send(c, d.bytes(j, first.form(500), now), now)
	case FailTruncate:
		first.cut = true
		d.send(c, d.replies.truncated(first.form(200)), now)
	case FailReset:
		c.pop()
		c.abrupt = true
		_ = c.tcp.SetLinger(0) // closing then sends RST; fails only on a dead socket
		d.end(c, now)
	case FailHang:
		c.pop()
		c.hung = true
		if c.eof {
			d.end(c, now)
		}
	}
}

// bytes is the reply; valid until the next call.
func (d *dispatcher) bytes(j *job, f form, now int64) []byte {
	if !d.config.Stamps {
		return d.replies.whole[f]
	}
	d.scratch = d.replies.stamped(d.scratch[:0], f, j.arrival, now)
	return d.scratch
}

// send writes a reply without waiting. What the kernel does not take at once, and
// everything over TLS, whose Write may wait, is left to a goroutine that posts isWritten.
func (d *dispatcher) send(c *conn, reply []byte, at int64) {
	if first := &c.line[0]; !first.cut && !first.bad {
		first.counted = true // before the write: who has read a reply finds it counted
		d.count.replies.Add(1)
	}
	n, err := 0, error(nil)
	if d.config.TLS == nil {
		n, err = write(c.raw, reply)
	}
	if err != nil || n == len(reply) {
		d.written(c, at, err == nil)
		return
	}
	c.writing = true
	rest := bytes.Clone(reply[n:])
	d.writers.Go(func() { // ends when the client takes the bytes or the connection is ended
		_, err := c.net.Write(rest)
		d.inbox.post(news{what: isWritten, conn: c, failed: err != nil})
	})
}

// written goes on after the first reply of the connection's line has been written, or could not be.
func (d *dispatcher) written(c *conn, at int64, ok bool) {
	if c.ended {
		return
	}
	c.writing = false
	if !ok {
		d.end(c, at)
		return
	}
	first := c.pop()
	switch {
	case first.cut:
		c.abrupt = true
		d.end(c, at)
	case !first.persist, c.eof && len(c.line) == 0:
		d.end(c, at)
	case len(c.line) > 0:
		d.submit(c, max(c.job.departure, c.line[0].at))
	}
}

// lost deals with a client that sends nothing more. It may only have closed its
// sending side, so what it asked for is still answered, unless DropClosed or an
// error says otherwise.
func (d *dispatcher) lost(c *conn, at int64, failed bool) {
	if c.ended {
		return
	}
	c.eof = true
	if c.writing {
		return // isWritten will follow
	}
	if failed || c.hung || len(c.line) == 0 || d.config.DropClosed {
		d.end(c, at)
	}
}

// end gives the connection up. Its reader closes the socket, because closing
// waits until nobody reads from it, and the dispatcher does not wait. Without
// DropClosed a request of it that is in the queue stays there, as work to be done.
func (d *dispatcher) end(c *conn, at int64) {
	c.ended = true
	delete(d.conns, c)
	d.abandon(c.line)
	if d.config.DropClosed {
		d.queue.close(&c.job, at)
	}
	close(c.done)
	_ = c.tcp.SetDeadline(time.Unix(1, 0)) // ends a Read or Write under way; fails only on a dead socket
}

// abandon counts requests that will not be answered, one that was to have been included.
func (d *dispatcher) abandon(line []call) {
	for i := range line {
		if line[i].counted {
			d.count.replies.Add(^uint64(0))
		}
		if !line[i].cut && !line[i].bad { // those have been counted as what they are
			d.count.dropped.Add(1)
		}
	}
}
