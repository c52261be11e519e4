package attack

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

const (
	// logBatch is how many outcomes wait before the writer is woken: waking it
	// for each would cost the engine's loop as much as the request itself.
	logBatch = 256
	// logBacklog is how many outcomes may wait for a slow disk, some 17 MB; then
	// Record waits too, and the lateness shows in the run's send lag.
	logBacklog = 1 << 17
)

// Log writes every request of a run in one of vegeta's result formats, one
// result for each request of the measurement, numbered from 0 in the order of
// the plan, for vegeta's report, plot and encode commands.
//
// A result's timestamp is the due time and its latency the response time, so
// that vegeta's figures are free of coordinated omission. Its code is the reply's
// status, 0 for an error, and its error the class and the reason. The bytes are
// those of bodies. Passwords in URLs are masked.
//
// Record may be called from several goroutines. NewLog makes the only Log that
// is of use; Close must be called.
type Log struct {
	out    *bufio.Writer
	encode vegeta.Encoder
	plan   *plan.Plan
	attack string
	first  uint64 // number of the first measured request in the plan

	backlog int // logBacklog, less in tests
	mu      sync.Mutex
	filled  sync.Cond // a batch is full, or closed is set
	drained sync.Cond // batch was taken
	batch   []record.Outcome
	origin  time.Time
	closed  bool
	written chan struct{} // closed when the writer has ended

	err error // the first of writing; the writer's own until written is closed
}

// NewLog makes a log in vegeta's format "json", "csv" or "gob". p is validated
// and resolved, and is not changed before Close.
func NewLog(w io.Writer, format string, p *plan.Plan) (*Log, error) {
	l := &Log{
		out: bufio.NewWriterSize(w, 1<<16), plan: p, first: p.WarmupRequests(),
		// Vegeta tells series apart by this name, so that the logs of several
		// rates can be plotted together.
		attack:  "ratebench " + load(p),
		backlog: logBacklog,
		written: make(chan struct{}),
	}
	switch format {
	case "json":
		l.encode = vegeta.NewJSONEncoder(l.out)
	case "csv":
		l.encode = vegeta.NewCSVEncoder(l.out)
	case "gob":
		l.encode = vegeta.NewEncoder(l.out)
	default:
		return nil, fmt.Errorf("log format %q: want json, csv or gob", format)
	}
	l.filled.L, l.drained.L = &l.mu, &l.mu
	go l.write() // ends when Close is called
	return l, nil
}

// load is what a plan offers, in a word.
func load(p *plan.Plan) string {
	if p.Closed() {
		return fmt.Sprintf("%d at once", p.Concurrency)
	}
	return p.Rate.String() + "/s"
}

// Start says when the origin of the due times was, by the wall clock. It is
// called once, before the first Record.
func (l *Log) Start(origin time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origin = origin.Round(0) // a monotonic reading means nothing in a file
}

// Record takes the outcome of a request, in any order. Requests of the warm-up
// are passed over, and so is everything after Close.
func (l *Log) Record(o *record.Outcome) {
	if o.Seq < l.first {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.batch) >= l.backlog && !l.closed {
		l.drained.Wait()
	}
	if l.closed {
		return
	}
	if l.batch = append(l.batch, *o); len(l.batch) == logBatch {
		l.filled.Signal()
	}
}

// Close writes what is still held and returns the first error of writing. A
// request that never started, though a later one did, is written with the error
// "unsent" and the time that it had been due for at the end.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.filled.Signal()
	l.drained.Broadcast()
	l.mu.Unlock()
	<-l.written
	return l.err
}

// write is the writer: it encodes batches until the log is closed.
func (l *Log) write() {
	defer close(l.written)
	var batch []record.Outcome
	ordered := newOrder(l.plan, l.result)
	for open := true; open; {
		batch, open = l.next(batch)
		for i := range batch {
			if l.err == nil { // after an error nothing more is held
				ordered.add(&batch[i])
			}
		}
	}
	if l.err == nil {
		ordered.finish()
	}
	if err := l.out.Flush(); l.err == nil {
		l.note(err)
	}
}

// next waits for outcomes and takes them all, leaving used to be filled again.
// open is false with the last ones.
func (l *Log) next(used []record.Outcome) (batch []record.Outcome, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.batch) < logBatch && !l.closed {
		l.filled.Wait()
	}
	batch, l.batch = l.batch, used[:0]
	l.drained.Broadcast()
	return batch, !l.closed
}

func (l *Log) note(err error) {
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("writing the log: %w", err)
	}
}
