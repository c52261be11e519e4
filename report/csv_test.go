package report

import (
	"bytes"
	"strings"
	"testing"

	"ratebench/attack/record"
)

// TestCSVKeepsTexts plays RC-061: commas, quotes, line breaks and a leading =
// come back as they were.
func TestCSVKeepsTexts(t *testing.T) {
	d := loadRun(t, "hostile")
	d.Environment.Server.Software = "=1+1,\"x\"\nsecond;line\t\x1b[2J"
	var b bytes.Buffer
	if err := WriteSummaryCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	row := readCSV(t, b.String())[0]
	for name, want := range map[string]string{
		"url": d.Plan.URL, "server_software": d.Environment.Server.Software, "version": "=1+1",
		"statuses": "000=50 200=350 302=50 404=125 503=100 999=125", "verdict_status": "suspect",
	} {
		if row[name] != want {
			t.Errorf("%s: %q, want %q", name, row[name], want)
		}
	}
}

func TestCSVWithoutRows(t *testing.T) {
	d := loadRun(t, "steady")
	d.Intervals = nil
	var b bytes.Buffer
	if err := WriteCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "t_s,due,") || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("want the header alone, got %q", b.String())
	}
	b.Reset()
	if err := WriteSummariesCSV(&b, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Errorf("want the header alone, got %q", b.String())
	}
}

func TestSummariesCSV(t *testing.T) {
	var all []*Document
	for _, name := range runNames() {
		all = append(all, loadRun(t, name))
	}
	var b bytes.Buffer
	if err := WriteSummariesCSV(&b, all); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, b.String())
	if len(rows) != len(all) {
		t.Fatalf("%d rows, want %d", len(rows), len(all))
	}
	for i, d := range all {
		if rows[i]["planned"] != whole(d.Summary.Planned) {
			t.Errorf("row %d: planned %s, want %d", i, rows[i]["planned"], d.Summary.Planned)
		}
	}
}

func TestUndefinedIsEmpty(t *testing.T) {
	if got := number(record.Undefined()); got != "" {
		t.Errorf("undefined is %q, want an empty cell", got)
	}
	if got := number(0); got != "0" {
		t.Errorf("0 is %q", got)
	}
	row := func() map[string]string {
		var b bytes.Buffer
		if err := WriteSummaryCSV(&b, loadRun(t, "all-refused")); err != nil {
			t.Fatal(err)
		}
		return readCSV(t, b.String())[0]
	}()
	for name, want := range map[string]string{"time_response_p99_s": "", "time_response_count": "0", "time_response_all_count": "500", "time_response_all_p50_s": ""} {
		if row[name] != want {
			t.Errorf("%s: %q, want %q", name, row[name], want)
		}
	}
}
