package report

import (
	"math"

	"ratebench/attack/record"
)

// A compareMetric is what servers are compared by.
type compareMetric struct {
	key, unit string // of the document
	title     string // of a column, with the unit in which text prints it
	short     string // for the table of all ratios
	lower     bool   // is better
	share     bool   // is compared by differences: it is 0 as a rule
	of        figureOf
}

// Units of results.
const (
	unitSeconds   = "s"
	unitPerSecond = "1/s"
	unitShare     = "share"
)

// compareMetrics are all, in the order of tables.
func compareMetrics() []compareMetric {
	return []compareMetric{
		{"reply_rate", unitPerSecond, "replies /s", "replies", false, false, replyRate},
		{"goodput", unitPerSecond, "good replies /s", "goodput", false, false, goodputRate},
		{"response_p50", unitSeconds, "response p50, ms", "p50", true, false, medianTime},
		{"response_mean", unitSeconds, "response mean, ms", "mean", true, false, meanTime},
		{"response_p99", unitSeconds, "response p99, ms", "p99", true, false, slowTime},
		{"cpu_per_reply", unitSeconds, "CPU, ms/reply", "CPU", true, false, cpuSeconds},
		{"errors", unitShare, "errors", "errors", true, true, errorShare},
		{"client_timeouts", unitShare, "client timeouts", "client-timo", true, true, timeoutShare},
	}
}

// metricOf is the metric of a key; cpu_per_reply of one that is none.
func metricOf(key string) compareMetric {
	var usual compareMetric
	for _, m := range compareMetrics() {
		switch m.key {
		case key:
			return m
		case "cpu_per_reply":
			usual = m
		}
	}
	return usual
}

func meanTime(d *Document) record.Number { return d.Summary.Time.ResponseAll.Mean }

func cpuSeconds(d *Document) record.Number {
	cpu, _ := CPUPerReply(d)
	return cpu
}

// errorShare and timeoutShare are of the requests that were taken up.
func errorShare(d *Document) record.Number   { return ofTaken(d, d.Summary.Errors.Total) }
func timeoutShare(d *Document) record.Number { return ofTaken(d, d.Summary.Errors.ClientTimeout) }

func ofTaken(d *Document, n uint64) record.Number {
	return record.Ratio(float64(n), float64(d.Summary.Planned-d.Summary.Unsent))
}

// isTime says whether the figure lies above all values where it lies among requests
// that failed.
func (m *compareMetric) isTime() bool { return m.unit == unitSeconds && m.key != "cpu_per_reply" }

// value is the figure of a trial as package stats takes it: NaN for none, +Inf for a
// time that is beyond those of all replies.
func (m *compareMetric) value(d *Document) float64 {
	v := m.of(d)
	switch {
	case v.Defined():
		return float64(v)
	case m.isTime() && d.Summary.Errors.Total > 0:
		return math.Inf(1)
	}
	return math.NaN()
}
