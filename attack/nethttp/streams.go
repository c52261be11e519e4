package nethttp

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// sharedConn is an HTTP/2 connection. The pool's lock guards its fields.
type sharedConn struct {
	*http.ClientConn
	server  plan.Server
	used    int  // requests sent
	active  int  // requests in flight
	settled bool // the server has said how many streams it allows

	connected, secured time.Duration // instants of its opening, as of an Outcome
}

// streams are the open HTTP/2 connections, their number within the limit. A
// request takes a free stream of an open connection, or the right to open one if
// all streams are taken, or waits for either in line.
type streams struct {
	mu      sync.Mutex
	plan    *plan.Plan
	open    int // connections open or being opened
	conns   map[plan.Server][]*sharedConn
	pending map[plan.Server]int // connections being opened, or whose server has not spoken
	waiting []*streamWaiter
	servers int          // that the plan has
	pass    uint64       // times that the line was walked
	crowd   atomic.Int64 // len(waiting), for those that do not hold mu

	counting func() bool // whether connections opened now belong to the measurement
	counts   record.Connections
}

func newStreams(p *plan.Plan, counting func() bool) *streams {
	s := &streams{plan: p, conns: map[plan.Server][]*sharedConn{}, pending: map[plan.Server]int{}, counting: counting}
	for i := range p.Targets {
		s.pending[p.Targets[i].URL.Server] = 0
	}
	s.servers = len(s.pending)
	return s
}

// opened gives the pool the connection that the right was used for, one stream of
// it taken by the caller.
func (p *streams) opened(c *sharedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.used, c.active = 1, 1
	p.conns[c.server] = append(p.conns[c.server], c)
}

// stood counts a connection that was accepted, whatever becomes of it.
func (p *streams) stood() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counting() {
		p.counts.Opened++
	}
	p.counts.Peak = max(p.counts.Peak, uint64(p.open))
}

// settle notes that the server has said how many streams c has.
func (p *streams) settle(c *sharedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.settled {
		c.settled = true
		p.pending[c.server]--
		p.admit()
	}
}

// failed gives back the right to open a connection.
func (p *streams) failed(server plan.Server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	p.pending[server]--
	p.admit()
}

// release gives back a stream of c; the connection is closed if nothing more is
// to be sent on it.
func (p *streams) release(c *sharedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.active--
	p.prune(c)
	p.admit()
}

// changed is called when a stream of a connection has ended, by its goroutines.
func (p *streams) changed(*http.ClientConn) {
	if p.crowd.Load() == 0 {
		return
	}
	go func() { // as it may be called by take, which holds the lock
		p.mu.Lock()
		defer p.mu.Unlock()
		p.admit()
	}()
}

// close closes every connection and returns the counts. No request is running.
func (p *streams) close() record.Connections {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conns := range p.conns {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	return p.counts
}

// The functions below require p.mu to be held.

// take reserves a stream on an open connection, the oldest with a free one.
func (p *streams) take(server plan.Server) *sharedConn {
	if p.plan.RequestsPerConnection == 1 {
		return nil
	}
	for _, c := range p.conns[server] {
		if c.settled && c.Reserve() == nil {
			c.used++
			c.active++
			return c
		}
		if p.prune(c) {
			return p.take(server) // the list is another
		}
	}
	return nil
}

// prune closes c if nothing is in flight on it and nothing more is to be.
func (p *streams) prune(c *sharedConn) bool {
	if c.active > 0 || c.Err() == nil && p.plan.RequestsPerConnection != 1 {
		return false
	}
	p.drop(c)
	return true
}

// evict closes an idle connection to another server to make room for one to this.
func (p *streams) evict(server plan.Server) bool {
	for other, conns := range p.conns {
		for _, c := range conns {
			if other != server && c.active == 0 {
				p.drop(c)
				return true
			}
		}
	}
	return false
}

func (p *streams) drop(c *sharedConn) {
	conns := p.conns[c.server]
	for i, other := range conns {
		if other == c {
			p.conns[c.server] = append(conns[:i:i], conns[i+1:]...)
			p.open--
		}
	}
	if !c.settled {
		c.settled = true
		p.pending[c.server]--
	}
	go c.Close() // not here: TLS may wait for the socket to say good-bye
}
