package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// schedule is a plan of total requests.
func schedule(t testing.TB, rate string, total uint64, process Process) *Plan {
	p := New()
	p.URL, p.Rate, p.Total, p.Arrivals = "http://127.0.0.1/", mustRate(t, rate), total, process
	if err := p.Validate(); err != nil && total > 0 {
		t.Fatal(err)
	}
	return p
}

// take yields at most limit requests.
func take(a *Arrivals, limit int) []Arrival {
	var taken []Arrival
	for len(taken) < limit {
		next, ok := a.Next()
		if !ok {
			break
		}
		taken = append(taken, next)
	}
	return taken
}

const all = 1 << 30

// faultIn says what is wrong with the arrivals of a whole plan: numbers without
// a gap, due times in order, the warm-up before the origin and the rest in the window.
func faultIn(p *Plan, arrivals []Arrival) string {
	warmup := p.WarmupRequests()
	if want := warmup + p.Planned(); uint64(len(arrivals)) != want {
		return fmt.Sprintf("%d requests, want %d", len(arrivals), want)
	}
	last := time.Duration(math.MinInt64)
	for i, a := range arrivals {
		switch {
		case a.Seq != uint64(i):
			return fmt.Sprintf("request %d has number %d", i, a.Seq)
		case a.Due < last:
			return fmt.Sprintf("request %d is due at %v, before the one before it", i, a.Due)
		case (a.Due < 0) != (a.Seq < warmup):
			return fmt.Sprintf("request %d is due at %v, %d belong to the warm-up", i, a.Due, warmup)
		case a.Due < -p.Rate.At(warmup) || a.Due >= max(p.Window(), 1):
			return fmt.Sprintf("request %d is due at %v, outside the window", i, a.Due)
		}
		last = a.Due
	}
	return ""
}

func TestFaultInFindsFaults(t *testing.T) {
	p := schedule(t, "10", 3, Uniform)
	ms := time.Millisecond
	for _, arrivals := range [][]Arrival{
		{{0, 0}, {1, 100 * ms}},
		{{0, 0}, {2, 100 * ms}, {1, 200 * ms}},
		{{0, 0}, {1, 200 * ms}, {2, 100 * ms}},
		{{0, -ms}, {1, 100 * ms}, {2, 200 * ms}},
		{{0, 0}, {1, 100 * ms}, {2, 300 * ms}},
	} {
		if faultIn(p, arrivals) == "" {
			t.Errorf("no fault found in %v", arrivals)
		}
	}
}

func TestUniformDueTimes(t *testing.T) {
	p := schedule(t, "0.5", 5, Uniform)
	want := []Arrival{{0, 0}, {1, 2 * time.Second}, {2, 4 * time.Second}, {3, 6 * time.Second}, {4, 8 * time.Second}}
	if got := take(p.Schedule(), all); !slices.Equal(got, want) {
		t.Errorf("0.5/s: due at %v, want %v", got, want)
	}
}

func TestDurationAndTotal(t *testing.T) {
	for _, c := range []struct {
		rate     string
		total    uint64
		duration time.Duration
		planned  uint64
		window   time.Duration
	}{
		{"300", 40_000, 0, 40_000, 133_333_333_333},
		{"300", 0, 10 * time.Second, 3000, 10 * time.Second},
		{"300", 40_000, 10 * time.Second, 3000, 10 * time.Second},
		{"300", 30, 10 * time.Second, 30, 100 * time.Millisecond},
		{"0.5", 0, 3 * time.Second, 2, 4 * time.Second},
		{"2.5/s", 0, time.Second, 3, 1200 * time.Millisecond},
		{"1/m", 0, 1, 1, time.Minute},
		{"1", math.MaxInt64, 0, math.MaxInt64, math.MaxInt64},
	} {
		p := schedule(t, c.rate, c.total, Uniform)
		p.Duration = Seconds(c.duration)
		if p.Planned() != c.planned || p.Window() != c.window {
			t.Errorf("%s, total %d, duration %v: %d requests in %v, want %d in %v",
				c.rate, c.total, c.duration, p.Planned(), p.Window(), c.planned, c.window)
		}
	}
}

func TestWholePlans(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		for _, rate := range []string{"300", "0.5", "2.5/s", "1/m", "333", "700000"} {
			for _, total := range []uint64{0, 1, 2, 3, 100, 2000} {
				for _, warmup := range []time.Duration{0, 1, time.Millisecond, time.Second} {
					p := schedule(t, rate, total, process)
					p.Warmup = Seconds(min(warmup, p.Rate.At(1000)))
					if fault := faultIn(p, take(p.Schedule(), all)); fault != "" {
						t.Errorf("%s %s, total %d, warm-up %v: %s", process, rate, total, warmup, fault)
					}
				}
			}
		}
	}
}

