package nethttp

import (
	"context"
	"sync"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// pool holds the open connections and keeps their number within the limit.
// Requests that find none free wait in order; each is handed a connection or the
// right to open one as soon as another closes or becomes idle.
type pool struct {
	mu      sync.Mutex
	limit   int
	open    int                     // connections open or being opened
	idle    map[plan.Server][]*conn // newest last
	waiting []*waiter
	active  map[*conn]struct{} // every established connection, to cut them off
	cut     bool

	counting func() bool // whether connections opened now belong to the measurement
	counts   record.Connections
}

// waiter is a request in line. It gets one connection through its channel, or
// nil for the right to open one.
type waiter struct {
	server plan.Server
	turn   chan *conn
}

func newPool(limit int, counting func() bool) *pool {
	return &pool{limit: limit, idle: map[plan.Server][]*conn{}, active: map[*conn]struct{}{}, counting: counting}
}

// get returns an idle connection to server, the newest first, or nil for the
// right to open one. It waits while the limit is reached; waited says for how
// long. The error is ctx's.
func (p *pool) get(ctx context.Context, server plan.Server) (c *conn, waited time.Duration, err error) {
	p.mu.Lock()
	for c = p.popIdle(server); c != nil; c = p.popIdle(server) {
		if c.quiet() {
			p.mu.Unlock()
			return c, 0, nil
		}
		p.drop(c)
	}
	if p.open < p.limit || p.evict() {
		p.open++
		p.mu.Unlock()
		return nil, 0, nil
	}
	w := &waiter{server, make(chan *conn, 1)}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	return p.wait(ctx, w)
}

func (p *pool) wait(ctx context.Context, w *waiter) (*conn, time.Duration, error) {
	began := time.Now()
	select {
	case c := <-w.turn:
		return c, time.Since(began), nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return nil, time.Since(began), ctx.Err()
		}
	}
	if c := <-w.turn; c != nil { // the turn came just too late: pass it on
		p.release(c)
	} else {
		p.open--
		p.admit()
	}
	return nil, time.Since(began), ctx.Err()
}

// opened notes that the right to open a connection was used.
func (p *pool) opened(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active[c] = struct{}{}
	p.count(len(p.active))
	if p.cut {
		c.cut()
	}
}

// failed gives back the right to open a connection. stood says that there was
// one for a moment.
func (p *pool) failed(stood bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stood {
		p.count(len(p.active) + 1)
	}
	p.open--
	p.admit()
}

// put gives back a connection for the next request.
func (p *pool) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(c)
}

// discard closes a connection for good.
func (p *pool) discard(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(c)
	p.admit()
}

// cutOff ends all that is in flight: blocked reads and writes return at once.
func (p *pool) cutOff() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.active {
		c.cut()
	}
}

// close closes every connection and returns the counts. No request is running.
func (p *pool) close() record.Connections {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.active {
		c.Close()
	}
	return p.counts
}

// The functions below require p.mu to be held.

// count counts a connection, the open one of that number.
func (p *pool) count(open int) {
	if p.counting() {
		p.counts.Opened++
	}
	p.counts.Peak = max(p.counts.Peak, uint64(open))
}

// release hands c to the first waiter that can use it, or keeps it idle.
func (p *pool) release(c *conn) {
	for i, w := range p.waiting {
		if w.server == c.server {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			w.turn <- c
			return
		}
	}
	p.idle[c.server] = append(p.idle[c.server], c)
	if len(p.waiting) > 0 && p.evict() {
		p.admit()
	}
}

// admit gives the first waiter the right to open a connection if there is room.
func (p *pool) admit() {
	for len(p.waiting) > 0 && p.open < p.limit {
		w := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.open++
		w.turn <- nil
	}
}

func (p *pool) popIdle(server plan.Server) *conn {
	idle := p.idle[server]
	if len(idle) == 0 {
		return nil
	}
	c := idle[len(idle)-1]
	p.idle[server] = idle[:len(idle)-1]
	return c
}

// evict closes an idle connection to any server to make room for another.
func (p *pool) evict() bool {
	for server := range p.idle {
		if c := p.popIdle(server); c != nil {
			p.drop(c)
			return true
		}
	}
	return false
}

func (p *pool) drop(c *conn) {
	c.Close()
	delete(p.active, c)
	p.open--
}
