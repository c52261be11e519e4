package main

import (
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratebench/attack/testserver"
	"ratebench/report"
)

// Overload and faults as the command reports them: one document, and every format
// of it has the same counts. 60/s are offered to 50/s, as 600/s to 500/s would be.

// troubled are servers that leave a run with counts of every kind.
func troubled() map[string]testserver.Config {
	const service = 20 * time.Millisecond
	return map[string]testserver.Config{
		"endless queue": {Workers: 1, ServiceTime: service},
		"queue limit":   {Workers: 1, ServiceTime: service, Queue: 5},
		"drops closed":  {Workers: 1, ServiceTime: service, DropClosed: true},
		"mix": {Fail: map[testserver.Failure]float64{
			testserver.FailReset: 0.2, testserver.FailHang: 0.2, testserver.FailStatus: 0.2, testserver.FailTruncate: 0.1,
		}},
	}
}

// RC-028: the counts are the same in every format. What an engine does has no part
// in that, so each server meets one of the two.
func TestCountsAreTheSameInEveryFormat(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(troubled())) {
		engine := bothEngines()[i%2]
		t.Run(name+" "+engine, func(t *testing.T) { everyFormat(t, troubled()[name], engine) })
	}
}

func everyFormat(t *testing.T, config testserver.Config, engine string) {
	s, err := testserver.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	m := measure(t, "--engine", engine, "--rate", "60", "--duration", "2.5s", "--timeout", "0.3",
		"-o", filepath.Join(dir, "r.httperf"), "-o", filepath.Join(dir, "r.csv"), "-o", filepath.Join(dir, "r.summary.csv"), s.URL())
	if m.status != exitDone {
		t.Errorf("status %d, %s", m.status, m.stderr)
	}
	want := countsOfDocument(&m.Document)
	if want["planned"] != 150 || want["client-timo"]+want["5xx"]+want["connreset"] == 0 {
		t.Errorf("the run has no trouble to tell of: %v", want)
	}
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for format, got := range map[string]map[string]uint64{
		"text": countsOfText(m.stdout), "httperf": countsOfHTTPerf(read("r.httperf")),
		"csv": countsOfIntervals(t, read("r.csv")), "summary": countsOfSummary(t, read("r.summary.csv")),
	} {
		if len(got) < 6 {
			t.Errorf("%s: only %v found", format, got)
		}
		if why := differing(got, want); why != "" {
			t.Errorf("%s: %s", format, why)
		}
	}
}

// differing names the counts that are not those wanted; both may lack some.
func differing(got, want map[string]uint64) string {
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if n, known := want[key]; !known || n != got[key] {
			lines = append(lines, key+" is "+strconv.FormatUint(got[key], 10)+", want "+strconv.FormatUint(n, 10))
		}
	}
	return strings.Join(lines, "; ")
}

func TestDifferingTellsADifference(t *testing.T) {
	want := map[string]uint64{"a": 1, "b": 2}
	if why := differing(map[string]uint64{"a": 1}, want); why != "" {
		t.Error(why)
	}
	if differing(map[string]uint64{"a": 2}, want) == "" || differing(map[string]uint64{"c": 0}, want) == "" {
		t.Error("a difference passes")
	}
}

// countsOfDocument are all counts by the names that the other formats share.
func countsOfDocument(d *report.Document) map[string]uint64 {
	s := &d.Summary
	counts := map[string]uint64{
		"planned": s.Planned, "sent": s.Sent, "replies": s.Replies, "errors": s.Errors.Total, "unsent": s.Unsent,
		"client-timo": s.Errors.ClientTimeout, "connreset": s.Errors.ConnectionReset, "truncated": s.Errors.Truncated,
		"connreset or truncated": s.Errors.ConnectionReset + s.Errors.Truncated,
		"2xx":                    s.Status["200"], "5xx": s.Status["500"] + s.Status["503"],
	}
	for phase, n := range s.TimeoutPhase {
		counts["in "+phase] = n
	}
	return counts
}

// numbers reads what patterns find; each has one group, blanks in a number are left out.
func numbers(text string, patterns map[string]string) map[string]uint64 {
	counts := map[string]uint64{}
	for key, pattern := range patterns {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
			counts[key], _ = strconv.ParseUint(m[1], 10, 64)
		}
	}
	return counts
}

func countsOfText(text string) map[string]uint64 {
	return numbers(text, map[string]string{
		"planned": `planned (\d+)`, "sent": `planned \d+ +sent (\d+)`, "replies": `(?m)^requests .*replies (\d+)`,
		"errors": `(?m)^requests .*errors (\d+)`, "unsent": `unsent (\d+)`,
		"client-timo": `client-timo (\d+)`, "connreset": `connreset (\d+)`, "truncated": `truncated (\d+)`,
		"in wait": `\(.*wait (\d+)`, "in connect": `\(.*connect (\d+)`, "in transfer": `\(.*transfer (\d+)`,
		"2xx": `200 × (\d+)`, "5xx": `50[03] × (\d+)`,
	})
}

func countsOfHTTPerf(text string) map[string]uint64 {
	return numbers(text, map[string]string{
		"sent": `requests (\d+)`, "replies": `replies (\d+)`, "errors": `Errors: total (\d+)`, "client-timo": `client-timo (\d+)`,
		"connreset or truncated": `connreset (\d+)`, "2xx": `2xx=(\d+)`, "5xx": `5xx=(\d+)`,
	})
}

// columns adds up the columns of a table of whole numbers, under their headings.
func columns(t *testing.T, text string) map[string]uint64 {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	sums := map[string]uint64{}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if n, err := strconv.ParseUint(cell, 10, 64); err == nil {
				sums[rows[0][i]] += n
			}
		}
	}
	return sums
}

func countsOfIntervals(t *testing.T, text string) map[string]uint64 {
	t.Helper()
	sums := columns(t, text)
	return map[string]uint64{
		"planned": sums["due"], "sent": sums["sent"], "replies": sums["replies"], "errors": sums["errors"], "unsent": sums["unsent"],
		"client-timo": sums["errors_client_timeout"], "connreset": sums["errors_connection_reset"], "truncated": sums["errors_truncated"],
	}
}

func countsOfSummary(t *testing.T, text string) map[string]uint64 {
	t.Helper()
	sums := columns(t, text)
	counts := map[string]uint64{
		"planned": sums["planned"], "sent": sums["sent"], "replies": sums["replies"], "errors": sums["errors_total"], "unsent": sums["unsent"],
		"client-timo": sums["errors_client_timeout"], "connreset": sums["errors_connection_reset"], "truncated": sums["errors_truncated"],
		"2xx": sums["status_2xx"], "5xx": sums["status_5xx"],
	}
	for _, phase := range []string{"queued", "connect", "tls", "wait", "transfer"} {
		counts["in "+phase] = sums["client_timeout_phase_"+phase]
	}
	return counts
}
