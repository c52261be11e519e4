package record

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
