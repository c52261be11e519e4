package main

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// progress shows a run going on, a line that a goroutine of its own draws: a
// terminal that takes nothing (Ctrl-S) must not hold up the measurement. A nil
// *progress shows nothing, so that callers need not ask.
type progress struct {
	origin  chan time.Time       // one slot
	seconds chan record.Interval // one slot: what the terminal is too slow for is not shown
	over    chan struct{}        // closed by clear
	ended   chan struct{}        // closed when the goroutine has taken the line off
	gaveUp  atomic.Bool          // clear did not wait for that: other text has followed
}

// newProgress is nil unless w is a terminal. cores are what the servers use, ok
// if that is known.
func newProgress(w io.Writer, p *plan.Plan, cores func() (cores float64, ok bool)) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	l := newLine(w, p)
	l.cores = cores
	l.columns = func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return columns
	}
	return startProgress(l)
}

// startProgress draws the line until clear.
func startProgress(l *line) *progress {
	b := &progress{
		origin:  make(chan time.Time, 1),
		seconds: make(chan record.Interval, 1),
		over:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	go b.draw(l) // ends after clear, as soon as the terminal lets it
	return b
}

// draw counts the seconds of the warm-up itself, which has no intervals.
func (b *progress) draw(l *line) {
	defer close(b.ended)
	l.begin()
	var origin time.Time
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case origin = <-b.origin:
		case <-tick.C:
			if left := time.Until(origin); left > 0 {
				l.warming(left)
			}
		case i := <-b.seconds:
			l.second(i)
		case <-b.over:
			if !b.gaveUp.Load() {
				l.clear()
			}
			return
		}
	}
}

// warm tells when the warm-up ends. It is called at most once, and never waits.
func (b *progress) warm(until time.Time) {
	if b != nil {
		b.origin <- until
	}
}

// second shows the second that has just passed. It never waits.
func (b *progress) second(i record.Interval) {
	if b == nil {
		return
	}
	select {
	case b.seconds <- i:
	default:
	}
}

// clearing is how long a terminal may take to have the line taken off.
const clearing = 200 * time.Millisecond

// clear takes the line off the terminal, unless that takes nothing.
func (b *progress) clear() {
	if b == nil {
		return
	}
	close(b.over)
	timer := time.NewTimer(clearing)
	defer timer.Stop()
	select {
	case <-b.ended:
	case <-timer.C:
		b.gaveUp.Store(true)
	}
}
