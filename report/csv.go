package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"ratebench/attack/record"
)

// A column of a table in CSV: its name, with the unit, and its cell for a row.
type column[row any] struct {
	name string
	cell func(row) string
}

// WriteCSV writes the one-second intervals as CSV (RFC 4180, lines end in LF):
// a header, always, and a row for each. The names are those of the document,
// errors by class get a column each. A figure without a value is an empty cell.
func WriteCSV(w io.Writer, d *Document) error {
	rows := make([]*record.Interval, len(d.Intervals))
	for i := range d.Intervals {
		rows[i] = &d.Intervals[i]
	}
	return writeRows(w, intervalColumns(), rows)
}

func writeRows[row any](w io.Writer, columns []column[row], rows []row) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	// Write keeps its first error for Error.
	_ = out.Write(line)
	for _, r := range rows {
		for i, c := range columns {
			line[i] = c.cell(r)
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

func intervalColumns() []column[*record.Interval] {
	columns := []column[*record.Interval]{
		{"t_s", func(v *record.Interval) string { return number(v.T) }},
		{"due", func(v *record.Interval) string { return whole(v.Due) }},
		{"sent", func(v *record.Interval) string { return whole(v.Sent) }},
		{"replies", func(v *record.Interval) string { return whole(v.Replies) }},
		{"good", func(v *record.Interval) string { return whole(v.Good) }},
		{"errors", func(v *record.Interval) string { return whole(v.Errors) }},
	}
	for _, c := range record.ErrorClasses() {
		columns = append(columns, column[*record.Interval]{
			"errors_" + c.Key(), func(v *record.Interval) string { return whole(v.ByClass[c.Key()]) },
		})
	}
	return append(columns, []column[*record.Interval]{
		{"aborted", func(v *record.Interval) string { return whole(v.Aborted) }},
		{"unsent", func(v *record.Interval) string { return whole(v.Unsent) }},
		{"in_flight", func(v *record.Interval) string { return whole(v.InFlight) }},
		{"p50_s", func(v *record.Interval) string { return number(v.P50) }},
		{"p99_s", func(v *record.Interval) string { return number(v.P99) }},
		{"max_s", func(v *record.Interval) string { return number(v.Max) }},
		{"client_cpu_cores", func(v *record.Interval) string { return number(v.ClientCPU) }},
		{"server_cpu_cores", func(v *record.Interval) string { return number(v.ServerCPU) }},
	}...)
}

func whole(n uint64) string { return strconv.FormatUint(n, 10) }

// number is the shortest decimal that reads back the same, empty if undefined.
func number(n record.Number) string {
	if !n.Defined() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'f', -1, 64)
}
