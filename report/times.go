package report

import (
	"bytes"
	"math"
	"strings"
	"time"

	"ratebench/attack/record"
)

// A timeRow is one distribution of a run, by its key in the document.
type timeRow struct {
	key     string
	stats   *record.Stats
	meaning string // for people, short
}

// timeRows are the distributions in the order of reports.
func timeRows(t *record.Times) []timeRow {
	return []timeRow{
		{"response", &t.Response, "due → last byte"},
		{"response_all", &t.ResponseAll, ""},
		{"service", &t.Service, "sent → last byte"},
		{"connect", &t.Connect, "TCP connect"},
		{"tls", &t.TLS, "TLS handshake"},
		{"wait", &t.Wait, "request → first byte"},
		{"transfer", &t.Transfer, "first → last byte"},
		{"send_lag", &t.SendLag, "due → sent: client late"},
		{"receive_lag", &t.ReceiveLag, "read late by the client"},
	}
}

// A quantile is a percentile of the table and the sample that it asks for.
type quantile struct {
	name string
	of   func(*record.Stats) record.Number
	need uint64 // 10/(1−q): fewer samples leave fewer than ten beyond it
}

func quantiles() []quantile {
	return []quantile{
		{"p50", func(s *record.Stats) record.Number { return s.P50 }, 20},
		{"p90", func(s *record.Stats) record.Number { return s.P90 }, 100},
		{"p99", func(s *record.Stats) record.Number { return s.P99 }, 1000},
		{"p99.9", func(s *record.Stats) record.Number { return s.P999 }, 10_000},
	}
}

// writeTimes writes the table of times, rows without samples left out but for
// the response, and what a reader must know of it.
func writeTimes(b *bytes.Buffer, d *Document) {
	t := table{timeHeader()}
	for _, row := range timeRows(&d.Summary.Time) {
		switch row.key {
		case "response_all":
			t = append(t, responseAllCells(d))
		case "response", "service":
			t = append(t, timeCells(row))
		default:
			if row.stats.Count > 0 {
				t = append(t, timeCells(row))
			}
		}
	}
	t.write(b)
	b.WriteString("response counts from when a request was due, service from when it was sent\n")
	if weak := weakPercentiles(&d.Summary.Time); weak != "" {
		b.WriteString(weak + "\n")
	}
}

func timeHeader() []string {
	header := []string{"time, ms", "min", "mean"}
	for _, q := range quantiles() {
		header = append(header, q.name)
	}
	return append(header, "max", "")
}

func timeCells(row timeRow) []string {
	s := row.stats
	cells := []string{timeLabel(row.key), millis(s.Min), millis(s.Mean)}
	for _, q := range quantiles() {
		cells = append(cells, weakMark(q, s)+millis(q.of(s)))
	}
	return append(cells, millis(s.Max), row.meaning)
}

func timeLabel(key string) string {
	if key == "response_all" {
		return "response (all)"
	}
	return strings.ReplaceAll(key, "_", " ")
}

// responseAllCells is the row in which failed requests rank above all replies:
// what falls among them is known only to be beyond the timeout, or not at all.
func responseAllCells(d *Document) []string {
	s := &d.Summary.Time.ResponseAll
	cells := timeCells(timeRow{key: "response_all", stats: s, meaning: "the same: no errors"})
	failed := s.Count - min(d.Summary.Time.Response.Count, s.Count)
	if failed == 0 && d.Summary.Aborted > 0 {
		cells[len(cells)-1] = "the same, aborted left out"
	}
	if failed == 0 {
		return cells
	}
	lost := "failed"
	if failed == d.Summary.Errors.ClientTimeout {
		lost = beyond(d.Plan.Timeout.Std())
	}
	for i, cell := range cells {
		if strings.HasSuffix(cell, "–") && i != 2 { // a mean over lost requests does not exist
			cells[i] = lost
		}
	}
	share := record.Ratio(float64(failed), float64(s.Count))
	cells[len(cells)-1] = percent(share) + " got no reply"
	return cells
}

// weakMark is the mark of a percentile that too few samples support.
func weakMark(q quantile, s *record.Stats) string {
	if s.Count < q.need && q.of(s).Defined() {
		return "~"
	}
	return ""
}

// weakPercentiles explains the mark if it is in the table.
func weakPercentiles(t *record.Times) string {
	for _, row := range timeRows(t) {
		for _, q := range quantiles() {
			if weakMark(q, row.stats) != "" {
				return "~ too few samples to rely on: p50 wants 20, p90 100, p99 1 000, p99.9 10 000"
			}
		}
	}
	return ""
}

// duration is a defined number of seconds as a time.Duration.
func duration(n record.Number) time.Duration {
	return time.Duration(math.Round(float64(n) * 1e9))
}
