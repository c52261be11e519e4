package report

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// WriteSummaryCSV writes the run as one row of CSV under a header: what was
// asked for, the verdict and every figure of the summary, under the document's
// names joined by _. The columns are the same for every run.
func WriteSummaryCSV(w io.Writer, d *Document) error {
	return WriteSummariesCSV(w, []*Document{d})
}

// WriteSummariesCSV is WriteSummaryCSV for several runs, a row each.
func WriteSummariesCSV(w io.Writer, all []*Document) error {
	return writeRows(w, summaryColumns(), all)
}

func summaryColumns() []column[*Document] {
	return slices.Concat(planColumns(), countColumns(), rateColumns(), timeColumns(), usageColumns(), serverColumns())
}

func planColumns() []column[*Document] {
	return []column[*Document]{
		{"started_at", func(d *Document) string { return d.StartedAt.Format(time.RFC3339Nano) }},
		{"version", func(d *Document) string { return d.Version }},
		{"method", func(d *Document) string { return d.Plan.Method }},
		{"url", func(d *Document) string { return d.Plan.URL }},
		{"targets_file", func(d *Document) string { return d.Plan.TargetsFile }},
		{"plan_rate_per_s", planRate},
		{"ramp_from_per_s", func(d *Document) string { return rampEnd(d, func(r *plan.Ramp) plan.Rate { return r.From }) }},
		{"ramp_to_per_s", func(d *Document) string { return rampEnd(d, func(r *plan.Ramp) plan.Rate { return r.To }) }},
		{"concurrency", concurrency},
		{"arrivals", arrivals},
		{"seed", func(d *Document) string { return whole(d.Plan.Seed) }},
		{"timeout_s", func(d *Document) string { return number(record.Seconds(d.Plan.Timeout.Std())) }},
		{"requests_per_connection", func(d *Document) string { return strconv.Itoa(d.Plan.RequestsPerConnection) }},
		{"max_connections", func(d *Document) string { return strconv.Itoa(d.Plan.MaxConnections) }},
		{"engine", func(d *Document) string { return d.Plan.Engine }},
		{"server_software", func(d *Document) string { return d.Environment.Server.Software }},
		{"interrupted", func(d *Document) string { return strconv.FormatBool(d.Interrupted) }},
		{"verdict_status", func(d *Document) string { return string(d.Verdict.Status) }},
		{"verdict_findings", findingCodes},
	}
}

// planRate is empty for a closed loop, and of a ramp its mean.
func planRate(d *Document) string {
	if d.Plan.Closed() {
		return ""
	}
	return d.Plan.Rate.String()
}

// rampEnd is empty for what is no ramp.
func rampEnd(d *Document, of func(*plan.Ramp) plan.Rate) string {
	if d.Plan.Ramp == nil {
		return ""
	}
	return of(d.Plan.Ramp).String()
}

// concurrency is empty for an open loop.
func concurrency(d *Document) string {
	if !d.Plan.Closed() {
		return ""
	}
	return strconv.Itoa(d.Plan.Concurrency)
}

// arrivals are the process; replies are what a closed loop's requests follow.
func arrivals(d *Document) string {
	if d.Plan.Closed() {
		return "closed"
	}
	return string(d.Plan.Arrivals)
}

// findingCodes are the codes of the findings with blanks between.
func findingCodes(d *Document) string {
	var codes []string
	for _, f := range d.Verdict.Findings {
		codes = append(codes, f.Code)
	}
	return strings.Join(codes, " ")
}

func countColumns() []column[*Document] {
	columns := []column[*Document]{
		counted("planned", func(s *record.Summary) uint64 { return s.Planned }),
		counted("sent", func(s *record.Summary) uint64 { return s.Sent }),
		counted("unsent", func(s *record.Summary) uint64 { return s.Unsent }),
		counted("replies", func(s *record.Summary) uint64 { return s.Replies }),
		counted("aborted", func(s *record.Summary) uint64 { return s.Aborted }),
		counted("waited", func(s *record.Summary) uint64 { return s.Waited }),
		counted("errors_total", func(s *record.Summary) uint64 { return s.Errors.Total }),
	}
	for _, c := range record.ErrorClasses() {
		columns = append(columns, counted("errors_"+c.Key(), func(s *record.Summary) uint64 { return s.Errors.Of(c) }))
	}
	for p := record.Queued; p < record.Phases; p++ {
		columns = append(columns, counted("client_timeout_phase_"+p.String(),
			func(s *record.Summary) uint64 { return s.TimeoutPhase[p.String()] }))
	}
	for class, name := range []string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		columns = append(columns, counted("status_"+name,
			func(s *record.Summary) uint64 { return statusClasses(s.Status)[class] }))
	}
	return append(columns, column[*Document]{"statuses", statusList})
}

