package nethttp

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/wire"
)

// errHeaderTooLarge is the read error of a status line and header block beyond
// the bound, interim replies included.
var errHeaderTooLarge = fmt.Errorf("header block exceeds %d bytes", wire.MaxHeaderBytes)

// conn is one connection and what has been read of it. The request that uses it
// owns it.
type conn struct {
	net.Conn
	server plan.Server
	reader *bufio.Reader // reads through conn.Read
	used   int           // requests sent

	firstRead time.Time // when the first byte since begin came
	read      int       // bytes read from the socket since begin
	headLeft  int       // bytes that may still come before the header block ends; -1 for no bound
	ended     bool      // the peer has closed it in good order
	broken    error     // why reading failed, if that was no end in good order
}

func newConn(c net.Conn, server plan.Server) *conn {
	n := &conn{Conn: c, server: server}
	n.reader = bufio.NewReaderSize(n, 4096)
	return n
}

// begin starts the account of a new reply.
func (c *conn) begin() {
	c.used++
	c.firstRead, c.read, c.headLeft = time.Time{}, 0, wire.MaxHeaderBytes
}

// Read stamps the first byte of a reply and enforces the bound of its header.
func (c *conn) Read(b []byte) (int, error) {
	if c.headLeft == 0 {
		return 0, errHeaderTooLarge
	}
	if c.headLeft > 0 {
		b = b[:min(len(b), c.headLeft)]
	}
	n, err := c.Conn.Read(b)
	if n > 0 && c.firstRead.IsZero() {
		c.firstRead = time.Now()
	}
	c.read += n
	c.ended = c.ended || errors.Is(err, io.EOF)
	if err != nil && !c.ended {
		c.broken = err
	}
	if c.headLeft > 0 {
		c.headLeft -= n
	}
	return n, err
}

// consumed is the number of bytes of the reply that the codec has used.
func (c *conn) consumed() int { return c.read - c.reader.Buffered() }

// brokenOr is the codec's complaint about a head: what broke the connection if
// that is why the head has no more, of which the codec says nothing.
func (c *conn) brokenOr(err error) error {
	if c.broken != nil {
		return c.broken
	}
	return err
}

// endOr is the codec's complaint about a body: the end of the connection if it
// met that, whatever it calls it.
func (c *conn) endOr(err error) error {
	if c.ended {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cut makes blocked and later reads and writes fail at once.
func (c *conn) cut() { _ = c.Conn.SetDeadline(time.Unix(1, 0)) }

// quiet says whether an idle connection is still open with nothing to read: a
// server that closed it, or sent something unasked, has spoilt it. The look at
// the socket does not wait (recv(2), MSG_PEEK).
func (c *conn) quiet() bool {
	if c.reader.Buffered() > 0 {
		return false
	}
	raw, ok := c.plain().(syscall.Conn)
	if !ok {
		return true
	}
	control, err := raw.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = control.Control(func(fd uintptr) { quiet = nothingToRead(fd) })
	return err == nil && quiet
}

// plain is the TCP or unix connection below TLS.
func (c *conn) plain() net.Conn {
	if s := c.belowTLS(); s != nil {
		return s.Conn
	}
	return c.Conn
}

// missedClose says whether the connection ended below TLS without TLS's own word.
func (c *conn) missedClose() bool {
	s := c.belowTLS()
	return s != nil && s.ended
}

// belowTLS is nil for a connection without TLS.
func (c *conn) belowTLS() *socket {
	if t, ok := c.Conn.(*tls.Conn); ok {
		return t.NetConn().(*socket)
	}
	return nil
}

// socket is what TLS reads from.
type socket struct {
	net.Conn
	ended bool // the peer has closed it
}

func (s *socket) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.ended = s.ended || errors.Is(err, io.EOF)
	return n, err
}
