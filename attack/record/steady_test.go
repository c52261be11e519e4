package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// steadily makes seconds at 300/s from what is in flight after each.
func steadily(inFlight ...uint64) []Interval {
	seconds := make([]Interval, len(inFlight))
	for i, n := range inFlight {
		seconds[i] = Interval{T: Number(i), Due: 300, Replies: 300, InFlight: n, P50: 0.002 + Number(n)/300}
	}
	return seconds
}

// ramp rises by step from 0 in the given number of seconds, then stays.
func ramp(step, rising, staying int) []uint64 {
	var values []uint64
	for i := range rising + staying {
		values = append(values, uint64(step*min(i+1, rising)))
	}
	return values
}

func TestGrowing(t *testing.T) {
	timeouts := func(n uint64, seconds []Interval, from int) []Interval {
		for i := from; i < len(seconds); i++ {
			seconds[i].Timeouts = n
		}
		return seconds
	}
	tests := []struct {
		name    string
		seconds []Interval
		slope   Number // undefined for none
		text    string
	}{
		{"all along", steadily(ramp(100, 60, 0)...), 100, "not steady: in flight grows 100/s, so response times have no steady value"},
		{"three seconds", steadily(ramp(100, 3, 0)...), 100, "not steady: in flight grows 100/s, so response times have no steady value"},
		{"two seconds", steadily(ramp(100, 2, 0)...), Undefined(), ""},
		{"until timeouts", timeouts(300, steadily(ramp(100, 15, 45)...), 15), 100,
			"not steady: in flight grows 100/s for 15 s, until requests time out as fast as they come, so response times have no steady value"},
		{"until half as many timeouts", timeouts(50, steadily(ramp(100, 15, 45)...), 15), 100,
			"not steady: in flight grows 100/s for 15 s, until requests time out as fast as they come, so response times have no steady value"},
		{"until fewer timeouts", timeouts(49, steadily(ramp(100, 15, 45)...), 15), Undefined(), ""},
		{"until the queue is full", steadily(ramp(100, 15, 45)...), Undefined(), ""},
		{"a bulge", steadily(0, 100, 200, 300, 400, 300, 200, 100, 0, 0, 0, 0), Undefined(), ""},
		{"a stall", steadily(0, 0, 0, 0, 300, 0, 0, 0, 0, 0), Undefined(), ""},
		{"a stall at the end", steadily(0, 0, 0, 0, 0, 0, 0, 0, 0, 300), Undefined(), ""},
		{"falling", steadily(500, 400, 300, 200, 100, 0), Undefined(), ""},
		{"level", steadily(7, 7, 7, 7, 7, 7, 7, 7), Undefined(), ""},
		{"noise", steadily(3, 9, 5, 11, 2, 8, 12, 4, 10, 13), Undefined(), ""},
		{"nothing", nil, Undefined(), ""},
	}
	for _, test := range tests {
		s := &Summary{OfferedRate: 300, ReplyRate: RateStats{Samples: len(test.seconds)}}
		f := growing(test.seconds, s)
		if f == nil {
			f = &Finding{Value: Undefined()}
		}
		if !same(f.Value, test.slope) || f.Text != test.text {
			t.Errorf("%s: %v %q, want %v %q", test.name, f.Value, f.Text, test.slope, test.text)
		}
	}
	delayed := steadily(ramp(300, 8, 0)...)
	for i := range delayed {
		delayed[i].P50 = 4
	}
	if f := growing(delayed, &Summary{OfferedRate: 300, ReplyRate: RateStats{Samples: 8}}); f != nil {
		t.Errorf("replies do not take longer, yet %v", f)
	}
	if f := growing(steadily(ramp(100, 9, 0)...), &Summary{OfferedRate: Undefined(), ReplyRate: RateStats{Samples: 9}}); f != nil {
		t.Errorf("no load, yet %v", f)
	}
}

// level is a queue that grows by step each second for some seconds, and whose
// number then stays level but for noise.
func level(random *rand.Rand, step, rising, staying int, noise float64) []Interval {
	values := ramp(step, rising, staying)
	for i := range values {
		values[i] += uint64(noise * max(random.NormFloat64()+3, 0)) // a shift does not matter
	}
	return steadily(values...)
}

