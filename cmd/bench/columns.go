//go:build linux

package main

import (
	"fmt"
	"math"
	"strings"
)

// A column of a table: its heading and what it shows of a row. base is the row
// that ratios are taken to.
type column struct {
	head string
	cell func(r, base *row) string
}

// Factors from the figures' base units to those of a table.
const (
	micro = 1e6
	milli = 1e3
	mebi  = 1.0 / (1 << 20)
)

func saturationColumns() []column {
	return []column{
		ranged("CPU µs/reply", cpuPerReply, micro), ratio("× ratebench", cpuPerReply),
		ranged("replies/s", replyRate, 1), middle("cores", cpuCores, 1),
		middle("RSS MiB", peakMemory, mebi), middle("errors", errorCount, 1),
	}
}

func rateColumns() []column {
	return []column{
		ranged("CPU µs/reply", cpuPerReply, micro), ratio("× ratebench", cpuPerReply),
		middle("send lag p50 ms", sendLagP50, milli), ranged("p99 ms", sendLagP99, milli),
		middle("response p50 ms", responseP50, milli), ranged("p99 ms", responseP99, milli),
		middle("replies/s", replyRate, 1), middle("RSS MiB", peakMemory, mebi), middle("errors", errorCount, 1),
	}
}

func neighbourColumns() []column {
	return []column{
		ranged("send lag p99 ms", sendLagP99, milli), ranged("receive lag p99 ms", receiveLagP99, milli),
		ranged("service p99 ms", serviceP99, milli), ranged("response p99 ms", responseP99, milli), ratio("× alone", responseP99),
		middle("errors", errorCount, 1), {"priority", priorities}, {"verdict", verdicts},
	}
}

func openColumns() []column {
	return []column{
		middle("planned", plannedCount, 1), middle("replies", replyCount, 1), middle("errors", errorCount, 1),
		middle("connections, peak", peakConns, 1), middle("elapsed s", elapsedTime, 1),
		middle("RSS MiB", peakMemory, mebi), middle("CPU µs/reply", cpuPerReply, micro),
		middle("exit", exitStatus, 1), {"verdict", verdicts},
	}
}

func loopColumns() []column {
	return []column{
		ranged("CPU µs/reply", cpuPerReply, micro), ratio("× 1 loop", cpuPerReply),
		middle("planned", plannedCount, 1), middle("replies", replyCount, 1), middle("at the server", serverCount, 1),
		middle("due/s, least", leastDue, 1), middle("most", mostDue, 1), middle("replies/s", replyRate, 1),
	}
}

// middle shows the median.
func middle(head, figure string, factor float64) column {
	return column{head, func(r, _ *row) string { return digits(r.spread(figure).median * factor) }}
}

// ranged shows the median, and how far the rounds lie apart if there are several.
func ranged(head, figure string, factor float64) column {
	return column{head, func(r, _ *row) string {
		s := r.spread(figure)
		if s.n < 2 {
			return digits(s.median * factor)
		}
		return fmt.Sprintf("%s (%s–%s)", digits(s.median*factor), digits(s.least*factor), digits(s.most*factor))
	}}
}

// ratio shows the median of the rounds' ratios to base.
func ratio(head, figure string) column {
	return column{head, func(r, base *row) string { return digits(r.ratios(base, figure, figure).median) }}
}

// digits shows three significant digits, whole numbers whole, nothing as –.
func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v == 0:
		return "0"
	case v == math.Trunc(v), math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return fmt.Sprintf("%.*f", min(decimals, 6), v)
}

// verdicts lists what ratebench said of its runs, with how often.
func verdicts(r, _ *row) string {
	return tally(r, func(s sample) string { return strings.Join(append([]string{s.Verdict}, s.Findings...), " ") })
}

func priorities(r, _ *row) string {
	return tally(r, func(s sample) string { return s.Priority })
}

// tally lists the texts of a row's samples in their order, with how often each came.
func tally(r *row, text func(sample) string) string {
	var order []string
	times := map[string]int{}
	for _, s := range r.Samples {
		if s.Error != "" {
			continue
		}
		t := text(s)
		if times[t]++; times[t] == 1 {
			order = append(order, t)
		}
	}
	for i, t := range order {
		if len(order) > 1 {
			order[i] = fmt.Sprintf("%d × %s", times[t], t)
		}
	}
	return strings.Join(order, ", ")
}
