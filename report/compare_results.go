package report

import (
	"math"
	"slices"

	"ratebench/attack/record"
	"ratebench/report/stats"
)

// CompareResult is a metric of one server under one load. Intervals are of 95 %.
type CompareResult struct {
	Load   string `json:"load"`
	Server string `json:"server"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"` // of Median and Difference: s, 1/s or share

	N        int `json:"n"`        // trials that Median is of
	Censored int `json:"censored"` // of N, above all that was measured: a percentile among failed requests
	Invalid  int `json:"invalid"`  // trials left out: INVALID, interrupted, without a reply, or not made
	Suspect  int `json:"suspect"`  // trials that were not left out and are SUSPECT

	Median record.Number `json:"median"` // undefined of no value, or among censored ones; its interval of fewer than 6
	Low    record.Number `json:"low"`
	High   record.Number `json:"high"`

	// Against the baseline, by pairs of trials of one block. Undefined of fewer than 6
	// pairs and for the baseline itself. The ratio is undefined where a value is 0 or
	// the metric is a share, the difference where there is a ratio, and both where a
	// value of a pair is censored.
	Pairs          int           `json:"pairs"`
	Ratio          record.Number `json:"ratio"`
	RatioLow       record.Number `json:"ratio_low"`
	RatioHigh      record.Number `json:"ratio_high"`
	Difference     record.Number `json:"difference"`
	DifferenceLow  record.Number `json:"difference_low"`
	DifferenceHigh record.Number `json:"difference_high"`
	P              record.Number `json:"p"`      // two-sided, of this test alone
	PHolm          record.Number `json:"p_holm"` // within the family of all servers and loads of this metric
	Differs        bool          `json:"differs"`

	// Group counts the rank's groups of servers that do not differ, from 1 for the best;
	// 0 for a metric that is not the rank's, and for a server without a value.
	Group int `json:"group"`

	above bool    // than the baseline, where only that is known
	floor float64 // stats.Floor of the pairs
	most  float64 // of the values
}

// AddResults computes c.Results from c.Trials, in the order of the loads, for each the
// servers that have trials by rank, for each the metrics.
//
// The tests of a metric against the baseline, of all servers and loads, are a family:
// the chance of any false claim in it is 5 % (Holm). The metric of the rank is what the
// comparison is about; each other metric is a family of its own, so that of eight
// metrics one may well claim something falsely. The pairs of servers that make the rank
// of a load are a family too.
func AddResults(c *Comparison) {
	c.Results = []CompareResult{}
	c.fillSoftware()
	names := c.running()
	byMetric := make(map[string][]CompareResult)
	for _, m := range compareMetrics() {
		byMetric[m.key] = c.metricResults(&m, names)
	}
	for l := range c.Loads {
		for _, server := range c.addGroups(l, names, byMetric) {
			for _, m := range compareMetrics() {
				c.Results = append(c.Results, byMetric[m.key][l*len(names)+server])
			}
		}
	}
}

// fillSoftware takes over what the servers said of themselves.
func (c *Comparison) fillSoftware() {
	for i := range c.Servers {
		s := &c.Servers[i]
		for k := range c.Trials {
			t := &c.Trials[k]
			if s.Software == "" && t.Server == s.Name && t.Run != nil {
				s.Software = t.Run.Environment.Server.Software
			}
		}
	}
}

// running are the names of the servers that have runs, in the suite's order.
func (c *Comparison) running() []string {
	var names []string
	for i := range c.Servers {
		name := c.Servers[i].Name
		if slices.ContainsFunc(c.Trials, func(t CompareTrial) bool { return t.Server == name && t.Run != nil }) {
			names = append(names, name)
		}
	}
	return names
}

// trialsOf are the trials of a server under a load.
func (c *Comparison) trialsOf(load, server string) []*CompareTrial {
	var all []*CompareTrial
	for i := range c.Trials {
		if t := &c.Trials[i]; t.Load == load && t.Server == server {
			all = append(all, t)
		}
	}
	return all
}

// sample are the values of a metric by block, NaN where a trial is lost.
func (c *Comparison) sample(m *compareMetric, load, server string) []float64 {
	trials := c.trialsOf(load, server)
	blocks := c.Suite.Repeat
	for _, t := range trials {
		blocks = max(blocks, t.Block)
	}
	values := make([]float64, blocks)
	for i := range values {
		values[i] = math.NaN()
	}
	for _, t := range trials {
		if t.lost() == "" && t.Block > 0 {
			values[t.Block-1] = m.value(t.Run)
		}
	}
	return values
}

// metricResults are a metric's, load by load, for each the servers of names.
func (c *Comparison) metricResults(m *compareMetric, names []string) []CompareResult {
	var all []CompareResult
	var p []float64
	for i := range c.Loads {
		load := c.Loads[i].Name
		base := c.sample(m, load, c.Suite.Baseline)
		for _, name := range names {
			values := c.sample(m, load, name)
			r := newResult(m, load, name, values)
			c.countTrials(&r)
			if name != c.Suite.Baseline {
				r.fillEffect(m.compare(values, base))
			}
			all, p = append(all, r), append(p, float64(r.P))
		}
	}
	for i, adjusted := range stats.Holm(p) {
		all[i].PHolm, all[i].Differs = record.Number(adjusted), adjusted < stats.Level
	}
	return all
}

func newResult(m *compareMetric, load, server string, values []float64) CompareResult {
	e, u := stats.Of(values), record.Undefined()
	r := CompareResult{
		Load: load, Server: server, Metric: m.key, Unit: m.unit, N: e.N,
		Median: record.Number(e.Center), Low: record.Number(e.Low), High: record.Number(e.High),
		Ratio: u, RatioLow: u, RatioHigh: u, Difference: u, DifferenceLow: u, DifferenceHigh: u, P: u, PHolm: u,
		floor: math.NaN(),
	}
	for _, v := range values {
		if math.IsInf(v, 0) {
			r.Censored++
		}
		if v > r.most {
			r.most = v
		}
	}
	return r
}

func (c *Comparison) countTrials(r *CompareResult) {
	for _, t := range c.trialsOf(r.Load, r.Server) {
		switch {
		case t.lost() != "":
			r.Invalid++
		case t.Run.Verdict.Status == record.Suspect:
			r.Suspect++
		}
	}
}

func (m *compareMetric) compare(of, base []float64) stats.Effect {
	if m.share {
		return stats.Difference(of, base)
	}
	return stats.Ratio(of, base)
}

func (r *CompareResult) fillEffect(e stats.Effect) {
	r.Pairs, r.P, r.floor = e.Pairs, record.Number(e.P), stats.Floor(e)
	value, low, high := record.Number(e.Value), record.Number(e.Low), record.Number(e.High)
	switch {
	case !value.Defined():
		r.above = math.IsInf(e.High, 1)
	case e.Relative:
		r.Ratio, r.RatioLow, r.RatioHigh = value, low, high
	default:
		r.Difference, r.DifferenceLow, r.DifferenceHigh = value, low, high
	}
}

// addGroups ranks the servers under load l by the metric of the rank. It returns their
// indices in that order.
func (c *Comparison) addGroups(l int, names []string, byMetric map[string][]CompareResult) []int {
	m := metricOf(c.Suite.Rank)
	samples := make([][]float64, len(names))
	for i, name := range names {
		samples[i] = c.sample(&m, c.Loads[l].Name, name)
	}
	order, group := stats.Rank(samples, m.lower, m.compare)
	for i := range names {
		byMetric[m.key][l*len(names)+i].Group = group[i]
	}
	return order
}
