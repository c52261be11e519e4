package epoll

import (
	"syscall"

	"ratebench/attack/record"
)

// connection is an idle connection to server, or a slot for a new one; nil if
// the limit is reached and no other server's idle connection can make room.
func (l *loop) connection(server int) *conn {
	if c := l.conns.newest(server); c != nil {
		return c
	}
	if l.conns.open >= l.limit && !l.evict() {
		return nil
	}
	return l.conns.add(server)
}

func (l *loop) evict() bool {
	for server := range l.conns.idle {
		if c := l.conns.newest(server); c != nil {
			l.drop(c)
			return true
		}
	}
	return false
}

// done records a reply and keeps or closes its connection.
func (l *loop) done(c *conn, reusable bool) {
	c.o.Status = uint16(c.reply.Status)
	c.o.HeaderBytes = uint32(c.reply.HeaderBytes)
	c.o.ContentBytes = uint64(c.reply.ContentBytes)
	l.tell(c)
	l.record(&c.o)
	if reusable && (l.perConnection == 0 || c.used < l.perConnection) {
		l.conns.rest(c)
		l.free()
	} else {
		l.drop(c)
	}
}

// tell names the server to the recorder, once.
func (l *loop) tell(c *conn) {
	if l.told {
		return
	}
	l.told = true
	protocol := "HTTP/1.0"
	if c.reply.Minor > 0 {
		protocol = "HTTP/1.1"
	}
	l.rec.Server(string(c.reply.Server), protocol)
}

// fail records a request that ended without a reply and closes its connection.
func (l *loop) fail(c *conn, phase record.Phase, class record.Class, reason string) {
	c.o.Class, c.o.Phase, c.o.Reason = class, phase, reason
	c.o.Done = l.clock.now()
	l.record(&c.o)
	l.drop(c)
}

// failErrno is fail for a system error met in a phase.
func (l *loop) failErrno(c *conn, phase record.Phase, call string, errno syscall.Errno) {
	class := record.ClassOf(errno)
	if class == record.ConnectionReset && c.o.Reused && c.o.FirstByte == record.Never {
		class = record.Stale
	}
	l.fail(c, phase, class, record.Reason(phase, call+": "+errno.Error()))
}

// drop closes a connection and gives its slot back.
func (l *loop) drop(c *conn) {
	if c.tls != nil {
		c.tls.close()
	}
	if c.fd >= 0 {
		closeSocket(c.fd)
		c.fd = -1
	}
	l.conns.remove(c)
	l.free()
}
