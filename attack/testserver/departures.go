package testserver

import "sync"

// A Departure is one request as the server saw it: what a client that measures
// without error would have measured. Instants are of the server's clock, see Server.Now.
type Departure struct {
	Target   string  // the path asked for
	Fate     Failure // how it was failed; empty for a reply
	Rejected bool    // with 503, by a full queue
	Arrival  int64   // the server knew of the request
	Due      int64   // the virtual instant of leaving
	Begun    int64   // its reply was about to be handed to the kernel
	Done     int64   // the kernel had it; over TLS a goroutine may still have to write it
}

// departureLog keeps the first departures. The dispatcher adds, any goroutine reads.
type departureLog struct {
	limit   int
	mu      sync.Mutex
	leaving bool      // a reply is on its way to the kernel and not yet in the log
	left    sync.Cond // leaving is false again
	entries []Departure
}

func newDepartureLog(limit int) *departureLog {
	l := &departureLog{limit: limit}
	l.left.L = &l.mu
	return l
}

// begin announces an entry, so that who has read a reply finds it in the log.
func (l *departureLog) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
}

func (l *departureLog) add(d Departure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = false
	l.left.Broadcast()
	if len(l.entries) < l.limit {
		l.entries = append(l.entries, d)
	}
}

// all waits for the entry that has been announced; the reply itself is written
// without waiting.
func (l *departureLog) all() []Departure {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.leaving {
		l.left.Wait()
	}
	return append([]Departure(nil), l.entries...)
}
