package record

import (
	"math"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// A served is what a server makes of a ramp, in a model without chance.
type served struct {
	ramp     string
	seconds  int
	capacity float64                  // good replies a second; 0 has no bound
	delay    float64                  // of every reply, in seconds
	queue    float64                  // requests that may wait, the others get a bad reply; 0 has no bound
	good     func(second int) float64 // share of good replies; nil is all
	stall    func(second int) bool    // no reply in this second
}

func (c served) intervals(t *testing.T) (*plan.Plan, []Interval, *Summary) {
	t.Helper()
	r, err := plan.ParseRamp(c.ramp)
	if err != nil {
		t.Fatal(err)
	}
	p := plan.New()
	p.Ramp, p.Rate, p.Duration = &r, r.Mean(), plan.Seconds(time.Duration(c.seconds)*time.Second)
	var all []Interval
	var waiting, delayed float64
	for i := range c.seconds {
		end := time.Duration(i+1) * time.Second
		due := p.Before(end) - p.Before(end-time.Second)
		waiting += float64(due)
		out := waiting
		if c.capacity > 0 {
			out = min(out, c.capacity)
		}
		if c.stall != nil && c.stall(i) {
			out = 0
		}
		waiting -= out
		if c.queue > 0 {
			waiting = min(waiting, c.queue)
		}
		nowDelayed := c.delay * rampRate(p, i+1)
		good := out - (nowDelayed - delayed)
		delayed = nowDelayed
		if c.good != nil {
			good *= c.good(i)
		}
		all = append(all, Interval{T: Number(i), Due: due, Good: uint64(math.Round(good)), InFlight: uint64(math.Round(waiting + delayed))})
	}
	return p, all, &Summary{ReplyRate: RateStats{Samples: len(all)}}
}

func TestKnee(t *testing.T) {
	late := func(from int) func(int) bool { return func(i int) bool { return i >= from } }
	for name, c := range map[string]struct {
		served
		from, to Number // the knee lies between; 0 and 0: there is none
		text     string
	}{
		"at ease":       {served: served{ramp: "100..400", seconds: 60}},
		"a knee":        {served: served{ramp: "100..400", seconds: 60, capacity: 250}, from: 245, to: 265, text: "they came at 250/s"},
		"short":         {served: served{ramp: "100..400", seconds: 12, capacity: 250}, from: 225, to: 275, text: "they came at 250/s"},
		"few":           {served: served{ramp: "0.5..4", seconds: 60, capacity: 2}, from: 2, to: 3.5},
		"many":          {served: served{ramp: "1000..90000", seconds: 300, capacity: 30000}, from: 29000, to: 31500},
		"never kept up": {served: served{ramp: "300..600", seconds: 9, capacity: 250}, from: 300, to: 300, text: "any rate"},
		"refusing":      {served: served{ramp: "100..400", seconds: 12, capacity: 250, queue: 5}, from: 225, to: 275, text: "they came at 250/s"},
		"a long way":    {served: served{ramp: "10..1000", seconds: 9, delay: 0.3}},
		"a long way up": {served: served{ramp: "10..1000", seconds: 30, delay: 0.3, capacity: 600}, from: 570, to: 660},
		"down":          {served: served{ramp: "400..100", seconds: 60, capacity: 250}},
		"a stall":       {served: served{ramp: "100..400", seconds: 20, capacity: 800, stall: func(i int) bool { return i == 9 || i == 10 }}},
		"a late stall":  {served: served{ramp: "100..400", seconds: 20, capacity: 800, stall: late(18)}},
		"late errors":   {served: served{ramp: "100..400", seconds: 20, good: func(i int) float64 { return map[bool]float64{true: 0.5, false: 1}[i == 16 || i == 17] }}},
		"errors beyond": {served: served{ramp: "100..400", seconds: 20, good: func(i int) float64 { return map[bool]float64{true: 0.5, false: 1}[i >= 10] }}, from: 235, to: 265},
	} {
		p, all, s := c.intervals(t)
		f := knee(p, all, s)
		if wrong := wrongKnee(f, c.from, c.to, c.text); wrong {
			t.Errorf("%s: %+v, want %v to %v", name, f, c.from, c.to)
		}
	}
}

// A ramp that is too short to tell says so, if it rises and nothing can be told all the same.
func TestShortRamp(t *testing.T) {
	for name, c := range map[string]struct {
		served
		code string
	}{
		"a second":      {served{ramp: "100..400", seconds: 1, capacity: 250}, "ramp_short"},
		"short":         {served{ramp: "100..400", seconds: 5, capacity: 250}, "ramp_short"},
		"at ease":       {served{ramp: "100..400", seconds: 8}, "ramp_short"},
		"never kept up": {served{ramp: "300..600", seconds: 8, capacity: 250}, "ramp_knee"},
		"long enough":   {served{ramp: "100..400", seconds: 9}, ""},
		"down":          {served{ramp: "400..100", seconds: 5, capacity: 250}, ""},
	} {
		p, all, s := c.intervals(t)
		if got := codeOf(knee(p, all, s)); got != c.code {
			t.Errorf("%s: %q, want %q", name, got, c.code)
		}
	}
	want := "the ramp is too short to tell up to which rate good replies kept up: it takes 9 full seconds, and there are 5"
	if f := tooShort(5); f.Text != want || f.Status != Valid {
		t.Errorf("%+v", f)
	}
}

func codeOf(f *Finding) string {
	if f == nil {
		return ""
	}
	return f.Code
}

// wrongKnee says whether f is not a knee between from and to whose text has part.
func wrongKnee(f *Finding, from, to Number, part string) bool {
	if f == nil || to == 0 {
		return (f != nil) != (to > 0)
	}
	return f.Value < from || f.Value > to || f.Status != Valid || !strings.Contains(f.Text, part)
}

func TestWrongKneeIsSeen(t *testing.T) {
	f := &Finding{"ramp_knee", "kept up", 250, Undefined(), Valid}
	for name, wrong := range map[string]bool{
		"below":   wrongKnee(f, 260, 270, ""),
		"above":   wrongKnee(f, 200, 240, ""),
		"text":    wrongKnee(f, 200, 300, "any"),
		"none":    wrongKnee(nil, 200, 300, ""),
		"not any": wrongKnee(f, 0, 0, ""),
	} {
		if !wrong {
			t.Errorf("%s: passes", name)
		}
	}
	if wrongKnee(f, 200, 300, "kept") || wrongKnee(nil, 0, 0, "") {
		t.Error("what is right does not pass")
	}
}
