package record

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and precision of the histograms. Values outside the range are counted
// at its ends; the exact least and greatest are kept apart.
const (
	histogramUnit   = 1 << unitBits * time.Nanosecond // least difference told apart
	histogramMax    = time.Hour
	histogramDigits = 3

	unitBits = 6
	subBits  = 10 // three digits: a bucket is at most 2^−10 of its values wide
)

// Histogram is a distribution of spans in constant memory (some 220 kB). Count,
// mean, standard deviation and the extremes are exact; a percentile is the
// nearest-rank one or above it by less than 0.1 % or 64 ns. Use NewHistogram.
//
// The buckets are HdrHistogram's with three significant digits, so that its
// tools read what Encode writes. They are filled here, because every request
// does so some eight times and the library takes several times as long.
type Histogram struct {
	counts   []int64
	count    uint64
	sums     sums
	min, max time.Duration
}

// NewHistogram is an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{
		counts: make([]int64, bucketOf(histogramMax)+1),
		min:    math.MaxInt64,
		max:    math.MinInt64,
	}
}

// bucketOf is the index of the bucket that holds d, 0 or more. A bucket holds
// the values that agree in their eleven leading binary digits.
func bucketOf(d time.Duration) int {
	units := uint64(d) >> unitBits
	shift := max(bits.Len64(units)-(subBits+1), 0)
	return shift<<subBits + int(units>>shift)
}

// bucketTop is the greatest value of bucket i.
func bucketTop(i int) time.Duration {
	shift := max(i>>subBits-1, 0)
	units := uint64(i - shift<<subBits)
	return time.Duration((units+1)<<(shift+unitBits) - 1)
}

// Record adds one span; negative ones count as 0.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(min(d, histogramMax))]++
	h.count++
	h.sums.add(uint64(d))
	h.min = min(h.min, d)
	h.max = max(h.max, d)
}

// Merge adds all that other holds, as if it had been recorded here.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.count += other.count
	h.sums.merge(&other.sums)
	h.min = min(h.min, other.min)
	h.max = max(h.max, other.max)
}

// Count is the number of spans recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Rank is the k-th smallest span in seconds, k counted from 1: undefined
// outside 1..Count. The first and the last are exact.
func (h *Histogram) Rank(k uint64) Number {
	switch {
	case k < 1 || k > h.count:
		return Undefined()
	case k == 1:
		return Seconds(h.min)
	case k == h.count:
		return Seconds(h.max)
	}
	i, seen := bucketOf(min(h.min, histogramMax)), uint64(0)
	for ; seen+uint64(h.counts[i]) < k; i++ {
		seen += uint64(h.counts[i])
	}
	return Seconds(min(max(bucketTop(i), h.min), h.max))
}

// Quantile is the nearest-rank quantile q, 0 < q <= 1, in seconds: the least
// recorded span that at least the share q of all do not exceed.
func (h *Histogram) Quantile(q float64) Number { return h.Rank(rankOf(q, h.count)) }

// rankOf is ceil(q·n). The product of floats may land beyond a whole number by
// some 2^−52 of it, which must not make it the next one.
func rankOf(q float64, n uint64) uint64 {
	product := q * float64(n)
	return max(1, uint64(math.Ceil(product-1e-9-1e-15*product)))
}

// Stats is the table row of the histogram.
func (h *Histogram) Stats() Stats {
	s := undefinedStats(h.count)
	if h.count == 0 {
		return s
	}
	s.Min, s.Max = Seconds(h.min), Seconds(h.max)
	s.Mean = min(max(h.sums.mean(h.count)/1e9, s.Min), s.Max)
	s.StdDev = h.sums.stddev(h.count) / 1e9
	s.fillPercentiles(h.Quantile)
	return s
}

// Encode is the histogram in nanoseconds as the HdrHistogram V2 format,
// compressed and in base64, which the tools of that project read.
func (h *Histogram) Encode() (string, error) {
	text, err := hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  int64(histogramUnit),
		HighestTrackableValue: int64(histogramMax),
		SignificantFigures:    histogramDigits,
		Counts:                h.counts,
	}).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encoding a histogram of %d values: %w", h.count, err)
	}
	return string(text), nil
}
