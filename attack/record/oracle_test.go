package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// oracle is a distribution kept as it is: slow, and plainly right.
type oracle []time.Duration

func (o oracle) histogram() *Histogram {
	h := NewHistogram()
	for _, d := range o {
		h.Record(d)
	}
	return h
}

// sorted are the spans as a histogram counts them.
func (o oracle) sorted() oracle {
	s := make(oracle, len(o))
	for i, d := range o {
		s[i] = max(d, 0)
	}
	slices.Sort(s)
	return s
}

// quantile is q in thousandths by nearest rank, in whole numbers.
func (o oracle) quantile(thousandths int) time.Duration {
	rank := (len(o)*thousandths + 999) / 1000
	return o.sorted()[max(rank, 1)-1]
}

// near says whether a percentile is the wanted span, or above it by no more than
// a histogram may be. Beyond the histogram's range only the extremes are known.
func near(got Number, want time.Duration) bool {
	low := Seconds(min(want, histogramMax))
	high := Seconds(want)*1.001 + Seconds(histogramUnit)
	return got >= low && got <= high
}

func TestNear(t *testing.T) {
	const want = 900 * time.Millisecond
	for got, ok := range map[Number]bool{0.9: true, 0.9008: true, 0.8999: false, 0.9011: false, 0.405: false, Undefined(): false} {
		if near(got, want) != ok {
			t.Errorf("near(%v, %v) = %v", got, want, !ok)
		}
	}
}

// check compares every figure of h with the spans that went into it.
func (o oracle) check(h *Histogram) error {
	s, sorted := h.Stats(), o.sorted()
	if s.Count != uint64(len(o)) || h.Count() != s.Count {
		return fmt.Errorf("count %d of %d spans", s.Count, len(o))
	}
	if len(o) == 0 {
		return undefinedBut(s)
	}
	if err := ordered(s); err != nil {
		return err
	}
	if s.Min != Seconds(sorted[0]) || s.Max != Seconds(sorted[len(o)-1]) {
		return fmt.Errorf("extremes %v and %v, want %v and %v", s.Min, s.Max, sorted[0], sorted[len(o)-1])
	}
	if h.Rank(1) != s.Min || h.Rank(s.Count) != s.Max {
		return fmt.Errorf("first %v and last %v of all, want %v and %v", h.Rank(1), h.Rank(s.Count), s.Min, s.Max)
	}
	for thousandths, got := range map[int]Number{500: s.P50, 900: s.P90, 950: s.P95, 990: s.P99, 999: s.P999} {
		if want := o.quantile(thousandths); !near(got, want) {
			return fmt.Errorf("%d/1000 of %d spans is %v, want %v", thousandths, len(o), got, want)
		}
	}
	mean, stddev := o.moments()
	if math.Abs(float64(s.Mean)-mean) > 1e-9*mean {
		return fmt.Errorf("mean %v, want %v", s.Mean, mean)
	}
	if len(o) > 1 && math.Abs(float64(s.StdDev)-stddev) > 1e-9*(stddev+mean) {
		return fmt.Errorf("standard deviation %v, want %v", s.StdDev, stddev)
	}
	return nil
}

// moments are the mean and standard deviation in seconds, in two passes.
func (o oracle) moments() (mean, stddev float64) {
	for _, d := range o {
		mean += max(d, 0).Seconds() / float64(len(o))
	}
	var squares float64
	for _, d := range o {
		squares += math.Pow(max(d, 0).Seconds()-mean, 2)
	}
	return mean, math.Sqrt(squares / float64(len(o)-1))
}

// undefinedBut checks that nothing but the count of s is defined.
func undefinedBut(s Stats) error {
	for _, n := range []Number{s.Mean, s.StdDev, s.Min, s.P50, s.P90, s.P95, s.P99, s.P999, s.Max} {
		if n.Defined() {
			return fmt.Errorf("figure %v of no spans: %+v", n, s)
		}
	}
	return nil
}

// ordered checks that what is defined of s rises from the least to the greatest,
// with the mean between, and that nothing is defined above something undefined.
func ordered(s Stats) error {
	row := []Number{s.Min, s.P50, s.P90, s.P95, s.P99, s.P999, s.Max}
	for i := 1; i < len(row); i++ {
		if row[i].Defined() && !(row[i] >= row[i-1]) {
			return fmt.Errorf("figure %d falls: %v", i, row)
		}
	}
	if s.Mean.Defined() && !(s.Mean >= s.Min && s.Mean <= s.Max) {
		return fmt.Errorf("mean %v outside %v to %v", s.Mean, s.Min, s.Max)
	}
	return nil
}

func TestOrdered(t *testing.T) {
	good := Stats{Mean: 2, Min: 1, P50: 1, P90: 2, P95: 2, P99: 3, P999: 4, Max: 5}
	if err := ordered(good); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Stats){
		"falling":            func(s *Stats) { s.P99 = 1.5 },
		"above the greatest": func(s *Stats) { s.P999 = 6 },
		"mean too small":     func(s *Stats) { s.Mean = 0.5 },
		"defined above null": func(s *Stats) { s.P95 = Undefined() },
	} {
		bad := good
		spoil(&bad)
		if ordered(bad) == nil {
			t.Errorf("%s: %+v passes", name, bad)
		}
	}
}

// someSpans are spans over all orders of magnitude.
func someSpans(seed uint64, n int) oracle {
	random := rand.New(rand.NewPCG(seed, 99))
	o := make(oracle, n)
	for i := range o {
		o[i] = time.Duration(math.Exp(random.Float64() * math.Log(float64(histogramMax))))
	}
	return o
}

// TestOracleDisagrees: a histogram of other spans does not pass.
func TestOracleDisagrees(t *testing.T) {
	o := someSpans(1, 1000)
	h := o.histogram()
	h.Record(time.Second)
	if o.check(h) == nil {
		t.Error("one span more passes")
	}
	other := slices.Clone(o)
	for i := range other {
		other[i] += other[i] / 500
	}
	if o.check(other.histogram()) == nil {
		t.Error("spans longer by 0.2 % pass")
	}
}
