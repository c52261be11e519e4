package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ratebench/attack/record"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

// accounts are the counts of a run as they can be read from some format.
type accounts struct{ planned, replies, errors, aborted, unsent uint64 }

func (a accounts) check() error {
	if a.planned != a.replies+a.errors+a.aborted+a.unsent {
		return fmt.Errorf("planned ≠ replies + errors + aborted + unsent: %+v", a)
	}
	return nil
}

func accountsOf(s *record.Summary) accounts {
	return accounts{s.Planned, s.Replies, s.Errors.Total, s.Aborted, s.Unsent}
}

func TestAccountsCheckFails(t *testing.T) {
	if err := (accounts{planned: 4, replies: 1, errors: 1, aborted: 1, unsent: 1}).check(); err != nil {
		t.Error(err)
	}
	if err := (accounts{planned: 5, replies: 1, errors: 1, aborted: 1, unsent: 1}).check(); err == nil {
		t.Error("a lost request passed")
	}
}

// TestAccounts reads the counts back from every format of every run: they are
// the document's, and no request is lost.
func TestAccounts(t *testing.T) {
	for _, name := range runNames() {
		d := loadRun(t, name)
		want := accountsOf(&d.Summary)
		for format, read := range map[string]func(*testing.T, *Document, string) accounts{
			"text": textAccounts, "httperf": httperfAccounts, "json": jsonAccounts,
			"csv": csvAccounts, "csv-summary": summaryAccounts,
		} {
			write, err := Format(format)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := write(&b, d); err != nil {
				t.Fatal(err)
			}
			got := read(t, d, b.String())
			if err := got.check(); err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
			}
			if got != want {
				t.Errorf("%s as %s: accounts %+v, want %+v", name, format, got, want)
			}
		}
	}
}

var namedCount = regexp.MustCompile(`([a-z-]+) ([0-9]{1,3}(?: [0-9]{3})*)`)

// namedCounts are the counts of a line of the text report by the word before them.
func namedCounts(t *testing.T, text, label string) map[string]uint64 {
	t.Helper()
	counts := map[string]uint64{}
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, pad(label, labelWidth))
		if !found {
			continue
		}
		for _, m := range namedCount.FindAllStringSubmatch(rest, -1) {
			counts[m[1]] = parseCount(t, strings.ReplaceAll(m[2], " ", ""))
		}
	}
	return counts
}

func parseCount(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func textAccounts(t *testing.T, d *Document, text string) accounts {
	n := namedCounts(t, text, "requests")
	if n["sent"] != d.Summary.Sent {
		t.Errorf("text: sent %d, want %d", n["sent"], d.Summary.Sent)
	}
	classes := namedCounts(t, text, "errors")
	for _, c := range record.ErrorClasses() {
		if classes[c.String()] != d.Summary.Errors.Of(c) {
			t.Errorf("text: %v %d, want %d", c, classes[c.String()], d.Summary.Errors.Of(c))
		}
	}
	return accounts{n["planned"], n["replies"], n["errors"], n["aborted"], n["unsent"]}
}

// httperfAccounts takes from the document what httperf has no word for.
func httperfAccounts(t *testing.T, d *Document, text string) accounts {
	var sum uint64
	n := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?:^|[ =])([a-z-]+) ([0-9]+)`).FindAllStringSubmatch(after(text, "Errors: "), -1) {
		n[m[1]] = parseCount(t, m[2])
		if m[1] != "total" {
			sum += n[m[1]]
		}
	}
	if len(n) != 9 || sum != n["total"] {
		t.Errorf("httperf: eight classes add up to %d, total %d: %v", sum, n["total"], n)
	}
	var replies uint64
	for _, m := range regexp.MustCompile(`[1-5]xx=([0-9]+)`).FindAllStringSubmatch(text, -1) {
		replies += parseCount(t, m[1])
	}
	total := regexp.MustCompile(`replies ([0-9]+) `).FindStringSubmatch(text)
	if parseCount(t, total[1]) != replies {
		t.Errorf("httperf: statuses add up to %d, replies %s", replies, total[1])
	}
	return accounts{d.Summary.Planned, replies, n["total"], d.Summary.Aborted, d.Summary.Unsent}
}

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

func jsonAccounts(t *testing.T, _ *Document, text string) accounts {
	var d struct {
		Summary struct {
			Planned, Replies, Aborted, Unsent uint64
			Errors                            map[string]uint64
		}
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	s := d.Summary
	var sum uint64
	for _, n := range s.Errors {
		sum += n
	}
	if sum != 2*s.Errors["total"] {
		t.Errorf("json: classes add up to %d, total %d", sum-s.Errors["total"], s.Errors["total"])
	}
	return accounts{s.Planned, s.Replies, s.Errors["total"], s.Aborted, s.Unsent}
}

// csvAccounts holds the rule for every prefix of the series. Requests that were
// not due when a run was interrupted are in no second: planned and unsent lack them.
func csvAccounts(t *testing.T, d *Document, text string) accounts {
	var a accounts
	for _, row := range readCSV(t, text) {
		a.planned += parseCount(t, row["due"])
		a.replies += parseCount(t, row["replies"])
		a.errors += parseCount(t, row["errors"])
		a.aborted += parseCount(t, row["aborted"])
		a.unsent += parseCount(t, row["unsent"])
		inFlight := parseCount(t, row["in_flight"])
		if a.planned != a.replies+a.errors+a.aborted+a.unsent+inFlight {
			t.Errorf("csv: at t_s %s due ≠ replies + errors + aborted + unsent + in flight %d: %+v", row["t_s"], inFlight, a)
		}
		var classes uint64
		for name, cell := range row {
			if strings.HasPrefix(name, "errors_") {
				classes += parseCount(t, cell)
			}
		}
		if classes != parseCount(t, row["errors"]) {
			t.Errorf("csv: at t_s %s classes add up to %d, errors %s", row["t_s"], classes, row["errors"])
		}
	}
	notDue := d.Summary.Planned - a.planned
	if notDue > 0 && !d.Interrupted {
		t.Errorf("csv: %d of %d planned requests are due in no second", notDue, d.Summary.Planned)
	}
	a.planned, a.unsent = a.planned+notDue, a.unsent+notDue
	return a
}

func summaryAccounts(t *testing.T, _ *Document, text string) accounts {
	rows := readCSV(t, text)
	if len(rows) != 1 {
		t.Fatalf("csv-summary: %d rows, want 1", len(rows))
	}
	n := func(name string) uint64 { return parseCount(t, rows[0][name]) }
	var classes uint64
	for name := range rows[0] {
		if strings.HasPrefix(name, "errors_") && name != "errors_total" {
			classes += n(name)
		}
	}
	if classes != n("errors_total") {
		t.Errorf("csv-summary: classes add up to %d, total %d", classes, n("errors_total"))
	}
	return accounts{n("planned"), n("replies"), n("errors_total"), n("aborted"), n("unsent")}
}

// readCSV reads rows by the header's names; every row must have as many cells.
func readCSV(t *testing.T, text string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		if len(row) != len(lines[0]) {
			t.Fatalf("columns of one name: %q", lines[0])
		}
		rows = append(rows, row)
	}
	return rows
}
