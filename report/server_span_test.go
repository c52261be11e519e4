package report

import (
	"math"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// at are readings at those instants, in milliseconds.
func at(ms ...int) []sampler.Reading {
	all := make([]sampler.Reading, len(ms))
	for i, t := range ms {
		all[i].At = time.Duration(t) * time.Millisecond
	}
	return all
}

// TestResultSpan: whole seconds strictly inside the load where there are enough of
// them, else everything; 0 to 0 where there is none.
func TestResultSpan(t *testing.T) {
	for _, c := range []struct {
		what            string
		window, elapsed record.Number
		readings        []int
		from, to        int // ms
	}{
		{"a long run", 10, 10.2, []int{-50, 0, 1001, 2001, 3001, 9001, 9499, 10001, 10210}, 1001, 9499},
		{"a reading at 0.5 s counts", 4, 4, []int{-50, 499, 500, 2500, 3500, 3501, 4001}, 500, 3500},
		{"just long enough", 4, 4, []int{-50, 1, 1000, 2000, 3000, 4000}, 1000, 3000},
		{"as long, with readings that stray", 4, 4, []int{-50, 1, 1001, 2000, 3000, 4000}, 1001, 3000},
		{"too short", 3, 3.1, []int{-50, 1, 1001, 2001, 3001, 3110}, 1, 3110},
		{"the one at the origin", 1, 1.1, []int{-9000, -50, 0, 1, 1001, 1105, 1200}, 0, 1105},
		{"a warm-up", 1, 1.1, []int{-9000, 1, 1001, 1105}, 1, 1105},
		{"a warm-up and a slow reading", 1, 1.1, []int{-9000, 240, 1001, 1105}, 240, 1105},
		{"a warm-up and none near the origin", 1, 1.1, []int{-9000, -800, 251, 1105}, -800, 1105},
		{"nearest before the origin", 1, 1.1, []int{-20, 30, 1105}, -20, 1105},
		{"over at once", 0.01, 0.02, []int{-600, 21}, -600, 21},
		{"too short for any figure", 0.01, 0.02, []int{-300, 21}, 0, 0},
		{"none after the end", 1, 1.1, []int{-50, 1, 1001}, 1, 1001},
		{"none before the origin", 1, 1.1, []int{3, 1001, 2000}, 3, 2000},
		{"the link was lost", 10, 10.2, []int{-50, 1, 1001, 2001, 3001}, 1001, 3001},
		{"the link was lost early", 10, 10.2, []int{-50, 1, 1001, 2001}, 1001, 2001},
		{"the link was lost at once", 10, 10.2, []int{-900, 1, 1001}, 0, 0},
		{"the link was lost in a short run", 3, 3.1, []int{-900, 1, 1001, 2001}, 1001, 2001},
		{"readings that begin late", 3, 3.1, []int{1400, 2001, 3200}, 1400, 2001},
		{"a reading after the end alone", 1, 1, []int{2000}, 0, 0},
		{"no window", record.Undefined(), 3, []int{-50, 1, 1001, 3001}, 1, 3001},
	} {
		span := resultSpan(at(c.readings...), &record.Summary{Window: c.window, Elapsed: c.elapsed})
		var from, to int64
		if len(span) > 0 {
			from, to = span[0].At.Milliseconds(), span[len(span)-1].At.Milliseconds()
		}
		if int(from) != c.from || int(to) != c.to {
			t.Errorf("%s: %d to %d ms, want %d to %d", c.what, from, to, c.from, c.to)
		}
	}
	if span := resultSpan(nil, &record.Summary{Window: 10, Elapsed: 10}); len(span) > 0 {
		t.Errorf("no readings: a span of %d", len(span))
	}
}

// repliesOf is a run with that many replies in each second.
func repliesOf(elapsed record.Number, each ...uint64) *Document {
	d := &Document{Summary: record.Summary{Window: elapsed, Elapsed: elapsed}}
	for i, n := range each {
		d.Intervals = append(d.Intervals, record.Interval{T: record.Number(i), Replies: n})
	}
	return d
}

func TestCountReplies(t *testing.T) {
	d := repliesOf(3.5, 100, 200, 300, 40)
	for ms, want := range map[int]float64{-10: 0, 0: 0, 500: 50, 1000: 100, 1250: 150, 3000: 600, 3250: 620, 3500: 640, 9000: 640} {
		got := countReplies(d, time.Duration(ms)*time.Millisecond)
		if math.Abs(got.n-want) > 1e-9 {
			t.Errorf("at %d ms: %v replies, want %v", ms, got.n, want)
		}
	}
	if r := countReplies(d, 1500*time.Millisecond); r.rate != 200 || r.variance != 50 {
		t.Errorf("in the middle of 200 replies: rate %v, variance %v, want 200 and 50", r.rate, r.variance)
	}
	if r := countReplies(d, 3250*time.Millisecond); r.rate != 80 {
		t.Errorf("40 replies in the half second left: rate %v, want 80", r.rate)
	}
	if r := countReplies(d, 4*time.Second); r.rate != 0 || r.variance != 0 {
		t.Errorf("after the end all is known: %+v", r)
	}
}

// TestRepliesBetween: exact at whole seconds, and less so as readings stray.
func TestRepliesBetween(t *testing.T) {
	d := repliesOf(4, 100, 100, 100, 100)
	span := at(1000, 3000)
	if n, precision := repliesBetween(d, &span[0], &span[1]); n != 200 || precision != 0 {
		t.Errorf("%v ± %v, want 200 ± 0", n, precision)
	}
	span[0].Within, span[1].Within = 30*time.Millisecond, 40*time.Millisecond
	if n, precision := repliesBetween(d, &span[0], &span[1]); n != 200 || math.Abs(precision-5) > 1e-9 {
		t.Errorf("%v ± %v, want 200 ± 5", n, precision)
	}
	span = at(1100, 3000)
	if n, precision := repliesBetween(d, &span[0], &span[1]); n != 190 || math.Abs(precision-9) > 1e-9 {
		t.Errorf("%v ± %v, want 190 ± 9", n, precision)
	}
}

// TestElapsedBetween: measured, never nominal, and by the clock that tells it best.
func TestElapsedBetween(t *testing.T) {
	span := at(1000, 4500) // three seconds and a half for a nominal one
	span[0].Uptime, span[1].Uptime = 100*time.Second, 103480*time.Millisecond
	check := func(what, host string, within, want time.Duration) {
		t.Helper()
		span[1].Within = within
		if got := elapsedBetween(&sampler.HostInfo{Name: host}, &span[0], &span[1]); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("this machine", "local", time.Second, 3500*time.Millisecond)
	check("a fast link", "bench@host", 2*time.Millisecond, 3500*time.Millisecond)
	check("a slow link", "bench@host", 30*time.Millisecond, 3480*time.Millisecond)
	span[1].Uptime = span[0].Uptime
	check("a slow link and a clock that stands", "bench@host", 30*time.Millisecond, 3500*time.Millisecond)
}
