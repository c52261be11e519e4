package report

import (
	"fmt"

	"ratebench/report/stats"
)

// noiseNotes are what a comparison of one server with itself says of the others: how
// small a difference can be seen here, and how often one is seen that is not there.
func (c *Comparison) noiseNotes() []string {
	if !c.Suite.AA {
		return nil
	}
	notes := []string{"A/A: both sides are the same server, and every difference is chance."}
	for i := range c.Loads {
		for _, r := range c.ranked(c.Loads[i].Name, metricOf(c.Suite.Rank).key) {
			if floor := r.floorText(); floor != "" {
				notes = append(notes, fmt.Sprintf("%s: noise floor of %s %s; found %s", r.Load, metricOf(r.Metric).title, floor, c.effectCell(r)))
			}
		}
	}
	claims, tests, corrected := c.falsePositives()
	least, most := stats.Plausible(tests, stats.Level)
	return append(notes, fmt.Sprintf("False positives: %d of %s have p < 0.05 (by chance %d to %d, more where metrics hang together), %d after Holm.",
		claims, plural(tests, "test"), least, most, corrected))
}

func (r *CompareResult) floorText() string {
	switch {
	case !(r.floor >= 0):
		return ""
	case r.Ratio.Defined():
		return "±" + shareText(r.floor)
	case r.Unit == unitShare:
		return fmt.Sprintf("±%.1f pt", 100*r.floor)
	}
	return ""
}

// falsePositives counts the tests of an A/A comparison, of all metrics that vary at all:
// those that claim something on their own, and those that still do in their family.
func (c *Comparison) falsePositives() (claims, tests, corrected int) {
	for i := range c.Results {
		r := &c.Results[i]
		if !r.P.Defined() || r.P == 1 && r.Low == r.High {
			continue
		}
		tests++
		if r.P < stats.Level {
			claims++
		}
		if r.Differs {
			corrected++
		}
	}
	return claims, tests, corrected
}
