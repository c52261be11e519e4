package report

import (
	"io"
	"strconv"
	"strings"

	"ratebench/attack/record"
	"ratebench/attack/search"
)

// WriteCapacityCSV writes a row for each trial in order of time: what it was for
// and what came of it, and the columns of WriteSummaryCSV.
func WriteCapacityCSV(w io.Writer, c *Capacity) error {
	rows := make([]*CapacityRun, len(c.Runs))
	for i := range c.Runs {
		rows[i] = &c.Runs[i]
	}
	return writeRows(w, c.columns(), rows)
}

func (c *Capacity) columns() []column[*CapacityRun] {
	of := func(r *CapacityRun, cell func(*search.Result) string) string {
		if result := c.result(r); result != nil {
			return cell(result)
		}
		return ""
	}
	columns := []column[*CapacityRun]{
		{"trial", func(r *CapacityRun) string { return strconv.Itoa(r.Trial) }},
		{"purpose", func(r *CapacityRun) string { return c.purpose(r) }},
		{"repeat", func(r *CapacityRun) string {
			return of(r, func(s *search.Result) string { return strconv.Itoa(s.Trial.Repeat) })
		}},
		{"valid", func(r *CapacityRun) string {
			return of(r, func(s *search.Result) string { return strconv.FormatBool(s.Valid) })
		}},
		{"passed", func(r *CapacityRun) string {
			return of(r, func(s *search.Result) string { return strconv.FormatBool(s.Passed()) })
		}},
		{"missed", func(r *CapacityRun) string {
			return of(r, func(s *search.Result) string { return strings.Join(s.Missed, " ") })
		}},
		{"pause_s", func(r *CapacityRun) string { return number(record.Seconds(r.Pause.Std())) }},
		{"left_over", func(r *CapacityRun) string { return whole(r.LeftOver) }},
	}
	for _, k := range summaryColumns() {
		columns = append(columns, column[*CapacityRun]{k.name, func(r *CapacityRun) string { return k.cell(r.Run) }})
	}
	return columns
}