func TestWarmupLeadsUpToTheOrigin(t *testing.T) {
	p := schedule(t, "2.5/s", 2, Uniform)
	p.Warmup = Seconds(time.Second)
	ms := time.Millisecond
	want := []Arrival{{0, -1200 * ms}, {1, -800 * ms}, {2, -400 * ms}, {3, 0}, {4, 400 * ms}}
	if got := take(p.Schedule(), all); !slices.Equal(got, want) {
		t.Errorf("due at %v, want %v", got, want)
	}
}

func TestMeasurementLeavesOutTheWarmup(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		p := schedule(t, "100", 50, process)
		p.Warmup = Seconds(time.Second)
		whole := take(p.Schedule(), all)
		if got := take(p.Measurement(), all); !slices.Equal(got, whole[100:]) {
			t.Errorf("%s: the measurement is not the end of the plan", process)
		}
		p.Warmup, p.Total = Seconds(math.MaxInt64), math.MaxInt64
		if got := take(p.Measurement(), 1); len(got) != 1 || got[0].Due < 0 {
			t.Errorf("%s: after an endless warm-up the measurement starts with %v", process, got)
		}
	}
}

func TestSharesPartitionThePlan(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		p := schedule(t, "333", 1000, process)
		p.Warmup = Seconds(100 * time.Millisecond)
		whole := take(p.Schedule(), all)
		for _, k := range []int{1, 2, 3, 7, 2000} {
			var together []Arrival
			for i := range k {
				share := take(p.Share(i, k), all)
				for _, a := range share {
					if a.Seq%uint64(k) != uint64(i) {
						t.Fatalf("%s: share %d of %d holds request %d", process, i, k, a.Seq)
					}
				}
				together = append(together, share...)
			}
			slices.SortFunc(together, func(a, b Arrival) int { return int(a.Seq) - int(b.Seq) })
			if !slices.Equal(together, whole) {
				t.Errorf("%s: %d shares are not the whole plan", process, k)
			}
		}
	}
}

func TestHugePlansStartAtOnce(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		for _, total := range []uint64{9_200_000_000_000_000_000, math.MaxInt64, math.MaxUint64} {
			p := schedule(t, "1", total, process)
			p.Warmup = Seconds(time.Minute)
			arrivals := take(p.Schedule(), 10_060)
			for i, a := range arrivals[1:] {
				if a.Due < arrivals[i].Due {
					t.Fatalf("%s, total %d: %v comes after %v", process, total, a, arrivals[i])
				}
			}
			// Ten thousand gaps of 1 s: the sum deviates by 1 % of itself.
			if last := arrivals[len(arrivals)-1].Due.Seconds(); math.Abs(last-10_000) > 500 {
				t.Errorf("%s, total %d: request 10 000 is due at %v s, want about 10 000", process, total, last)
			}
		}
	}
}

// The last due times of a plan beyond 292 years stand still at the longest
// time.Duration rather than wrap around.
func TestDueTimesStopAtTheEndOfTime(t *testing.T) {
	p := schedule(t, "0.000001", 20_000, Poisson)
	for _, a := range take(p.Schedule(), all) {
		if a.Due < 0 {
			t.Fatalf("request %d is due at %v", a.Seq, a.Due)
		}
	}
}

// A share without its warm-up is what follows it in the whole share, and is
// found at once however long the warm-up is.
func TestSkipWarmup(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		for _, k := range []int{1, 2, 3, 7} {
			for i := range k {
				p := New()
				p.Rate, _ = ParseRate("10")
				p.Arrivals, p.Total, p.Warmup = process, 20, Seconds(1300*time.Millisecond)
				all, measured := p.Share(i, k), p.Share(i, k)
				measured.SkipWarmup()
				want, more := all.Next()
				for more && want.Due < 0 {
					want, more = all.Next()
				}
				for ; more; want, more = all.Next() {
					if got, ok := measured.Next(); !ok || got != want {
						t.Fatalf("%s, share %d of %d: %v, want %v", process, i, k, got, want)
					}
				}
				if got, ok := measured.Next(); ok {
					t.Errorf("%s, share %d of %d: %v is too many", process, i, k, got)
				}
				p.Warmup = Seconds(math.MaxInt64)
				long := p.Share(i, k)
				long.SkipWarmup()
				if got, ok := long.Next(); !ok || got.Due < 0 || got.Seq < p.WarmupRequests() {
					t.Errorf("%s, share %d of %d after 292 years: %v, %v", process, i, k, got, ok)
				}
			}
		}
	}
}
