package testserver

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// How is the manner in which a Raw server goes on after it has sent a reply.
type How string

// Manners of going on.
const (
	Keep     How = ""      // read the next request
	CloseFIN How = "close" // FIN, then close when the client has, or after a second
	Reset    How = "reset" // RST, 20 ms after the client's kernel has confirmed the whole reply
	Hang     How = "hang"  // nothing more is sent or read; the connection stays open
	Drip     How = "drip"  // the reply itself goes out byte by byte, Wait apart; then Keep
	Late     How = "late"  // Wait, send More unasked, then CloseFIN
)

// An Ending is a manner with its arguments. The zero value is Keep.
type Ending struct {
	How  How
	Wait time.Duration // of Drip and Late
	More []byte        // of Late
}

// A RawConfig is what a Raw server answers. Every request on every connection
// gets Reply and Ending, or what Answer says.
type RawConfig struct {
	Listen string // TCP address; empty means DefaultListen
	Reply  []byte // sent as it is; may be empty, partial or no HTTP at all
	Ending Ending
	// Answer, if not nil, gives reply and ending of the n-th request that the server
	// read, counted from 0. It is called by several goroutines at once.
	Answer func(n int) (reply []byte, ending Ending)
	// IdleKill, CloseFIN or Reset, makes the server answer the first request on each
	// connection only; the second is read, and the connection closed without a byte.
	// To the client that is the race between reusing a connection and its closing.
	IdleKill How
	TLS      *tls.Config // speaks TLS if not nil
	MaxSeen  int         // requests kept for Seen, the first ones; 0 means 1000
}

// A RawRequest is a request that a Raw server has read.
type RawRequest struct {
	Conn int    // the connection, counted from 0 in the order of accepting
	At   int64  // instant at which it had been read
	Head []byte // from the request line to the empty line
}

// A Raw server sends given bytes, right or wrong, and ends connections in given
// ways. Unlike a Server it makes no promise about time. Its methods may be called
// from any goroutine.
type Raw struct {
	config   RawConfig
	clock    clock
	listener *net.TCPListener
	workers  sync.WaitGroup
	closed   chan struct{} // ends every wait
	closing  sync.Once
	closeErr error

	mu       sync.Mutex
	open     map[net.Conn]struct{} // nil once Close has begun
	conns    int
	requests int
	seen     []RawRequest
}

// Validate reports every fault at once.
func (c *RawConfig) Validate() error {
	errs := []error{validateListen(c.Listen)}
	switch c.IdleKill {
	case Keep, CloseFIN, Reset:
	default:
		errs = append(errs, fmt.Errorf("IdleKill %q: want %q or %q", c.IdleKill, CloseFIN, Reset))
	}
	switch c.Ending.How {
	case Keep, CloseFIN, Reset, Hang, Drip, Late:
	default:
		errs = append(errs, fmt.Errorf("ending %q is not known", c.Ending.How))
	}
	return errors.Join(errs...)
}

// StartRaw listens and serves. Errors are those of Validate and of listening. The
// caller ends the server with Close.
func StartRaw(c RawConfig) (*Raw, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.MaxSeen == 0 {
		c.MaxSeen = 1000
	}
	listener, err := listen(c.Listen)
	if err != nil {
		return nil, err
	}
	r := &Raw{config: c, clock: newClock(), listener: listener, closed: make(chan struct{}), open: map[net.Conn]struct{}{}}
	r.workers.Go(func() { acceptEach(listener, r.accept) }) // ends when Close closes the listener
	return r, nil
}

func (r *Raw) accept(tcp *net.TCPConn) {
	number, ok := r.opened(tcp)
	if !ok {
		_ = tcp.Close()
		return
	}
	c := &rawConn{server: r, tcp: tcp, net: tcp, number: number}
	if r.config.TLS != nil {
		c.net = tls.Server(tcp, r.config.TLS)
	}
	r.workers.Go(c.serve) // ends with its connection, which Close closes
}

// opened registers a connection and returns its number, false if the server is closing.
func (r *Raw) opened(c net.Conn) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		return 0, false
	}
	r.open[c] = struct{}{}
	r.conns++
	return r.conns - 1, true
}

// read registers a request and returns its number.
func (r *Raw) read(conn int, head []byte) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) < r.config.MaxSeen {
		r.seen = append(r.seen, RawRequest{Conn: conn, At: r.clock.now(), Head: bytes.Clone(head)})
	}
	r.requests++
	return r.requests - 1
}

// Conns is the number of connections accepted.
func (r *Raw) Conns() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conns
}

// Requests is the number of requests read.
func (r *Raw) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// Seen returns the first MaxSeen requests, in the order read.
func (r *Raw) Seen() []RawRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]RawRequest(nil), r.seen...)
}

// Addr is the address listened on, with the port chosen.
func (r *Raw) Addr() *net.TCPAddr { return r.listener.Addr().(*net.TCPAddr) }

// URL is the address as a URL that ends in a slash.
func (r *Raw) URL() string {
	if r.config.TLS != nil {
		return "https://" + r.listener.Addr().String() + "/"
	}
	return "http://" + r.listener.Addr().String() + "/"
}

// Close stops listening, closes every connection and returns when every goroutine
// of the server has ended. It may be called more than once.
func (r *Raw) Close() error {
	r.closing.Do(func() {
		r.closeErr = r.listener.Close()
		close(r.closed)
		r.mu.Lock()
		for c := range r.open {
			_ = c.Close()
		}
		r.open = nil
		r.mu.Unlock()
		r.workers.Wait()
	})
	return r.closeErr
}

// sleep waits and says whether the time has passed; false if the server is closing.
func (r *Raw) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.closed:
		return false
	}
}
