package epoll

import (
	"errors"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// open begins a connection for c's request. On loopback it is up before
// connect(2) returns, so the request is sent at once without waiting for the
// event; elsewhere that send finds the socket not ready and the event follows.
func (l *loop) open(c *conn) {
	c.phase = connecting
	l.now = l.clock.now()
	c.o.Sent = l.now
	to := l.servers[c.server].turn(&l.turns)
	if call, errno := l.dial(c, to); errno != 0 {
		if class := record.ClassOf(errno); class == record.FDUnavailable || class == record.FileTableFull || class == record.AddressUnavailable {
			c.o.Sent = record.Never // the client itself could not: nothing reached the network
		}
		l.failErrno(c, record.Connect, call, errno)
		return
	}
	if l.servers[c.server].tls != nil {
		return
	}
	stands := l.clock.now()
	n, errno := send(c.fd, c.out)
	switch errno {
	case 0:
		l.up(c, stands)
		c.phase = exchanging
		l.wrote(c, n)
	case unix.EAGAIN, unix.ENOTCONN:
	case unix.ECONNRESET, unix.EPIPE: // it stood, and was ended at once
		l.up(c, stands)
		c.phase = exchanging
		l.writeFailed(c, errno)
	default:
		l.failErrno(c, record.Connect, "connect", errno)
	}
}

// dial makes the socket, begins to connect it and watches it. It names the call that failed.
func (l *loop) dial(c *conn, to *destination) (call string, errno syscall.Errno) {
	fd, _, errno := syscall.RawSyscall(unix.SYS_SOCKET, uintptr(to.family), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if errno != 0 {
		return "socket", errno
	}
	c.fd = int(fd)
	if l.kernelStamps {
		_ = stampReceipts(c.fd) // without stamps the read time counts
	}
	if l.noDelay && to.family != unix.AF_UNIX {
		_ = unix.SetsockoptInt(c.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if from := l.source(l.servers[c.server]); from != nil {
		_ = unix.SetsockoptInt(c.fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
		if _, _, errno := syscall.RawSyscall(unix.SYS_BIND, fd, uintptr(unsafe.Pointer(&from.raw[0])), uintptr(from.length)); errno != 0 {
			return "bind", errno
		}
	}
	_, _, errno = syscall.RawSyscall(unix.SYS_CONNECT, fd, uintptr(unsafe.Pointer(&to.raw[0])), uintptr(to.length))
	if errno != 0 && errno != unix.EINPROGRESS {
		return "connect", errno
	}
	return "epoll_ctl", watch(l.ep, c.fd, c.ref)
}

// connected deals with an event of a connection being opened.
func (l *loop) connected(c *conn, events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		if errno := pendingError(c.fd); errno != 0 {
			l.connectFailed(c, errno)
			return
		}
	}
	if events&unix.EPOLLOUT == 0 {
		return
	}
	l.up(c, l.clock.now())
	if l.servers[c.server].tls != nil {
		l.secure(c)
		return
	}
	c.phase = exchanging
	l.write(c)
	l.readable(c, events)
}

// connectFailed tells a connection that never stood from one that was reset
// before it could be used: a refusal has an errno of its own (connect(2)).
func (l *loop) connectFailed(c *conn, errno syscall.Errno) {
	phase := record.Connect
	if errno == unix.ECONNRESET || errno == unix.EPIPE {
		l.up(c, l.clock.now())
		phase = record.Wait
		if l.servers[c.server].tls != nil {
			phase = record.TLS
		}
	}
	l.failErrno(c, phase, "connect", errno)
}

// up notes that the connection stands.
func (l *loop) up(c *conn, at time.Duration) {
	c.o.Connected = at
	if c.o.Connected >= 0 {
		l.counts.Opened++
	}
	l.counts.Peak = max(l.counts.Peak, uint64(l.conns.open))
}

// write sends what is left of the request.
func (l *loop) write(c *conn) {
	for c.unsent() {
		n, errno := l.sendOn(c)
		if errno == unix.EAGAIN {
			return
		}
		if errno != 0 {
			l.writeFailed(c, errno)
			return
		}
		l.wrote(c, n)
	}
}

func (l *loop) sendOn(c *conn) (int, syscall.Errno) {
	if c.tls != nil {
		return c.tls.send(c.fd, c.out)
	}
	return send(c.fd, c.out)
}

func (l *loop) wrote(c *conn, n int) {
	c.out = c.out[n:]
	c.o.BytesSent += uint32(n)
}

// writeFailed hears a server out that answered and closed before it had read the
// whole request; only if it said nothing is the failure the request's end.
func (l *loop) writeFailed(c *conn, errno syscall.Errno) {
	c.out, c.refused = nil, errno
	if c.tls != nil {
		c.tls.pending = nil
	}
	request := c.request
	c.ending = true
	l.read(c)
	if c.request == request && c.phase == exchanging {
		l.failErrno(c, c.at(), "send", errno)
	}
}

// readable deals with an event of a connection whose reply is awaited.
func (l *loop) readable(c *conn, events uint32) {
	const end = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	c.ending = c.ending || events&end != 0
	if c.phase == exchanging && events&(unix.EPOLLIN|end) != 0 {
		l.read(c)
	}
}

// read takes what has come.
func (l *loop) read(c *conn) {
	for range readBatch {
		n, stamp, errno, failure := l.receive(c)
		switch {
		case failure != nil:
			l.fail(c, c.at(), record.TLSFailure, c.at().String()+": "+failure.Error())
			return
		case errno == unix.EAGAIN:
			return
		case errno != 0:
			l.failErrno(c, c.at(), "recv", errno)
			return
		case n == 0:
			l.ended(c)
			return
		}
		if l.feed(c, l.buffer[:n], stamp) {
			return
		}
		if n < len(l.buffer) && !c.ending && c.tls == nil {
			return // the socket was empty; what comes later is a new event
		}
	}
	l.again = append(l.again, c.ref)
}

// receive reads once from the connection.
func (l *loop) receive(c *conn) (n int, stamp int64, errno syscall.Errno, failure error) {
	if c.tls != nil {
		return c.tls.receive(l.buffer[:])
	}
	if l.kernelStamps {
		n, stamp, errno = l.receiver.recv(c.fd, l.buffer[:])
		return n, stamp, errno, nil
	}
	n, errno = recv(c.fd, l.buffer[:])
	return n, 0, errno, nil
}

// feed gives bytes to the reply. over says that the request has ended.
func (l *loop) feed(c *conn, b []byte, stamp int64) (over bool) {
	read := l.clock.now()
	at, lag := read, record.Never
	if kernel, ok := l.clock.kernel(stamp, c.o.Sent, read); ok {
		at, lag = kernel, read-kernel
	}
	if c.o.FirstByte == record.Never {
		c.o.FirstByte = at
	}
	used, done, err := c.reply.Feed(b)
	if err != nil {
		l.fail(c, record.Transfer, record.Protocol, "transfer: "+err.Error())
		return true
	}
	if !done {
		return false
	}
	c.o.Done, c.o.ReceiveLag = at, lag
	reusable := c.reply.Reusable()
	if c.o.Crossed(c.reply.Status, !reusable) {
		l.fail(c, record.Wait, record.Stale, record.Reason(record.Wait, record.CrossedReason))
		return true
	}
	l.done(c, reusable && used == len(b) && !c.unsent() && !c.ending)
	return true
}

// ended deals with the end of the stream. It completes a reply without a length,
// unless it was no orderly end.
func (l *loop) ended(c *conn) {
	err := c.reply.End()
	switch {
	case c.refused != 0:
		l.failErrno(c, c.at(), "send", c.refused)
	case errors.Is(err, wire.ErrTruncated):
		l.cutShort(c, err.Error())
	case err != nil:
		l.fail(c, record.Transfer, record.Protocol, record.Reason(record.Transfer, err.Error()))
	case c.tls.missedClose():
		l.cutShort(c, record.MissedClose)
	default:
		c.o.Done = l.clock.now()
		l.done(c, false)
	}
}

// cutShort ends a request whose connection ended before the reply did.
func (l *loop) cutShort(c *conn, why string) {
	class := record.Truncated
	if c.o.Reused && c.o.FirstByte == record.Never {
		class = record.Stale
	}
	l.fail(c, c.at(), class, record.Reason(c.at(), why))
}
