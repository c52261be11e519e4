package record

import "math"

// Stats describes a distribution of spans in seconds. Undefined figures are
// null: all but Count of none, StdDev of one.
type Stats struct {
	Count  uint64 `json:"count"`
	Mean   Number `json:"mean_s"`
	StdDev Number `json:"stddev_s"` // of the sample, n−1
	Min    Number `json:"min_s"`
	P50    Number `json:"p50_s"` // percentiles by nearest rank
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

// samplesFor is how many samples the quantile q wants: percentileSamples of them
// beyond it. It is rounded, since 1−q is not exact.
func samplesFor(q float64) uint64 { return uint64(math.Round(percentileSamples / (1 - q))) }

// supported is the greatest percentile that the samples support, but never less
// than the median, and its name.
func (s *Stats) supported() (name string, value Number) {
	switch {
	case s.Count >= samplesFor(0.99):
		return "p99", s.P99
	case s.Count >= samplesFor(0.95):
		return "p95", s.P95
	case s.Count >= samplesFor(0.90):
		return "p90", s.P90
	}
	return "p50", s.P50
}

// responseAll ranks failed requests above all replies, as type-I censored
// observations: a percentile that falls among them is undefined, and so are the
// greatest and the mean as soon as there is one.
func responseAll(replies *Histogram, failed uint64) Stats {
	if failed == 0 {
		return replies.Stats()
	}
	s := undefinedStats(replies.Count() + failed)
	s.Min = replies.Rank(1)
	s.fillPercentiles(func(q float64) Number { return replies.Rank(rankOf(q, s.Count)) })
	return s
}
