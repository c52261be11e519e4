package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// progress is the line that shows a run going on. A nil *progress shows
// nothing, so that callers need not ask. It has no goroutine and reads no
// clock: each interval of the measurement moves it.
type progress struct {
	bar    *progressbar.ProgressBar
	warmup time.Duration
	whole  time.Duration // warm-up and arrival window
	rate   float64       // offered, requests per second
}

// newProgress is nil unless w is a terminal.
func newProgress(w io.Writer, p *plan.Plan) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return drawProgress(w, p)
}

// drawProgress draws to w whatever it is.
func drawProgress(w io.Writer, p *plan.Plan) *progress {
	warmup := p.Rate.At(p.WarmupRequests())
	b := &progress{warmup: warmup, whole: warmup + min(p.Window(), forever-warmup), rate: p.Rate.PerSecond()}
	b.bar = progressbar.NewOptions64(max(int64(b.whole/time.Millisecond), 2),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(12),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true),
	)
	if warmup > 0 { // which has no intervals
		b.bar.Describe("warm-up of " + span(warmup))
	}
	return b
}

// forever is the longest span that can be told, about 292 years.
const forever = time.Duration(1<<63 - 1)

// second shows the second that has just passed.
func (b *progress) second(i record.Interval) {
	if b == nil {
		return
	}
	at := b.warmup.Seconds() + float64(i.T) + 1
	b.bar.Describe(b.describe(at, i))
	// Never full: the bar would end itself, and the drain is still to come.
	_ = b.bar.Set64(int64(min(at*1e3, float64(b.bar.GetMax64()-1))))
}

func (b *progress) describe(at float64, i record.Interval) string {
	text := fmt.Sprintf("%.0f of %s  offered %.4g/s  replies %d/s", at, span(b.whole), b.rate, i.Replies)
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

// clear takes the line off the terminal.
func (b *progress) clear() {
	if b != nil {
		_ = b.bar.Clear()
	}
}
