package record

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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
	library := hdrhistogram.New(int64(histogramUnit), int64(histogramMax), histogramDigits)
	for range 1000 {
		d := time.Duration(random.Uint64N(uint64(histogramMax)) >> random.IntN(40))
		library.Reset()
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
