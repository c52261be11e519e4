package record

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and precision of the histograms. Values outside the range are counted
// at its ends; the exact least and greatest are kept apart.
const (
	histogramUnit   = 100 * time.Nanosecond // least difference told apart
	histogramMax    = time.Hour
	histogramDigits = 3
)

// Histogram is a distribution of spans in constant memory (HdrHistogram, three
// significant digits). Count, mean, standard deviation and the extremes are
// exact; a percentile is at most 0.1 % above the true one. Use NewHistogram.
type Histogram struct {
	buckets    *hdrhistogram.Histogram
	count      uint64
	sum        float64 // ns
	sumSquares float64 // ns²
	min, max   time.Duration
}

// NewHistogram is an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{
		buckets: hdrhistogram.New(int64(histogramUnit), int64(histogramMax), histogramDigits),
		min:     math.MaxInt64,
		max:     math.MinInt64,
	}
}

// Record adds one span; negative ones count as 0.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	// The value lies within the histogram's range, the only thing that RecordValue complains about.
	_ = h.buckets.RecordValue(int64(min(d, histogramMax)))
	h.count++
	h.sum += float64(d)
	h.sumSquares += float64(d) * float64(d)
	h.min = min(h.min, d)
	h.max = max(h.max, d)
}

// Merge adds all that other holds.
func (h *Histogram) Merge(other *Histogram) {
	h.buckets.Merge(other.buckets)
	h.count += other.count
	h.sum += other.sum
	h.sumSquares += other.sumSquares
	h.min = min(h.min, other.min)
	h.max = max(h.max, other.max)
}

// Count is the number of spans recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Rank is the k-th smallest span in seconds, k counted from 1: undefined
// outside 1..Count.
func (h *Histogram) Rank(k uint64) Number {
	if k < 1 || k > h.count {
		return Undefined()
	}
	// The library rounds percentile × count half up; a quarter below the rank
	// is far from every boundary, so the k-th value is what it finds.
	v := h.buckets.ValueAtPercentile((float64(k) - 0.25) / float64(h.count) * 100)
	return Seconds(min(max(time.Duration(v), h.min), h.max))
}

// Quantile is the nearest-rank quantile q, 0 < q <= 1, in seconds.
func (h *Histogram) Quantile(q float64) Number { return h.Rank(rankOf(q, h.count)) }

// rankOf is ceil(q·n), guarded against q·n landing a rounding error above a whole number.
func rankOf(q float64, n uint64) uint64 {
	return max(1, uint64(math.Ceil(q*float64(n)-1e-9)))
}

// Stats is the table row of the histogram.
func (h *Histogram) Stats() Stats {
	s := undefinedStats(h.count)
	if h.count == 0 {
		return s
	}
	n := float64(h.count)
	mean := h.sum / n
	s.Mean = Number(mean / 1e9)
	if h.count > 1 {
		s.StdDev = Number(math.Sqrt(max(h.sumSquares-n*mean*mean, 0)/(n-1)) / 1e9)
	}
	s.Min, s.Max = Seconds(h.min), Seconds(h.max)
	s.fillPercentiles(h.Quantile)
	return s
}

// Encode is the histogram in nanoseconds as the HdrHistogram V2 format,
// compressed and in base64, which the tools of that project read.
func (h *Histogram) Encode() (string, error) {
	text, err := h.buckets.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return string(text), err
}

// Stats describes a distribution of spans in seconds. Undefined figures are null.
type Stats struct {
	Count  uint64 `json:"count"`
	Mean   Number `json:"mean_s"`
	StdDev Number `json:"stddev_s"` // of the sample, n−1
	Min    Number `json:"min_s"`
	P50    Number `json:"p50_s"`
	P90    Number `json:"p90_s"`
	P95    Number `json:"p95_s"`
	P99    Number `json:"p99_s"`
	P999   Number `json:"p99_9_s"`
	Max    Number `json:"max_s"`
}

func undefinedStats(count uint64) Stats {
	u := Undefined()
	return Stats{Count: count, Mean: u, StdDev: u, Min: u, P50: u, P90: u, P95: u, P99: u, P999: u, Max: u}
}

func (s *Stats) fillPercentiles(quantile func(float64) Number) {
	s.P50, s.P90, s.P95 = quantile(0.50), quantile(0.90), quantile(0.95)
	s.P99, s.P999 = quantile(0.99), quantile(0.999)
}
