package testserver

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// A conn is one client's connection. Its reader, a goroutine, reads and closes it;
// everything below the line belongs to the dispatcher.
type conn struct {
	net  net.Conn        // tcp, or TLS over it
	tcp  *net.TCPConn    // the socket
	raw  syscall.RawConn // the same
	done chan struct{}   // closed by the dispatcher: close the socket

	// ---

	job     job    // the first of line, inside the queue
	line    []call // requests read and not answered yet, in order
	writing bool   // a goroutine writes the rest of the first one's reply
	hung    bool   // nothing will be answered any more
	eof     bool   // nothing more will be read
	ended   bool   // done is closed
	abrupt  bool   // close without TLS's close_notify; set before done is closed
}

// A call is a request on its connection.
type call struct {
	request
	at      int64 // read
	fate    Failure
	bad     bool // not a request at all
	cut     bool // the reply is truncated
	counted bool // among the replies
}

// form is the form of the reply with the given status.
func (c *call) form(status int) form {
	return form{status, c.isHead, c.persist, c.oldVersion}
}

// pop takes the first request off the line.
func (c *conn) pop() call {
	first := c.line[0]
	c.line = append(c.line[:0], c.line[1:]...)
	return first
}

func newConn(tcp *net.TCPConn, config *tls.Config) (*conn, error) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &conn{net: tcp, tcp: tcp, raw: raw, done: make(chan struct{})}
	if config != nil {
		c.net = tls.Server(tcp, config)
	}
	return c, nil
}

// read tells the inbox of every request until the connection ends, and closes it.
func (c *conn) read(in *inbox, keepTargets bool) {
	reader := newRequestReader(c.net)
	reader.keepTargets = keepTargets
	for {
		q, err := reader.next()
		n := news{what: isRequest, conn: c, request: q}
		n.request.head = nil
		if err != nil {
			n.what, n.failed = isEnded, err != io.EOF
		}
		if errors.Is(err, errBadRequest) {
			n.what = isBad
		}
		if in.post(n); err != nil {
			break
		}
	}
	<-c.done
	if c.abrupt {
		_ = c.tcp.Close()
		return
	}
	_ = c.net.Close()
}

// counters are written by the dispatcher and the accepting goroutine, read by Stats.
type counters struct {
	connections, requests, replies, rejected, dropped, malformed atomic.Uint64
	failed                                                       map[Failure]*atomic.Uint64 // every kind; the map itself never changes
	maxLate                                                      atomic.Int64
}

func newCounters() *counters {
	c := &counters{failed: map[Failure]*atomic.Uint64{}}
	for _, kind := range Failures() {
		c.failed[kind] = &atomic.Uint64{}
	}
	return c
}

// late is called by the dispatcher alone.
func (c *counters) late(ns int64) {
	if ns > c.maxLate.Load() {
		c.maxLate.Store(ns)
	}
}

// Stats is what a server has counted so far.
//
//	Requests = Replies + Failed (reset, truncate, hang) + Dropped + those still inside
type Stats struct {
	Connections uint64             // accepted, those refused included
	Requests    uint64             // read completely
	Replies     uint64             // complete, of any status, handed to the kernel
	Rejected    uint64             // of the replies, those of status 503 from a full queue
	Dropped     uint64             // requests left unanswered because their connection was gone
	Malformed   uint64             // what was answered 400; in neither Requests nor Replies
	Failed      map[Failure]uint64 // every kind; refuse counts connections
	MaxLate     time.Duration      // the longest that a reply left after its virtual departure: the server's own error
}

func (c *counters) stats() Stats {
	s := Stats{
		Connections: c.connections.Load(),
		Requests:    c.requests.Load(),
		Replies:     c.replies.Load(),
		Rejected:    c.rejected.Load(),
		Dropped:     c.dropped.Load(),
		Malformed:   c.malformed.Load(),
		Failed:      map[Failure]uint64{},
		MaxLate:     time.Duration(c.maxLate.Load()),
	}
	for kind, n := range c.failed {
		s.Failed[kind] = n.Load()
	}
	return s
}
