package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// progress shows a run going on, a line that a goroutine of its own draws: a
// terminal that takes nothing (Ctrl-S) must not hold up the measurement. A nil
// *progress shows nothing, so that callers need not ask.
type progress struct {
	seconds chan record.Interval // one slot: what the terminal is too slow for is not shown
	over    chan struct{}        // closed by clear
	ended   chan struct{}        // closed when the goroutine has taken the line off
	gaveUp  atomic.Bool          // clear did not wait for that: other text has followed
}

// newProgress is nil unless w is a terminal.
func newProgress(w io.Writer, p *plan.Plan) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return startProgress(w, p)
}

// startProgress draws to w whatever it is, until clear.
func startProgress(w io.Writer, p *plan.Plan) *progress {
	b := &progress{
		seconds: make(chan record.Interval, 1),
		over:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	go b.draw(newLine(w, p)) // ends after clear, as soon as w lets it
	return b
}

func (b *progress) draw(l *line) {
	defer close(b.ended)
	l.begin()
	for {
		select {
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

// line is what is drawn. It reads no clock: each interval of the measurement moves it.
type line struct {
	bar    *progressbar.ProgressBar
	warmup time.Duration
	whole  time.Duration // warm-up and arrival window
	rate   float64       // offered, requests per second
}

// newLine draws nothing yet.
func newLine(w io.Writer, p *plan.Plan) *line {
	warmup := p.Rate.At(p.WarmupRequests())
	l := &line{warmup: warmup, whole: warmup + min(p.Window(), forever-warmup), rate: p.Rate.PerSecond()}
	l.bar = progressbar.NewOptions64(max(int64(l.whole/time.Millisecond), 2),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(12),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true),
	)
	return l
}

// begin shows the warm-up, which has no intervals.
func (l *line) begin() {
	if l.warmup > 0 {
		l.bar.Describe("warm-up of " + span(l.warmup))
	}
}

// forever is the longest span that can be told, about 292 years.
const forever = time.Duration(1<<63 - 1)

func (l *line) second(i record.Interval) {
	at := l.warmup.Seconds() + float64(i.T) + 1
	l.bar.Describe(l.describe(at, i))
	// Never full: the bar would end itself, and the drain is still to come.
	_ = l.bar.Set64(int64(min(at*1e3, float64(l.bar.GetMax64()-1))))
}

func (l *line) describe(at float64, i record.Interval) string {
	text := fmt.Sprintf("%.0f of %s  offered %.4g/s  replies %d/s", at, span(l.whole), l.rate, i.Replies)
	if i.Errors > 0 {
		text += fmt.Sprintf("  errors %d/s", i.Errors)
	}
	if i.P50.Defined() && i.P99.Defined() {
		text += fmt.Sprintf("  p50 %.3g p99 %.3g ms", i.P50*1e3, i.P99*1e3)
	}
	return text + fmt.Sprintf("  in flight %d", i.InFlight)
}

func span(d time.Duration) string {
	if d == forever {
		return "> 292 years"
	}
	return d.Round(time.Second).String()
}

func (l *line) clear() { _ = l.bar.Clear() }
