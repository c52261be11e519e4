package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// WriteSweepCSV writes a row for each run in order of time: its place in the sweep,
// and the columns of WriteSummaryCSV. An INVALID run is there, as its column
// verdict_status says.
func WriteSweepCSV(w io.Writer, s *Sweep) error {
	rows := make([]*SweepRun, len(s.Runs))
	for i := range s.Runs {
		rows[i] = &s.Runs[i]
	}
	return writeRows(w, sweepColumns(), rows)
}

func sweepColumns() []column[*SweepRun] {
	columns := []column[*SweepRun]{
		{"pass", func(r *SweepRun) string { return strconv.Itoa(r.Pass) }},
		{"pause_s", func(r *SweepRun) string { return number(record.Seconds(r.Pause.Std())) }},
		{"left_over", func(r *SweepRun) string { return whole(r.LeftOver) }},
	}
	for _, c := range summaryColumns() {
		columns = append(columns, column[*SweepRun]{c.name, func(r *SweepRun) string { return c.cell(r.Run) }})
	}
	return columns
}

// WriteAutobench writes autobench's table of a sweep, for what plots that: a line
// for each run, the lowest rate first, in ten columns set apart by tabs, under
// names that end in the host. Rates are of the arrival window, where httperf's are
// diluted by the drain. errors is a percentage of the planned requests, where
// autobench's is one of the replies and exceeds 100. bench2graph tells columns
// apart by blanks and plots every cell, so that a figure without a value is 0, as in
// httperf; but the least and the greatest rate are those of aroundMean, and a run of
// less than a second has its mean for both.
func WriteAutobench(w io.Writer, s *Sweep) error {
	var b bytes.Buffer
	names := []string{
		"req_rate", "con_rate", "min_rep_rate", "avg_rep_rate", "max_rep_rate", "stddev_rep_rate", "resp_time", "net_io", "errors",
	}
	b.WriteString("dem_req_rate")
	for _, name := range names {
		b.WriteString("\t" + name + "_" + s.host())
	}
	b.WriteByte('\n')
	for _, d := range s.ascending() {
		b.WriteString(d.Plan.Rate.String())
		for _, figure := range autobenchFigures(d) {
			fmt.Fprintf(&b, "\t%.1f", figure)
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

func autobenchFigures(d *Document) []float64 {
	s := &d.Summary
	r, window := &s.ReplyRate, s.Window
	least, most := aroundMean(r)
	response := inMillis(s.Time.Response.Mean) - inMillis(s.Time.Transfer.Mean)
	return []float64{
		orZero(s.SentRate), over(connectionsTried(d), window),
		orZero(least), orZero(r.Mean), orZero(most), orZero(r.StdDev),
		max(response, 0), over(s.Bytes.Sent+s.Bytes.Header+s.Bytes.Content, window) / 1024,
		100 * share(s.Errors.Total, s.Planned),
	}
}

// ascending are the runs by offered rate, those of one rate in order of time.
func (s *Sweep) ascending() []*Document {
	var all []*Document
	for i := range s.Runs {
		all = append(all, s.Runs[i].Run)
	}
	slices.SortStableFunc(all, func(a, b *Document) int {
		return cmp.Compare(a.Plan.Rate.PerSecond(), b.Plan.Rate.PerSecond())
	})
	return all
}

// host is the host of the sweep's URL as a part of a column's name, which
// bench2graph makes a file's name of: nothing but letters, digits, dots and dashes.
func (s *Sweep) host() string {
	if len(s.Runs) == 0 {
		return "server"
	}
	u, err := plan.ParseURL(s.Runs[0].Run.Plan.URL)
	if err != nil {
		return "server"
	}
	return strings.Map(func(c rune) rune {
		if c == '.' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '-'
	}, u.Server.Host)
}
