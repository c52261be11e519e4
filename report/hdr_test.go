package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var hdrRow = regexp.MustCompile(`^ *([0-9]+\.[0-9]{3}) +([01]\.[0-9]{6}) +([0-9]+) +([0-9]+\.[0-9]{2}|inf)$`)

// TestHDR reads the distribution back: it rises to 100 %, ends at the number of
// replies, and its percentiles are the summary's.
func TestHDR(t *testing.T) {
	for _, name := range runNames() {
		d := loadRun(t, name)
		var b bytes.Buffer
		if err := WriteHDR(&b, d); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		var last, median float64
		var total string
		for _, line := range lines[2 : len(lines)-3] {
			m := hdrRow.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: row %q", name, line)
			}
			value, _ := strconv.ParseFloat(m[1], 64)
			if value < last {
				t.Errorf("%s: %v ms after %v ms", name, value, last)
			}
			if m[2] == "0.500000" {
				median = value
			}
			last, total = value, m[3]
		}
		if total != whole(d.Summary.Replies) {
			t.Errorf("%s: total %s, want %d replies", name, total, d.Summary.Replies)
		}
		r := &d.Summary.Time.Response
		footer := fmt.Sprintf("#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12d]\n#[Buckets = ",
			inMillis(r.Mean), inMillis(r.StdDev), inMillis(r.Max), r.Count)
		if !strings.Contains(b.String(), footer) {
			t.Errorf("%s: want the exact figures %q in\n%s", name, footer, strings.Join(lines[len(lines)-3:], "\n"))
		}
		if want := inMillis(d.Summary.Time.Response.P50); d.Summary.Replies > 1 && (median < want*0.999-0.001 || median > want*1.001+0.001) {
			t.Errorf("%s: median %v ms, the summary's is %v ms", name, median, want)
		}
	}
}

func TestHDRDamaged(t *testing.T) {
	d := loadRun(t, "steady")
	for text, want := range map[string]string{"": "missing", "AA==": "too short", "no base64": "illegal base64"} {
		d.Histograms["response"] = text
		if err := WriteHDR(io.Discard, d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("histogram %q: error %v, want %q", text, err, want)
		}
	}
}
