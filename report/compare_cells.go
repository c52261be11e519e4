package report

import (
	"fmt"
	"math"
	"strconv"

	"ratebench/attack/record"
	"ratebench/report/stats"
)

// shareText is a share in percent with two digits, for figures that are small.
func shareText(f float64) string {
	switch p := 100 * f; {
	case math.IsInf(p, 0):
		return "∞"
	case p < 9.95:
		return fixed(p, 1) + " %"
	default:
		return fixed(p, 0) + " %"
	}
}

// within is a median's interval as the larger of its two sides, relative: ±2.1 %.
// Empty if there is none.
func (r *CompareResult) within() string {
	far := math.Max(float64(r.High-r.Median), float64(r.Median-r.Low)) / float64(r.Median)
	if math.IsNaN(far) || r.Median <= 0 || math.IsInf(float64(r.Median), 0) {
		return ""
	}
	return " ±" + shareText(far)
}

// medianCell is the median with its interval, without the unit.
func (c *Comparison) medianCell(r *CompareResult) string {
	switch {
	case r.N == 0:
		return undefined
	case r.Unit == unitShare:
		return shareCell(r)
	case math.IsInf(float64(r.Median), 0):
		return c.beyondCell(r)
	case r.Unit == unitPerSecond:
		return figure(r.Median) + r.within()
	}
	return millis(r.Median) + r.within()
}

// shareCell tells what is always 0 from what is so as a rule.
func shareCell(r *CompareResult) string {
	switch {
	case r.Median == 0 && !(r.most > 0):
		return "–"
	case r.Median == 0:
		return "≤ " + percent(record.Number(r.most))
	}
	return percent(r.Median)
}

// beyondCell is a median among requests that failed.
func (c *Comparison) beyondCell(r *CompareResult) string {
	m, at := metricOf(r.Metric), atRate{}
	for _, t := range c.trialsOf(r.Load, r.Server) {
		if t.lost() == "" {
			at.good = append(at.good, t.Run)
		}
	}
	if m.key == "response_mean" {
		return undefined // one failure is enough for that
	}
	return at.time(m.of)
}

// errorsCell is the share of errors, and of client timeouts among them.
func (c *Comparison) errorsCell(errors, timeouts *CompareResult) string {
	text := c.medianCell(errors)
	if timeouts.Median > 0 || timeouts.High > 0 {
		text += " (" + c.medianCell(timeouts) + ")"
	}
	return text
}

// effectCell is how the server stands to the baseline: 0.93 [0.90, 0.96], after ~ if
// that may be chance.
func (c *Comparison) effectCell(r *CompareResult) string {
	text, known := r.claim(c)
	switch {
	case !known:
		return text
	case text == unsided:
		return text
	case r.Ratio.Defined() && math.Abs(float64(r.Ratio)-1) < 0.0495:
		text = fmt.Sprintf("%.3f [%.3f, %.3f]", float64(r.Ratio), float64(r.RatioLow), float64(r.RatioHigh))
	case r.Ratio.Defined():
		text += fmt.Sprintf(" [%s, %s]", ratioText(r.RatioLow), ratioText(r.RatioHigh))
	case r.Difference.Defined():
		text += fmt.Sprintf(" [%s, %s]", r.amount(r.DifferenceLow), r.amount(r.DifferenceHigh))
	}
	if !r.Differs {
		return "~ " + text
	}
	return text
}

// briefCell is the same without the interval, and nothing but ~ for what may be chance.
func (c *Comparison) briefCell(r *CompareResult) string {
	switch text, known := r.claim(c); {
	case known && text == unsided:
		return text
	case known && !r.Differs:
		return "~"
	case text == fewPairs:
		return "few"
	default:
		return text
	}
}

// Words in place of an effect.
const (
	fewPairs = "too few pairs"
	unsided  = "?"
)

// claim is the effect in a word. known is false where there can be none.
func (r *CompareResult) claim(c *Comparison) (text string, known bool) {
	switch {
	case r.Server == c.Suite.Baseline:
		return "baseline", false
	case r.N == 0:
		return undefined, false
	case r.Pairs < stats.Fewest || !r.P.Defined():
		return fewPairs, false
	case r.Ratio.Defined():
		return ratioText(r.Ratio), true
	case r.Difference.Defined():
		return r.amount(r.Difference), true
	case !r.Differs:
		return unsided, true
	case r.above:
		return "above", true
	}
	return "below", true
}

// ratioText has three digits, and as many decimals as tell it from 1.
func ratioText(n record.Number) string {
	switch f := float64(n); {
	case !n.Defined():
		return undefined
	case f >= 99.95:
		return fixed(f, 0)
	case f >= 9.995:
		return fixed(f, 1)
	case f >= 0.0995 && math.Abs(f-1) >= 0.0095:
		return fixed(f, 2)
	case f >= 0.0995:
		return fixed(f, 3)
	}
	return strconv.FormatFloat(float64(n), 'g', 2, 64)
}

// amount is a difference in the unit of its column, with its sign. Shares are in
// percentage points.
func (r *CompareResult) amount(n record.Number) string {
	size := record.Number(math.Abs(float64(n)))
	text := figure(size)
	switch r.Unit {
	case unitShare:
		text = fixed(100*float64(size), 1) + " pt"
	case unitSeconds:
		text = millis(size)
	}
	if n < 0 {
		return "−" + text
	}
	return "+" + text
}
