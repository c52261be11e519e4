package nethttp

import (
	"context"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// streamsHoped is how many requests are let wait for one connection that is not
// up yet: servers should allow no fewer streams (RFC 9113 section 6.5.2).
const streamsHoped = 100

// streamWaiter is a request in line. It gets one connection through its channel,
// a stream reserved on it, or nil for the right to open one.
type streamWaiter struct {
	server plan.Server
	turn   chan *sharedConn
	seen   uint64 // the pass that reached it last; one that did not ended before it, at the limit
	held   bool   // the limit has held it back; settled when it gets its turn
}

// get returns a connection to server with a stream reserved, or nil for the right
// to open one. queued says for how long it waited if the limit held it back, and is
// 0 for one that only waited for a connection being opened. A failure is ctx's, in
// the phase of what was waited for.
func (p *streams) get(ctx context.Context, server plan.Server) (c *sharedConn, queued time.Duration, f *failure) {
	w := &streamWaiter{server: server, turn: make(chan *sharedConn, 1)}
	p.mu.Lock()
	w.seen = p.pass
	p.waiting = append(p.waiting, w)
	p.crowd.Store(int64(len(p.waiting)))
	p.admit()
	p.mu.Unlock()
	select {
	case c = <-w.turn:
		return c, 0, nil
	default:
	}
	began := time.Now()
	select {
	case c = <-w.turn:
	case <-ctx.Done():
		f = &failure{p.leave(w), ctx.Err()}
	}
	if w.held {
		queued = time.Since(began)
	}
	return c, queued, f
}

// leave takes w out of the line and says what it was waiting for. A turn that
// came just too late is passed on.
func (p *streams) leave(w *streamWaiter) record.Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.reach(w, p.pass)
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.crowd.Store(int64(len(p.waiting)))
			return w.phase()
		}
	}
	if c := <-w.turn; c != nil {
		c.Release()
		c.active--
		p.prune(c)
	} else {
		p.open--
		p.pending[w.server]--
	}
	p.admit()
	return w.phase()
}

// phase is what w waits for: its turn, or a connection being opened.
func (w *streamWaiter) phase() record.Phase {
	if w.held {
		return record.Queued
	}
	return record.Connect
}

// The functions below require streams.mu to be held.

// admit gives those in line what there is for them. It ends where no server has
// anything left to give, so that a release costs no walk along the whole line.
func (p *streams) admit() {
	p.pass++
	supplies, spent := map[plan.Server]*supply{}, 0
	reached, kept := 0, p.waiting[:0]
	for ; reached < len(p.waiting) && spent < p.servers; reached++ {
		w := p.waiting[reached]
		p.reach(w, p.pass-1)
		s := supplies[w.server]
		if s == nil {
			s = &supply{}
			supplies[w.server] = s
		}
		wasSpent := s.spent
		if c, ok := p.give(w.server, s); ok {
			w.turn <- c
			continue
		}
		w.held = w.held || s.spent
		if s.spent && !wasSpent {
			spent++
		}
		kept = append(kept, w)
	}
	given := reached - len(kept)
	copy(p.waiting[given:], kept)
	clear(p.waiting[:given])
	p.waiting = p.waiting[given:]
	p.crowd.Store(int64(len(p.waiting)))
}

// supply is what one pass along the line has found out about a server.
type supply struct {
	dry   bool // no stream is free
	spent bool // nor is there room for a connection that would be worth opening
	ahead int  // requests left in line that a connection being opened may serve
}

// give is what there is for the next request to server: a stream of a connection,
// or nil for the right to open one.
func (p *streams) give(server plan.Server, s *supply) (c *sharedConn, ok bool) {
	if !s.dry {
		if c = p.take(server); c != nil {
			return c, true
		}
		s.dry = true
	}
	switch {
	case s.spent:
	case !p.worthOpening(server, s.ahead):
		s.ahead++
	case p.open < p.plan.MaxConnections || p.evict(server):
		p.open++
		p.pending[server]++
		return nil, true
	default:
		s.spent = true
	}
	return nil, false
}

// reach notes that a pass has come to w. If that of the number last did not, the
// limit ended it further ahead.
func (p *streams) reach(w *streamWaiter, last uint64) {
	w.held = w.held || w.seen != last
	w.seen = p.pass
}

// worthOpening says whether the connections being opened are too few for one
// request more than those ahead of it in line.
func (p *streams) worthOpening(server plan.Server, ahead int) bool {
	return p.plan.RequestsPerConnection == 1 || ahead >= streamsHoped*p.pending[server]
}
