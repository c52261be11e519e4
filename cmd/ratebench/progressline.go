package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// line is what is drawn. It reads no clock.
type line struct {
	bar     *progressbar.ProgressBar
	warmup  time.Duration
	whole   time.Duration          // warm-up and arrival window
	unended bool                   // whole is not known: a closed loop's total says when it is over
	load    string                 // that is offered
	cores   func() (float64, bool) // that the servers use
	columns func() int             // of the terminal, 0 if that is not known
}

// barWidth is the bar alone, barColumns with the share before it and the blanks around.
const (
	barWidth   = 12
	barColumns = barWidth + 10
)

// newLine draws nothing yet. What the servers use and how wide the terminal is
// are not known to it.
func newLine(w io.Writer, p *plan.Plan) *line {
	warmup := p.WarmupLength()
	l := &line{
		warmup: warmup, whole: warmup + min(p.Window(), forever-warmup),
		unended: p.Closed() && p.Duration == 0,
		load:    fmt.Sprintf("offered %.4g/s", p.Rate.PerSecond()),
		cores:   func() (float64, bool) { return 0, false },
		columns: func() int { return 0 },
	}
	if p.Closed() {
		l.load = fmt.Sprintf("%d at once", p.Concurrency)
	}
	l.bar = progressbar.NewOptions64(max(int64(l.whole/time.Millisecond), 2),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionUseANSICodes(true),
	)
	return l
}

// begin shows that the load has not begun yet, or not the measurement.
func (l *line) begin() {
	if l.warmup > 0 {
		l.bar.Describe("warm-up of " + span(l.warmup))
	}
}

// warming shows the warm-up, of which that much is left.
func (l *line) warming(left time.Duration) {
	passed := max(l.warmup-left, 0)
	l.bar.Describe(fmt.Sprintf("warm-up %.0f of %s  %s", passed.Seconds(), span(l.warmup), l.load))
	l.set(passed)
}

// second shows a second of the measurement, or of the drain after it.
func (l *line) second(i record.Interval) {
	at := l.warmup + min(time.Duration(i.T+1)*time.Second, forever-l.warmup)
	l.bar.Describe(l.describe(at, i))
	l.set(at)
}

// set moves the bar, never to its end: it would end itself there, and the drain
// is still to come.
func (l *line) set(at time.Duration) {
	_ = l.bar.Set64(min(at.Milliseconds(), l.bar.GetMax64()-1))
}

// field is a part of the text; the higher spare is, the sooner it can be spared.
type field struct {
	text  string
	spare int
}

// firstSpared is the highest field.spare; what has 0 stays.
const firstSpared = 3

// describe leaves out of a line too long for the terminal what tells least.
func (l *line) describe(at time.Duration, i record.Interval) string {
	fields := l.fields(at, i)
	columns := l.columns()
	for spare := firstSpared; spare > 0 && columns > 0 && barColumns+utf8.RuneCountInString(joined(fields)) > columns; spare-- {
		fields = slices.DeleteFunc(fields, func(f field) bool { return f.spare == spare })
	}
	return joined(fields)
}

func joined(fields []field) string {
	var texts []string
	for _, f := range fields {
		texts = append(texts, f.text)
	}
	return strings.Join(texts, "  ")
}

func (l *line) fields(at time.Duration, i record.Interval) []field {
	load, passed := l.load, fmt.Sprintf("%.0f of %s", min(at, l.whole).Round(time.Second).Seconds(), span(l.whole))
	if l.unended {
		passed = span(at)
	}
	if l.warmup+time.Duration(i.T)*time.Second >= l.whole {
		load = "all sent"
	}
	fields := []field{
		{passed, 0},
		{load, 3},
		{fmt.Sprintf("replies %d/s", i.Replies), 0},
	}
	if i.Errors > 0 {
		fields = append(fields, field{fmt.Sprintf("errors %d/s", i.Errors), 0})
	}
	if i.P50.Defined() && i.P99.Defined() {
		fields = append(fields, field{fmt.Sprintf("p50 %.3g p99 %.3g ms", i.P50*1e3, i.P99*1e3), 1})
	}
	fields = append(fields, field{fmt.Sprintf("in flight %d", i.InFlight), 2})
	if cores, known := l.cores(); known {
		fields = append(fields, field{fmt.Sprintf("server %.2f cores", cores), 1})
	}
	return fields
}

// forever is the longest span that can be told, about 292 years.
const forever = time.Duration(1<<63 - 1)

func span(d time.Duration) string {
	if d == forever {
		return "> 292 years"
	}
	return d.Round(time.Second).String()
}

func (l *line) clear() { _ = l.bar.Clear() }
