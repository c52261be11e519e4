package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

func plannedFor(rate string, change func(*plan.Plan)) *plan.Plan {
	p := plan.New()
	p.Rate, _ = plan.ParseRate(rate)
	p.Duration = plan.DefaultDuration
	change(p)
	return p
}

func TestProgressShowsTheLastSecond(t *testing.T) {
	var out bytes.Buffer
	b := newLine(&out, plannedFor("300", func(*plan.Plan) {}))
	b.second(record.Interval{T: 2, Replies: 298, Errors: 2, P50: 0.00123, P99: 0.0456, InFlight: 7})
	for _, want := range []string{"30%", "3 of 10s", "offered 300/s", "replies 298/s", "errors 2/s", "p50 1.23 p99 45.6 ms", "in flight 7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q does not hold %q", out.String(), want)
		}
	}
	out.Reset()
	b.second(record.Interval{T: 3, P50: record.Undefined(), P99: record.Undefined()})
	if strings.Contains(out.String(), "errors") || strings.Contains(out.String(), "p50") || strings.Contains(out.String(), "NaN") {
		t.Errorf("%q tells what did not happen", out.String())
	}
	out.Reset()
	b.clear()
	if !strings.HasPrefix(out.String(), "\x1b[2K") {
		t.Errorf("clearing writes %q", out.String())
	}
}

// stopped is a terminal after Ctrl-S: the first write waits until released.
type stopped struct {
	entered, released chan struct{}
	once              sync.Once
	mu                sync.Mutex
	shown             bytes.Buffer // not embedded: it has other ways to write
}

func (s *stopped) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.entered) })
	<-s.released
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(b)
}

func (s *stopped) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// A terminal that takes nothing holds nobody up, and its goroutine ends when it can.
func TestProgressOnAStoppedTerminal(t *testing.T) {
	out := &stopped{entered: make(chan struct{}), released: make(chan struct{})}
	b := startProgress(newLine(out, plannedFor("300", func(*plan.Plan) {})))
	b.second(record.Interval{T: 0, Replies: 111})
	<-out.entered
	for second := range 100 { // would wait for ever if one of them waited
		b.second(record.Interval{T: record.Number(second + 1), Replies: 222})
	}
	b.clear()
	if text := out.text(); text != "" {
		t.Errorf("a stopped terminal shows %q", text)
	}
	close(out.released)
	select {
	case <-b.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the goroutine goes on")
	}
	text := out.text()
	if !strings.Contains(text, "replies 111/s") || strings.HasSuffix(text, "\x1b[2K\r") {
		t.Errorf("it shows %q, want the second under way when it stopped, not taken off", text)
	}
	if n := strings.Count(text, "101 of"); n != 0 {
		t.Errorf("it shows the last of 100 seconds %d times, which had no place", n)
	}
}

// As it is used: the line comes, and nothing is left of it or of the goroutine.
func TestProgressEnds(t *testing.T) {
	var out bytes.Buffer
	b := startProgress(newLine(&out, plannedFor("300", func(p *plan.Plan) { p.Warmup = plan.Seconds(time.Second) })))
	b.clear()
	<-b.ended
	if !strings.Contains(out.String(), "warm-up of 1s") || !strings.HasSuffix(out.String(), "\x1b[2K\r") {
		t.Errorf("%q, want the line and its removal", out.String())
	}
}

func TestProgressCountsTheWarmup(t *testing.T) {
	var out bytes.Buffer
	b := newLine(&out, plannedFor("10", func(p *plan.Plan) { p.Warmup = plan.Seconds(5 * time.Second) }))
	if b.begin(); !strings.Contains(out.String(), "warm-up of 5s") {
		t.Errorf("%q", out.String())
	}
	for left, want := range map[time.Duration]string{
		6 * time.Second: "warm-up 0 of 5s  offered 10/s", 2 * time.Second: "warm-up 3 of 5s  offered 10/s", 0: "warm-up 5 of 5s",
	} {
		out.Reset()
		if b.warming(left); !strings.Contains(out.String(), want) {
			t.Errorf("%v left: %q", left, out.String())
		}
	}
	b.second(record.Interval{T: 0})
	if !strings.Contains(out.String(), "6 of 15s") {
		t.Errorf("%q", out.String())
	}
}

