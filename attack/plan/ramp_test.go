package plan

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func ramp(t *testing.T, text string, d time.Duration) *Plan {
	t.Helper()
	r, err := ParseRamp(text)
	if err != nil {
		t.Fatal(err)
	}
	p := New()
	p.Ramp, p.Rate, p.Duration = &r, r.Mean(), Seconds(d)
	return p
}

func TestParseRamp(t *testing.T) {
	for text, want := range map[string]string{
		"100..400": "100..400", "60/m..2.5/s": "1..2.5", "400..0.5": "400..0.5",
		"100": "", "100..": "", "..400": "", "100...400": "", "0..400": "", "100..400..500": "", "-1..4": "",
		"..": "", "": "", "1..1000000": "1..1000000", "1..1000001": "", "3600000001/h..1": "", "1..12345678901": "",
	} {
		r, err := ParseRamp(text)
		if (err == nil) != (want != "") || err == nil && r.String() != want || err != nil && !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	if r, _ := ParseRamp("1..2.5"); r.Mean().PerSecond() != 1.75 {
		t.Errorf("mean %v", r.Mean())
	}
}

func TestRampIsPlanned(t *testing.T) {
	for _, c := range []struct {
		ramp    string
		d       time.Duration
		planned uint64
	}{
		{"100..400", time.Minute, 15000}, {"400..100", time.Minute, 15000}, {"1..2", time.Second, 2}, {"0.001..0.001", time.Hour, 4},
		{"0.001..0.003", time.Hour, 8}, {"1000000..1", time.Hour, 1_800_001_800}, {"3..3", 10 * time.Second, 30},
	} {
		p := ramp(t, c.ramp, c.d)
		if err := p.validateRamp(); err != nil || p.Planned() != c.planned || p.Window() != p.At(c.planned) || p.Window() > c.d+time.Hour {
			t.Errorf("%s over %v: %d planned in %v, want %d (%v)", c.ramp, c.d, p.Planned(), p.Window(), c.planned, err)
		}
	}
	if p := ramp(t, "100..400", time.Minute); p.Window() != time.Minute || p.PeakRate() != 400 {
		t.Errorf("window %v, peak %g", p.Window(), p.PeakRate())
	}
	p := ramp(t, "100..400", time.Minute)
	p.Total = 600
	if p.Planned() != 600 || p.Window() >= 6*time.Second || p.Window() <= 5*time.Second {
		t.Errorf("%d planned in %v", p.Planned(), p.Window())
	}
	if end := p.RampEnd(); math.Abs(end-math.Sqrt(100*100+2*600*5)) > 0.01 { // rates rise by 5/s each second
		t.Errorf("ends at %v/s", end)
	}
	if p.Total = 0; p.RampEnd() != 400 {
		t.Errorf("ends at %v/s, not at 400/s", p.RampEnd())
	}
}

// The due times are those of N(t) = n, checked with exact arithmetic: N of the due
// time is not above n, and that of a nanosecond or two later is not below it.
func TestRampIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for text, d := range map[string]time.Duration{
		"100..400": time.Minute, "400..100": time.Minute, "1..1000000": time.Hour, "1000000..1": 10 * time.Second,
		"0.001..1000": 24 * time.Hour, "999..1000": 11 * 24 * time.Hour, "0.5..0.25": 1000 * time.Hour,
		"1000000..0.001": MaxRampDuration.Std(), "0.001..1000000": MaxRampDuration.Std(), "1000000..0.01": time.Hour, "7..6.999": MaxRampDuration.Std(),
	} {
		p := ramp(t, text, d)
		if p.At(0) != 0 || p.At(p.Planned()-1) >= d || p.At(p.Planned()) != d {
			t.Errorf("%s over %v: the first is due at %v, the last at %v, its end is %v", text, d, p.At(0), p.At(p.Planned()-1), p.At(p.Planned()))
		}
		for i := range uint64(240) {
			n := random.Uint64N(p.Planned())
			if near := min(i/4, p.Planned()-1); i%4 == 0 { // where a rate near 0 is the hardest
				n = near
			} else if i%4 == 1 {
				n = p.Planned() - 1 - near
			}
			at := p.At(n)
			if countAt(p, at-1).Cmp(new(big.Rat).SetUint64(n)) > 0 || countAt(p, at+2).Cmp(new(big.Rat).SetUint64(n)) < 0 {
				t.Fatalf("%s over %v: request %d is due at %d ns, where N is %s", text, d, n, at, countAt(p, at).FloatString(9))
			}
			if n > 0 && p.At(n-1) > at {
				t.Fatalf("%s: request %d is due before that before it", text, n)
			}
			if b := p.Before(at); b > n || n > 0 && p.At(b) < at {
				t.Fatalf("%s: %d due before %d, the due time of %d", text, b, at, n)
			}
		}
	}
	if got := countAt(ramp(t, "100..400", time.Minute), time.Minute); got.Cmp(big.NewRat(15000, 1)) != 0 {
		t.Errorf("N of a minute is %s", got)
	}
}

