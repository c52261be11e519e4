package report

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report/chart"
)

// Seconds of longRun at which one thing out of the ordinary happens.
const (
	slowSecond   = 1234 // one reply of 4.9 s
	failedSecond = 2345 // 250 connections reset, and none but here
	emptySecond  = 3000 // no reply at all
)

// longRun is a run of seconds × rate requests, made up but complete: each second
// differs, and three of them are out of the ordinary.
func longRun(t testing.TB, seconds int, rate uint64) *Document {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	about := func(s float64) record.Number { return record.Number(s * math.Exp(0.3*random.NormFloat64())) }
	d := steadyRun()
	d.Plan.Duration, d.Plan.Total = plan.Seconds(time.Duration(seconds)*time.Second), 0
	d.Intervals = nil
	for i := range seconds {
		v := record.Interval{
			T: record.Number(i), Due: rate, Sent: rate, Replies: rate, Good: rate, InFlight: random.Uint64N(9),
			P50: about(0.002), P99: about(0.02), ClientCPU: about(0.1), ServerCPU: about(0.4),
		}
		v.Max = v.P99 * 2
		switch i {
		case slowSecond:
			v.Max = 4.9
		case failedSecond:
			v.Replies, v.Good, v.Errors = rate-250, rate-250, 250
			v.ByClass = map[string]uint64{"connection_reset": 250}
		case emptySecond:
			v.Replies, v.Good, v.P50, v.P99, v.Max = 0, 0, record.Undefined(), record.Undefined(), record.Undefined()
		}
		d.Intervals = append(d.Intervals, v)
	}
	s := &d.Summary
	s.Planned = uint64(seconds) * rate
	s.Errors.ConnectionReset, s.Errors.Total = 250, 250
	s.Replies = s.Planned - 250
	s.Goodput.Count = s.Replies
	s.Sent, s.Window, s.Elapsed = s.Planned, record.Number(seconds), record.Number(seconds)
	d.Histograms["response"], s.Time.Response = manyTimes(t, s.Replies, about)
	d.Histograms["service"], s.Time.Service = d.Histograms["response"], s.Time.Response
	s.Time.ResponseAll = s.Time.Response
	s.Time.ResponseAll.Count, s.Time.ResponseAll.Max = s.Planned, record.Undefined()
	return d
}

func manyTimes(t testing.TB, n uint64, about func(float64) record.Number) (string, record.Stats) {
	h := record.NewHistogram()
	for range n - 1 {
		h.Record(duration(about(0.002)))
	}
	h.Record(4900 * time.Millisecond)
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text, h.Stats()
}

// TestLongRunPage plays RC-107: a page of a million requests over an hour is
// small, and each thing that happened in one second of it can be seen.
func TestLongRunPage(t *testing.T) {
	d := longRun(t, 3600, 278)
	text := rendered(t, d)
	if err := errors.Join(balanced(text), selfContained(text)); err != nil || len(text) > 5<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	spikes := map[string]float64{"s7": 60, "s10": 60} // errors and the greatest response times
	for class, height := range spikes {
		if got := tallest(text, class); got < height {
			t.Errorf("the highest line of class %s rises by %.0f, want %.0f", class, got, height)
		}
	}
	for _, told := range []string{"connreset 0 to 250", "to 4.90 s", "replies 0 to 278"} {
		if !strings.Contains(text, told) {
			t.Errorf("no place tells %q", told)
		}
	}
	d.Intervals[failedSecond].ByClass = nil
	for i := range d.Intervals {
		d.Intervals[i].Max = 0.03
	}
	text = rendered(t, d)
	for class, height := range spikes {
		if got := tallest(text, class); got >= height {
			t.Errorf("without a spike a line of class %s rises by %.0f: this test sees nothing", class, got)
		}
	}
}

// TestLongRunsOverlaid: so is the page of as many such runs as can stand beside
// each other, and each one's spikes are on it.
func TestLongRunsOverlaid(t *testing.T) {
	var all []Labelled[*Document]
	d := longRun(t, 3600, 278)
	for range MaxOverlaid {
		all = append(all, Labelled[*Document]{"run.json", d})
	}
	text := output(t, paged(runsPage), all)
	if err := errors.Join(balanced(text), selfContained(text)); err != nil || len(text) > 5<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	c := runsOverTime(all)
	failed, err := curve(c, "Errors per second", "H", chart.Line)
	if most := failed.Points[2*failedSecond].Y; err != nil || most != 250 {
		t.Errorf("%g errors in the second of the spike, %v", most, err)
	}
}

// tallest is by how much the curve with a class that rises most does, in points.
// Axes and marks have few points.
func tallest(text, class string) float64 {
	path := regexp.MustCompile(`<path class="` + class + `" stroke-width="1" d="M([^"]*)"/>`)
	number := regexp.MustCompile(`[-0-9.]+ ([-0-9.]+)`)
	most := 0.0
	for _, p := range path.FindAllStringSubmatch(text, -1) {
		low, high := 1e9, -1e9
		places := number.FindAllStringSubmatch(p[1], -1)
		if len(places) < 20 {
			continue
		}
		for _, at := range places {
			y, _ := strconv.ParseFloat(at[1], 64)
			low, high = min(low, y), max(high, y)
		}
		most = max(most, high-low)
	}
	return most
}