// TestLevels: whatever the noise of a level, a queue that timeouts hold there is
// found with the growth that it had before, and one that has filled is none.
func TestLevels(t *testing.T) {
	recorded := [][]uint64{ // 400/s to 200/s, Poisson, of a server that drops who has left
		{167, 385, 599, 795, 774, 761, 773, 830, 861, 813, 776, 800},
		{212, 442, 648, 822, 799, 763, 794, 807, 775, 778, 793, 787},
		{219, 404, 585, 793, 796, 813, 815, 759, 767, 803, 823, 827},
	}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		held := level(random, 200, 4, 8, 28)
		if seed < uint64(len(recorded)) {
			held = steadily(recorded[seed]...)
		}
		for i := range held[4:] {
			held[4+i].Timeouts = 200
		}
		s := &Summary{OfferedRate: 400, ReplyRate: RateStats{Samples: len(held)}}
		if f := growing(held, s); f == nil || f.Value < 100 || f.Value > 260 || !strings.Contains(f.Text, ", until requests time out as fast as they come") {
			t.Errorf("seed %d, %v: %v, want some 200/s", seed, inFlight(held), f)
		}
		filled := level(random, 100, 20, 40, 20)
		s = &Summary{OfferedRate: 600, ReplyRate: RateStats{Samples: len(filled)}}
		if f := growing(filled, s); f != nil {
			t.Errorf("seed %d, a queue that filled after 20 of 60 s: %v", seed, f)
		}
	}
}

// TestDrift: independent failures of one request in ten do not drift, whatever
// the window; failures that begin half-way do.
func TestDrift(t *testing.T) {
	var found int
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		seconds := steadily(make([]uint64, 6+seed%60)...)
		for i := range seconds {
			for range seconds[i].Due {
				seconds[i].goodDue += count(random.IntN(10) > 0)
			}
		}
		s := &Summary{OfferedRate: 300, ReplyRate: RateStats{Samples: len(seconds)}}
		if drifting(seconds, s, false) != nil {
			found++
		}
		spoil(seconds[len(seconds)/2:], 150)
		if drifting(seconds, s, false) == nil {
			t.Errorf("seed %d: half of the good requests are lost half-way, and nothing said", seed)
		}
	}
	if found > 2 {
		t.Errorf("%d of 400 steady runs drift", found)
	}
	if drifting(steadily(0, 0, 0, 0, 0), &Summary{OfferedRate: 300, ReplyRate: RateStats{Samples: 5}}, false) != nil {
		t.Error("five seconds are judged")
	}
	if drifting(make([]Interval, 9), &Summary{ReplyRate: RateStats{Samples: 9}}, false) != nil {
		t.Error("nothing was due, and drifts")
	}
}

// naiveTheilSen looks at every pair.
func naiveTheilSen(values []float64) float64 {
	var slopes []float64
	for j := range values {
		for i := range j {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	n := len(slopes)
	if n == 0 {
		return 0
	}
	return (slopes[(n-1)/2] + slopes[n/2]) / 2
}

func TestTheilSen(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for n := range theilPoints + 1 {
		values := make([]float64, n)
		for i := range values {
			values[i] = 3*float64(i) + 200*random.NormFloat64()
		}
		kept := slices.Clone(values)
		if got, want := theilSen(values), naiveTheilSen(values); got != want {
			t.Fatalf("%d values: slope %v, want %v", n, got, want)
		}
		if !slices.Equal(values, kept) {
			t.Fatal("the values were changed")
		}
	}
	line := make([]float64, 100_000)
	for i := range line {
		line[i] = 7 - 2.5*float64(i)
		if i%9 == 0 {
			line[i] = 1e9 // spikes
		}
	}
	if got := theilSen(line); math.Abs(got+2.5) > 0.01 {
		t.Errorf("a long line with spikes has slope %v, want -2.5", got)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 3, 2, 1}, 2.5}} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, want %v", test.values, got, test.want)
		}
	}
}
