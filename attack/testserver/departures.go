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
	entries []Departure
}

func (l *departureLog) add(d Departure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) < l.limit {
		l.entries = append(l.entries, d)
	}
}

func (l *departureLog) all() []Departure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Departure(nil), l.entries...)
}
