package testserver

import "sync"

// A news is what a goroutine tells the dispatcher about a connection.
type news struct {
	what    what
	conn    *conn
	at      int64   // instant of posting
	request request // of isRequest; without its head
	failed  bool    // of isEnded: by an error, not by the client's close. Of isWritten: not all of it
}

// what a piece of news says.
type what uint8

const (
	isOpened  what = iota // accepted
	isRequest             // read a whole request
	isBad                 // read something that is not a request; nothing more will be read
	isEnded               // nothing more will be read
	isWritten             // the goroutine that writes the rest of a reply is done
)

// An inbox carries news to the dispatcher and wakes it if it sleeps. Any goroutine
// may post; only the dispatcher takes and waits.
//
// News is stamped while the lock is held, so that the instants never decrease, and
// take misses nothing that happened before it. A request's arrival is the moment
// at which the dispatcher could know of it: of a reader that is scheduled late
// the queue hears late, and does not have to rewrite the past.
type inbox struct {
	clock  clock
	mu     sync.Mutex
	alarm  *alarm
	unread []news
	spare  []news // what take returned last, to be filled again after the next take
	asleep bool
	closed bool
}

// post says whether the dispatcher will see the news: not if it has stopped.
func (b *inbox) post(n news) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	n.at = b.clock.now()
	b.unread = append(b.unread, n)
	b.wake()
	return true
}

// close ends the inbox: what is unread can still be taken, nothing more is accepted.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.wake()
}

// wake requires that mu is held, so that the alarm is never touched after close.
func (b *inbox) wake() {
	if b.asleep {
		b.asleep = false
		b.alarm.wake()
	}
}

// take returns the unread news, which are valid until the next take, and whether
// the inbox is still open.
func (b *inbox) take() ([]news, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.unread
	b.unread, b.spare = b.spare[:0], taken
	return taken, !b.closed
}

// wait sleeps until there is news, or until the given instant, or a little less.
func (b *inbox) wait(until int64) {
	b.mu.Lock()
	b.asleep = len(b.unread) == 0 && !b.closed
	sleep := b.asleep
	b.mu.Unlock()
	if sleep {
		b.alarm.sleep(until)
		b.mu.Lock()
		b.asleep = false
		b.mu.Unlock()
	}
}
