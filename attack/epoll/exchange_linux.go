package epoll

import (
	"fmt"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ratebench/attack/record"
)

// open begins a connection for c's request. On loopback it is up before
// connect(2) returns, so the request is sent at once without waiting for the
// event; elsewhere that send finds the socket not ready and the event follows.
func (l *loop) open(c *conn) {
	c.phase = connecting
	c.o.Sent = l.clock.now()
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
	default:
		l.failErrno(c, record.Connect, "connect", errno)
	}
}

// dial makes the socket, begins to connect it and watches it. It names the call that failed.
func (l *loop) dial(c *conn, to *destination) (call string, errno syscall.Errno) {
	fd, _, errno := syscall.RawSyscall(syscall.SYS_SOCKET, uintptr(to.family), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
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
	if from := l.source(); from != nil {
		_ = unix.SetsockoptInt(c.fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_BIND, fd, uintptr(unsafe.Pointer(&from.raw[0])), uintptr(from.length)); errno != 0 {
			return "bind", errno
		}
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_CONNECT, fd, uintptr(unsafe.Pointer(&to.raw[0])), uintptr(to.length))
	if errno != 0 && errno != unix.EINPROGRESS {
		return "connect", errno
	}
	return "epoll_ctl", watch(l.ep, c.fd, c.ref)
}

// connected deals with an event of a connection being opened.
func (l *loop) connected(c *conn, events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		if errno := pendingError(c.fd); errno != 0 {
			l.failErrno(c, record.Connect, "connect", errno)
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
	if c.phase == exchanging && events&unix.EPOLLIN != 0 {
		l.read(c, events&unix.EPOLLRDHUP != 0)
	}
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
	c.used = max(c.used, 1<<30) // not to be used again
	c.out = nil
	request := c.request
	l.read(c, true)
	if c.request == request && c.phase == exchanging {
		l.failErrno(c, record.Wait, "send", errno)
	}
}

// read takes what has come. more says that the end of the stream is known to be
// there, so that reading goes on until it is met.
func (l *loop) read(c *conn, more bool) {
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
		if l.feed(c, l.buffer[:n], stamp, more) {
			return
		}
		if n < len(l.buffer) && !more && c.tls == nil {
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
func (l *loop) feed(c *conn, b []byte, stamp int64, closing bool) (over bool) {
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
	l.done(c, c.reply.Reusable() && used == len(b) && len(c.out) == 0 && !closing)
	return true
}

// ended deals with the end of the stream.
func (l *loop) ended(c *conn) {
	if err := c.reply.End(); err != nil {
		class := record.Truncated
		if c.o.Reused && c.o.FirstByte == record.Never {
			class = record.Stale
		}
		phase := c.at()
		l.fail(c, phase, class, phase.String()+": "+err.Error())
		return
	}
	c.o.Done = l.clock.now()
	l.done(c, false)
}

// destination is an address as connect(2) and bind(2) take it.
type destination struct {
	family int
	raw    [unix.SizeofSockaddrAny]byte
	length uint32
}

// server is a place that connections go to: its addresses are taken in turn.
type server struct {
	name      string
	addresses []destination
	tls       *tlsClient // nil for plain text
}

func (s *server) turn(turns *uint64) *destination {
	*turns++
	return &s.addresses[*turns%uint64(len(s.addresses))]
}

// inet is the destination of an IP address; zones are interface names or numbers.
func inet(a netip.AddrPort) (destination, error) {
	if a.Addr().Is4() {
		sa := (unix.RawSockaddrInet4{Family: unix.AF_INET, Port: networkOrder(a.Port()), Addr: a.Addr().As4()})
		d := destination{family: unix.AF_INET, length: unix.SizeofSockaddrInet4}
		*(*unix.RawSockaddrInet4)(unsafe.Pointer(&d.raw[0])) = sa
		return d, nil
	}
	zone, err := zoneIndex(a.Addr().Zone())
	sa := unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: networkOrder(a.Port()), Addr: a.Addr().As16(), Scope_id: zone}
	d := destination{family: unix.AF_INET6, length: unix.SizeofSockaddrInet6}
	*(*unix.RawSockaddrInet6)(unsafe.Pointer(&d.raw[0])) = sa
	return d, err
}

// local is the destination of a unix socket's path.
func local(path string) (destination, error) {
	d := destination{family: unix.AF_UNIX, length: uint32(2 + len(path) + 1)}
	sa := (*unix.RawSockaddrUnix)(unsafe.Pointer(&d.raw[0]))
	if len(path) >= len(sa.Path) {
		return d, fmt.Errorf("unix socket %s: the path is longer than %d bytes", path, len(sa.Path)-1)
	}
	sa.Family = unix.AF_UNIX
	for i := range len(path) {
		sa.Path[i] = int8(path[i])
	}
	return d, nil
}

// networkOrder swaps a port to big-endian on little-endian machines.
func networkOrder(port uint16) uint16 {
	var b [2]byte
	b[0], b[1] = byte(port>>8), byte(port)
	return *(*uint16)(unsafe.Pointer(&b))
}

// inetSource is a source address with a port that connect(2) will choose.
func inetSource(ip netip.Addr) (destination, error) { return inet(netip.AddrPortFrom(ip, 0)) }

// source is the next source address in turn, nil if none was asked for.
func (l *loop) source() *destination {
	if len(l.sources) == 0 {
		return nil
	}
	return &l.sources[l.turns%uint64(len(l.sources))]
}