func TestProgressBeyondTheWindow(t *testing.T) {
	var out bytes.Buffer
	b := newLine(&out, plannedFor("10", func(*plan.Plan) {}))
	for second := range 15 { // the drain is shown too, but nothing passes the end
		out.Reset()
		b.second(record.Interval{T: record.Number(second), InFlight: 15 - uint64(second)})
		said, drain := out.String(), second >= 10
		if want := fmt.Sprintf(" %d of 10s", min(second+1, 10)); !strings.Contains(said, want) ||
			strings.Contains(said, "all sent") != drain || strings.Contains(said, "offered") == drain {
			t.Errorf("second %d: %q", second, said)
		}
	}
	if !strings.Contains(out.String(), "99%") || !strings.Contains(out.String(), "in flight 1") {
		t.Errorf("%q", out.String())
	}
}

// A window of parts of a second is rounded in one and the same way.
func TestProgressAtTheEndOfAPart(t *testing.T) {
	var out bytes.Buffer
	b := newLine(&out, plannedFor("10", func(p *plan.Plan) { p.Duration = plan.Seconds(2500 * time.Millisecond) }))
	b.second(record.Interval{T: 2})
	if !strings.Contains(out.String(), " 3 of 3s  offered") {
		t.Errorf("%q", out.String())
	}
}

// What the servers use is one more field, for which a narrow terminal gives up
// what does not change.
func TestProgressShowsTheServer(t *testing.T) {
	for columns, offered := range map[int]bool{0: true, 200: true, 110: false} {
		var out bytes.Buffer
		b := newLine(&out, plannedFor("300", func(*plan.Plan) {}))
		b.cores, b.columns = func() (float64, bool) { return 0.984, true }, func() int { return columns }
		b.second(record.Interval{T: 2, Replies: 298, P50: 0.00123, P99: 0.0456, InFlight: 7})
		shown := strings.TrimSuffix(out.String()[strings.LastIndex(out.String(), "\r")+1:], "\x1b[0K")
		if !strings.Contains(shown, "server 0.98 cores") || strings.Contains(shown, "offered") != offered {
			t.Errorf("%d columns: %q", columns, shown)
		}
		if n := utf8.RuneCountInString(shown); columns > 0 && n > columns {
			t.Errorf("%d columns of %d: %q", n, columns, shown)
		}
	}
	narrow := newLine(&bytes.Buffer{}, plannedFor("300", func(*plan.Plan) {}))
	narrow.columns = func() int { return 60 }
	if said := narrow.describe(3*time.Second, record.Interval{T: 2, Replies: 9, P50: 1, P99: 1}); said != "3 of 10s  replies 9/s" {
		t.Errorf("60 columns: %q", said)
	}
}

// RC-056: the longest plan that there is.
func TestProgressForEver(t *testing.T) {
	var out bytes.Buffer
	b := newLine(&out, plannedFor("0.5", func(p *plan.Plan) {
		p.Duration, p.Total, p.Warmup = 0, 1<<63-1, plan.Seconds(time.Hour)
	}))
	out.Reset()
	b.second(record.Interval{T: 0})
	if !strings.Contains(out.String(), "3601 of > 292 years") || strings.Contains(out.String(), "-") {
		t.Errorf("%q", out.String())
	}
}

func TestNoProgressWithoutATerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, b := range []*progress{newProgress(f, plan.New(), nil), newProgress(&bytes.Buffer{}, plan.New(), nil)} {
		if b != nil {
			t.Error("progress for what is no terminal")
		}
		b.warm(time.Now())
		b.second(record.Interval{})
		b.clear()
	}
	if info, _ := f.Stat(); info.Size() != 0 {
		t.Error("something was written")
	}
}
