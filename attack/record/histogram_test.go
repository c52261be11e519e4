package record

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
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

// TestFewSamples is RC-041: known delays of 10, 20, … ms.
func TestFewSamples(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		n                                        int
		p50, p90, p95, p99, p999, greatest, mean time.Duration
	}{
		{1, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms},
		{2, 10 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 15 * ms},
		{3, 20 * ms, 30 * ms, 30 * ms, 30 * ms, 30 * ms, 30 * ms, 20 * ms},
		{10, 50 * ms, 90 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms, 55 * ms},
		{99, 500 * ms, 900 * ms, 950 * ms, 990 * ms, 990 * ms, 990 * ms, 500 * ms},
	}
	for _, test := range tests {
		var o oracle
		for i := range test.n {
			o = append(o, time.Duration(i+1)*10*ms)
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		h := o.histogram()
		s := h.Stats()
		if err := o.check(h); err != nil {
			t.Errorf("%d samples: %v", test.n, err)
		}
		for i, got := range []Number{s.P50, s.P90, s.P95, s.P99, s.P999} {
			want := []time.Duration{test.p50, test.p90, test.p95, test.p99, test.p999}[i]
			if !near(got, want) {
				t.Errorf("%d samples: percentile %d is %v, want %v", test.n, i, got, want)
			}
		}
		if s.Min != Seconds(10*ms) || s.Max != Seconds(test.greatest) || s.Mean != Seconds(test.mean) {
			t.Errorf("%d samples: min, max, mean = %v, %v, %v", test.n, s.Min, s.Max, s.Mean)
		}
	}
}

// TestOutOfRange is RC-046: nothing is lost, the extremes are exact.
func TestOutOfRange(t *testing.T) {
	for name, o := range map[string]oracle{
		"empty":               {},
		"zero":                {0},
		"zeros":               {0, 0, 0},
		"negative":            {-time.Second, time.Millisecond},
		"beyond an hour":      {time.Millisecond, 2 * time.Hour},
		"all beyond":          {2 * time.Hour, 3 * time.Hour, 4 * time.Hour},
		"at the end":          {histogramMax - 1, histogramMax, histogramMax + 1},
		"longest":             {math.MaxInt64, math.MinInt64, 0},
		"ten minutes and one": {601 * time.Second},
	} {
		if err := o.check(o.histogram()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if h := (oracle{1, 2, 3}).histogram(); h.Rank(0).Defined() || h.Rank(4).Defined() {
		t.Error("ranks outside 1..3 are defined")
	}
}

// TestIdenticalSpans: no spread is made up by rounding, and no mean beside them.
func TestIdenticalSpans(t *testing.T) {
	const d = 4_999_999_999 * time.Nanosecond
	h := NewHistogram()
	for range 100_000 {
		h.Record(d)
	}
	want := Seconds(d)
	if s := h.Stats(); s.StdDev != 0 || s.Mean != want || s.P50 != want || s.P999 != want || s.Min != want || s.Max != want {
		t.Errorf("%+v, want %v and no spread", s, want)
	}
}

func TestRankOf(t *testing.T) {
	for thousandths := 1; thousandths <= 1000; thousandths++ {
		for _, n := range []uint64{1, 2, 3, 10, 99, 100, 1000, 12345, 1e6, 1e7 + 1, 1e9, 1e12 + 7} {
			want := max((n*uint64(thousandths)+999)/1000, 1)
			if got := rankOf(float64(thousandths)/1000, n); got != want {
				t.Fatalf("rank of %d/1000 in %d is %d, want %d", thousandths, n, got, want)
			}
		}
	}
}

// TestBuckets: the layout is the library's, so that what Encode writes means
// the same to it.
func TestBuckets(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	for range 5000 {
		d := time.Duration(random.Uint64N(uint64(histogramMax)) >> random.IntN(40))
		library := hdrhistogram.New(int64(histogramUnit), int64(histogramMax), histogramDigits)
		if err := library.RecordValue(int64(d)); err != nil {
			t.Fatal(err)
		}
		if got, want := bucketTop(bucketOf(d)), library.ValueAtPercentile(100); int64(got) != want {
			t.Fatalf("the bucket of %d ends at %d, the library's at %d", d, got, want)
		}
	}
}

func TestEncode(t *testing.T) {
	o := someSpans(1, 20_000)
	text, err := o.histogram().Encode()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if decoded.TotalCount() != int64(len(o)) {
		t.Errorf("%d values decoded, %d recorded", decoded.TotalCount(), len(o))
	}
	for _, thousandths := range []int{10, 500, 900, 990, 999, 1000} {
		if got := Number(decoded.ValueAtPercentile(float64(thousandths)/10)) / 1e9; !near(got, o.quantile(thousandths)) {
			t.Errorf("%d/1000 decodes as %v, want %v", thousandths, got, o.quantile(thousandths))
		}
	}
}

// TestMerge: several histograms merged equal one that saw everything.
func TestMerge(t *testing.T) {
	whole, merged := NewHistogram(), NewHistogram()
	for part := range uint64(5) {
		o := someSpans(part, int(1000*part))
		for _, d := range o {
			whole.Record(d)
		}
		merged.Merge(o.histogram())
	}
	if a, b := whole.Stats(), merged.Stats(); a != b {
		t.Errorf("merged %+v\nwhole  %+v", b, a)
	}
	if !slices.Equal(whole.counts, merged.counts) {
		t.Error("buckets differ")
	}
	empty := NewHistogram()
	empty.Merge(NewHistogram())
	if err := undefinedBut(empty.Stats()); err != nil {
		t.Error(err)
	}
}

func TestManySpans(t *testing.T) {
	for seed := range uint64(20) {
		o := someSpans(seed, 1+int(seed*seed*13))
		if err := o.check(o.histogram()); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
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

// someSpans are spans over all orders of magnitude.
func someSpans(seed uint64, n int) oracle {
	random := rand.New(rand.NewPCG(seed, 99))
	o := make(oracle, n)
	for i := range o {
		o[i] = time.Duration(math.Exp(random.Float64() * math.Log(float64(histogramMax))))
	}
	return o
}

func FuzzHistogram(f *testing.F) {
	f.Add([]byte{})
	f.Add(binary.BigEndian.AppendUint64(nil, uint64(time.Hour)+1))
	f.Add([]byte("sixteen bytes, 2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var o oracle
		for ; len(data) >= 8; data = data[8:] {
			v := binary.BigEndian.Uint64(data)
			o = append(o, time.Duration(v>>(v&63))) // every magnitude
		}
		if err := o.check(o.histogram()); err != nil {
			t.Error(err)
		}
		a, b := o[:len(o)/2].histogram(), o[len(o)/2:].histogram()
		a.Merge(b)
		if err := o.check(a); err != nil {
			t.Errorf("merged: %v", err)
		}
	})
}
