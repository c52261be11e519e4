package report

import (
	"io"
	"strconv"

	"ratebench/attack/record"
)

// WriteCompareCSV writes a row for each load, server and metric, in the order of
// Results, with the members of CompareResult as columns. A figure without a value is an
// empty cell.
func WriteCompareCSV(w io.Writer, c *Comparison) error {
	rows := make([]*CompareResult, len(c.Results))
	for i := range c.Results {
		rows[i] = &c.Results[i]
	}
	return writeRows(w, compareColumns(), rows)
}

func compareColumns() []column[*CompareResult] {
	columns := []column[*CompareResult]{
		{"load", func(r *CompareResult) string { return r.Load }},
		{"server", func(r *CompareResult) string { return r.Server }},
		{"metric", func(r *CompareResult) string { return r.Metric }},
		{"unit", func(r *CompareResult) string { return r.Unit }},
		{"n", func(r *CompareResult) string { return strconv.Itoa(r.N) }},
		{"censored", func(r *CompareResult) string { return strconv.Itoa(r.Censored) }},
		{"invalid", func(r *CompareResult) string { return strconv.Itoa(r.Invalid) }},
		{"suspect", func(r *CompareResult) string { return strconv.Itoa(r.Suspect) }},
		{"pairs", func(r *CompareResult) string { return strconv.Itoa(r.Pairs) }},
	}
	figures := []struct {
		name string
		of   func(*CompareResult) record.Number
	}{
		{"median", func(r *CompareResult) record.Number { return r.Median }},
		{"low", func(r *CompareResult) record.Number { return r.Low }},
		{"high", func(r *CompareResult) record.Number { return r.High }},
		{"ratio", func(r *CompareResult) record.Number { return r.Ratio }},
		{"ratio_low", func(r *CompareResult) record.Number { return r.RatioLow }},
		{"ratio_high", func(r *CompareResult) record.Number { return r.RatioHigh }},
		{"difference", func(r *CompareResult) record.Number { return r.Difference }},
		{"difference_low", func(r *CompareResult) record.Number { return r.DifferenceLow }},
		{"difference_high", func(r *CompareResult) record.Number { return r.DifferenceHigh }},
		{"p", func(r *CompareResult) record.Number { return r.P }},
		{"p_holm", func(r *CompareResult) record.Number { return r.PHolm }},
	}
	for _, f := range figures {
		columns = append(columns, column[*CompareResult]{f.name, func(r *CompareResult) string { return number(f.of(r)) }})
	}
	return append(columns, []column[*CompareResult]{
		{"differs", func(r *CompareResult) string { return strconv.FormatBool(r.Differs) }},
		{"group", func(r *CompareResult) string {
			if r.Group == 0 {
				return ""
			}
			return strconv.Itoa(r.Group)
		}},
	}...)
}