// statusList is the replies by status: 200=26609 503=12.
func statusList(d *Document) string {
	var items []string
	for _, code := range slices.Sorted(maps.Keys(d.Summary.Status)) {
		items = append(items, code+"="+whole(d.Summary.Status[code]))
	}
	return strings.Join(items, " ")
}

func rateColumns() []column[*Document] {
	return []column[*Document]{
		figured("window_s", func(s *record.Summary) record.Number { return s.Window }),
		figured("elapsed_s", func(s *record.Summary) record.Number { return s.Elapsed }),
		figured("offered_rate_per_s", func(s *record.Summary) record.Number { return s.OfferedRate }),
		figured("sent_rate_per_s", func(s *record.Summary) record.Number { return s.SentRate }),
		figured("reply_rate_per_s_mean", func(s *record.Summary) record.Number { return s.ReplyRate.Mean }),
		figured("reply_rate_per_s_min", func(s *record.Summary) record.Number { return s.ReplyRate.Min }),
		figured("reply_rate_per_s_max", func(s *record.Summary) record.Number { return s.ReplyRate.Max }),
		figured("reply_rate_per_s_stddev", func(s *record.Summary) record.Number { return s.ReplyRate.StdDev }),
		counted("reply_rate_per_s_samples", func(s *record.Summary) uint64 { return uint64(s.ReplyRate.Samples) }),
		figured("goodput_within_s", func(s *record.Summary) record.Number { return s.Goodput.Within }),
		counted("goodput_count", func(s *record.Summary) uint64 { return s.Goodput.Count }),
		figured("goodput_share", func(s *record.Summary) record.Number { return s.Goodput.Share }),
		figured("goodput_rate_per_s", func(s *record.Summary) record.Number { return s.Goodput.Rate }),
	}
}

// timeColumns are ten for each row of the time table.
func timeColumns() []column[*Document] {
	var columns []column[*Document]
	for i, row := range timeRows(&record.Times{}) {
		stats := func(s *record.Summary) *record.Stats { return timeRows(&s.Time)[i].stats }
		name := "time_" + row.key + "_"
		columns = append(columns, counted(name+"count", func(s *record.Summary) uint64 { return stats(s).Count }))
		for _, f := range statsFigures() {
			columns = append(columns, figured(name+f.name,
				func(s *record.Summary) record.Number { return f.of(stats(s)) }))
		}
	}
	return columns
}

type statsFigure struct {
	name string
	of   func(*record.Stats) record.Number
}

func statsFigures() []statsFigure {
	return []statsFigure{
		{"mean_s", func(s *record.Stats) record.Number { return s.Mean }},
		{"stddev_s", func(s *record.Stats) record.Number { return s.StdDev }},
		{"min_s", func(s *record.Stats) record.Number { return s.Min }},
		{"p50_s", func(s *record.Stats) record.Number { return s.P50 }},
		{"p90_s", func(s *record.Stats) record.Number { return s.P90 }},
		{"p95_s", func(s *record.Stats) record.Number { return s.P95 }},
		{"p99_s", func(s *record.Stats) record.Number { return s.P99 }},
		{"p99_9_s", func(s *record.Stats) record.Number { return s.P999 }},
		{"max_s", func(s *record.Stats) record.Number { return s.Max }},
	}
}

func usageColumns() []column[*Document] {
	return []column[*Document]{
		counted("connections_opened", func(s *record.Summary) uint64 { return s.Connections.Opened }),
		counted("connections_peak", func(s *record.Summary) uint64 { return s.Connections.Peak }),
		figured("in_flight_mean", func(s *record.Summary) record.Number { return s.InFlight.Mean }),
		figured("in_flight_little", func(s *record.Summary) record.Number { return s.InFlight.Little }),
		counted("in_flight_peak", func(s *record.Summary) uint64 { return s.InFlight.Peak }),
		counted("bytes_sent", func(s *record.Summary) uint64 { return s.Bytes.Sent }),
		counted("bytes_header", func(s *record.Summary) uint64 { return s.Bytes.Header }),
		counted("bytes_content", func(s *record.Summary) uint64 { return s.Bytes.Content }),
		{"client_cpu_s", func(d *Document) string { return number(d.Client.CPU) }},
		{"client_cpu_user_s", func(d *Document) string { return number(d.Client.CPUUser) }},
		{"client_cpu_system_s", func(d *Document) string { return number(d.Client.CPUSystem) }},
		{"client_cpu_cores", func(d *Document) string { return number(d.Client.Cores) }},
		{"client_available_cores", func(d *Document) string { return strconv.Itoa(d.Client.Available) }},
		{"client_rss_peak_bytes", func(d *Document) string { return whole(d.Client.RSSPeak) }},
	}
}

func counted(name string, of func(*record.Summary) uint64) column[*Document] {
	return column[*Document]{name, func(d *Document) string { return whole(of(&d.Summary)) }}
}

func figured(name string, of func(*record.Summary) record.Number) column[*Document] {
	return column[*Document]{name, func(d *Document) string { return number(of(&d.Summary)) }}
}