// In every second are the requests of N(t+1) − N(t), but for a part of one.
func TestRampInSeconds(t *testing.T) {
	for text, d := range map[string]time.Duration{"100..400": time.Minute, "400..100": 7 * time.Second, "0.5..3": time.Minute, "1000000..1": 10 * time.Second} {
		p := ramp(t, text, d)
		for at := time.Duration(0); at < d; at += time.Second {
			want := new(big.Rat).Sub(countAt(p, at+time.Second), countAt(p, at))
			if got := p.Before(at+time.Second) - p.Before(at); !withinOne(got, want) {
				t.Errorf("%s: %d in the second after %v, want %s", text, got, at, want.FloatString(3))
			}
		}
	}
	if withinOne(3, big.NewRat(2, 1)) || withinOne(1, big.NewRat(2, 1)) || !withinOne(3, big.NewRat(21, 10)) {
		t.Error("two numbers that are one apart are taken for within one")
	}
}

func withinOne(n uint64, want *big.Rat) bool {
	off := new(big.Rat).Sub(new(big.Rat).SetUint64(n), want)
	return off.Abs(off).Cmp(big.NewRat(1, 1)) < 0
}

func countAt(p *Plan, at time.Duration) *big.Rat {
	from, to, t := p.Ramp.From.exact(), p.Ramp.To.exact(), big.NewRat(int64(at), 1e9)
	bend := new(big.Rat).Quo(new(big.Rat).Sub(to, from), big.NewRat(2*int64(p.Duration), 1e9))
	n := new(big.Rat).Mul(from, t)
	return n.Add(n, bend.Mul(bend.Mul(bend, t), t))
}

// A ramp that does not rise is the uniform plan, to the nanosecond.
func TestFlatRampIsUniform(t *testing.T) {
	flat, even := ramp(t, "300..300", 10*time.Second), New()
	even.Rate, even.Duration = flat.Rate, flat.Duration
	a, b := flat.Schedule(), even.Schedule()
	for {
		x, ok := a.Next()
		y, also := b.Next()
		if x != y || ok != also {
			t.Fatalf("%v %v, want %v %v", x, ok, y, also)
		}
		if !ok {
			return
		}
	}
}

// Shares together are the whole, in order, and the warm-up is at the rate of the start.
func TestRampInShares(t *testing.T) {
	for _, process := range []Process{Uniform, Poisson} {
		p := ramp(t, "50..200", 4*time.Second)
		p.Arrivals, p.Warmup, p.Seed = process, Seconds(time.Second), 7
		whole := p.Schedule()
		shares := []*Arrivals{p.Share(0, 3), p.Share(1, 3), p.Share(2, 3)}
		last, warmup, measured := time.Duration(math.MinInt64), 0, 0
		for n := 0; ; n++ {
			x, ok := whole.Next()
			y, also := shares[n%3].Next()
			if x != y || ok != also || ok && x.Due < last {
				t.Fatalf("%s: %v after %v, in its share %v", process, x, last, y)
			}
			if !ok {
				break
			}
			if last = x.Due; x.Due < 0 {
				warmup++
			} else {
				measured++
			}
		}
		if warmup != 50 || measured != 500 || last >= 4*time.Second {
			t.Errorf("%s: %d in the warm-up and %d after it, the last due at %v", process, warmup, measured, last)
		}
	}
}

// Arrivals at random follow the ramp: each quarter of the time has its share, within
// five standard deviations; those of an even rate do not.
func TestRampAtRandom(t *testing.T) {
	p := ramp(t, "100..400", 60*time.Second)
	p.Arrivals, p.Seed = Poisson, 3
	if why := unlikeRamp(p); why > 5 {
		t.Errorf("off by %.1f deviations", why)
	}
	even := ramp(t, "250..250", 60*time.Second)
	even.Arrivals, even.Seed = Poisson, 3
	even.Ramp.To, even.Ramp.From = even.Rate, even.Rate
	if why := unlikeRamp(even); why < 5 {
		t.Errorf("an even rate is off by %.1f deviations only", why)
	}
}

// unlikeRamp is by how many deviations the quarters differ from those of 100..400.
func unlikeRamp(p *Plan) (worst float64) {
	var quarters [4]float64
	for a := p.Schedule(); ; {
		x, ok := a.Next()
		if !ok {
			break
		}
		quarters[x.Due/(15*time.Second)]++
	}
	for i, got := range quarters {
		want := 15 * (100 + 75*(float64(i)+0.5))
		worst = max(worst, math.Abs(got-want)/math.Sqrt(want))
	}
	return worst
}

func TestRampFaults(t *testing.T) {
	for text, d := range map[string]time.Duration{"100..400": 0, "1..2": 2_000_000 * time.Second} {
		if err := ramp(t, text, d).validateRamp(); err == nil {
			t.Errorf("%s over %v passes", text, d)
		}
	}
	p := ramp(t, "100..400", time.Minute)
	p.Ramp.To, _ = ParseRate("2000000") // as a document may have it
	if err := p.validateRamp(); err == nil || err.Error() != "--ramp 100..2000000: at most 1000000 requests a second" {
		t.Error(err)
	}
}
