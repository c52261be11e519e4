package epoll

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ratebench/attack/record"
)

// session is the TLS layer of one connection. The handshake runs on a goroutine,
// on a duplicate of the socket that the Go runtime waits on, because crypto/tls
// takes no interruption there; then the loop reads and writes through it without
// blocking.
type session struct {
	*tls.Conn
	socket *socket
	cancel context.CancelFunc // of the handshake
	*pendingBytes
}

// pendingBytes are encrypted bytes that the kernel has not taken yet: crypto/tls
// must see every write succeed.
type pendingBytes struct{ pending []byte }

// handshake is what its goroutine posts to the loop.
type handshake struct {
	ref     ref
	session *session
	err     error
}

// secure starts the handshake of a connection that stands.
func (l *loop) secure(c *conn) {
	c.phase = securing
	dup, err := unix.FcntlInt(uintptr(c.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		l.failErrno(c, record.TLS, "fcntl", errno)
		return
	}
	out := &pendingBytes{}
	s := &socket{file: os.NewFile(uintptr(dup), "socket"), fd: c.fd, receiver: &l.receiver, stamps: l.kernelStamps, out: out}
	left := c.o.Due + l.timeout - l.clock.now()
	ctx, cancel := context.WithTimeout(context.Background(), left+time.Second)
	c.tls = &session{tls.Client(s, l.servers[c.server].tls), s, cancel, out}
	go c.tls.shakeHands(ctx, c.ref, l.mail) // ends with ctx at the latest
}

func (t *session) shakeHands(ctx context.Context, r ref, mail *mailbox) {
	defer t.cancel()
	err := t.HandshakeContext(ctx)
	// Both ends of the duplicate's life are here: the loop has its own descriptor.
	t.socket.file.Close()
	mail.post(handshake{r, t, err})
}

// secured takes a connection back from its handshake.
func (l *loop) secured(h handshake) {
	c := l.conns.find(h.ref)
	if c == nil || c.tls != h.session || c.phase != securing {
		return
	}
	if h.err != nil {
		l.handshakeFailed(c, h.err)
		return
	}
	c.tls.socket.file = nil // from now on without blocking
	c.o.Secured = l.clock.now()
	c.phase = exchanging
	l.write(c)
	if c.phase == exchanging {
		l.read(c) // events that came during the handshake are gone
	}
}

func (l *loop) handshakeFailed(c *conn, err error) {
	class := record.ClassOf(err)
	if class == record.Other {
		class = record.TLSFailure
	}
	l.fail(c, record.TLS, class, record.Reason(record.TLS, record.TLSReason(err)))
}

// missedClose says whether the connection ended below TLS without TLS's own word.
func (t *session) missedClose() bool { return t != nil && t.socket.ended }

// close ends the session; a handshake still running is cancelled.
func (t *session) close() { t.cancel() }

// send encrypts b and hands it to the kernel, or what was left of it before.
func (t *session) send(fd int, b []byte) (int, syscall.Errno) {
	n := 0
	if len(b) > 0 {
		var err error
		if n, err = t.Write(b); err != nil {
			return 0, errnoOf(err)
		}
	}
	for len(t.pending) > 0 {
		sent, errno := send(fd, t.pending)
		if errno == unix.EAGAIN && n > 0 {
			return n, 0 // b is taken; what is pending is for the next call
		}
		if errno != 0 {
			return n, errno
		}
		t.pending = t.pending[sent:]
	}
	return n, 0
}

// receive decrypts what has come. A failure is TLS's own.
func (t *session) receive(b []byte) (n int, stamp int64, errno syscall.Errno, failure error) {
	n, err := t.Read(b)
	switch {
	case n > 0:
		return n, t.socket.stamp, 0, nil
	case errors.Is(err, errAgain):
		return 0, 0, unix.EAGAIN, nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return 0, 0, 0, nil
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return 0, 0, number, nil
	}
	return 0, 0, 0, errors.New(record.TLSReason(err))
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.EPIPE
}

// errAgain is what a read of an empty socket returns: crypto/tls keeps its state
// over errors that call themselves temporary.
var errAgain net.Error = temporary{}

type temporary struct{}

func (temporary) Error() string   { return "nothing to read yet" }
func (temporary) Timeout() bool   { return false }
func (temporary) Temporary() bool { return true }

// socket is the net.Conn below TLS: blocking through file while the handshake
// runs, then without blocking through fd.
type socket struct {
	file     *os.File
	fd       int
	receiver *receiver
	stamps   bool
	stamp    int64 // of the last read
	ended    bool  // the peer has closed it
	out      *pendingBytes
}

func (s *socket) Read(b []byte) (int, error) {
	if s.file != nil {
		return s.file.Read(b)
	}
	var n int
	var errno syscall.Errno
	if s.stamps {
		n, s.stamp, errno = s.receiver.recv(s.fd, b)
	} else {
		n, errno = recv(s.fd, b)
	}
	switch {
	case errno == unix.EAGAIN:
		return 0, errAgain
	case errno != 0:
		return 0, sysError{"recv", errno}
	case n == 0 && len(b) > 0:
		s.ended = true
		return 0, io.EOF
	}
	return n, nil
}

func (s *socket) Write(b []byte) (int, error) {
	if s.file != nil {
		return s.file.Write(b)
	}
	s.out.pending = append(s.out.pending, b...)
	return len(b), nil
}

// Close is called by crypto/tls when a handshake's context ends: what blocks returns.
func (s *socket) Close() error { return s.SetDeadline(time.Unix(1, 0)) }

func (s *socket) SetDeadline(t time.Time) error {
	if s.file == nil {
		return nil
	}
	return s.file.SetDeadline(t)
}

func (s *socket) SetReadDeadline(t time.Time) error  { return s.SetDeadline(t) }
func (s *socket) SetWriteDeadline(t time.Time) error { return s.SetDeadline(t) }
func (s *socket) LocalAddr() net.Addr                { return nil }
func (s *socket) RemoteAddr() net.Addr               { return nil }
