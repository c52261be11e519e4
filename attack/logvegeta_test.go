package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// vegetaCommand builds vegeta's command in the version of its library that
// go.mod names. Its own modules are not in our go.sum, hence the install by version.
func vegetaCommand(ctx context.Context, t *testing.T) string {
	t.Helper()
	const module = "github.com/tsenart/vegeta/v12"
	version := run(ctx, t, nil, "go", "list", "-m", "-f", "{{.Version}}", module)
	dir := t.TempDir()
	run(ctx, t, []string{"GOBIN=" + dir, "GOFLAGS="}, "go", "install", module+"@"+strings.TrimSpace(string(version)))
	return filepath.Join(dir, "vegeta")
}

// run is the standard output of a command that must succeed.
func run(ctx context.Context, t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.Stderr = append(os.Environ(), env...), &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, &stderr)
	}
	return out
}

// vegetaReport is what is held of vegeta's JSON report.
type vegetaReport struct {
	Latencies struct{ Total, Mean, Max time.Duration }
	BytesIn   struct{ Total uint64 } `json:"bytes_in"`
	BytesOut  struct{ Total uint64 } `json:"bytes_out"`
	Earliest  time.Time
	Latest    time.Time
	Requests  uint64
	Codes     map[string]int `json:"status_codes"`
	Errors    []string
}

// vegetaPlan is a run with a warm-up, errors and an unsent request; want is its report.
func vegetaPlan(t *testing.T) (p *plan.Plan, taken []record.Outcome, want vegetaReport) {
	p = loggedPlan(t, 300)
	p.Warmup = plan.Seconds(100 * time.Millisecond)
	all := outcomes(p)
	for i := range all {
		o := &all[i]
		o.ContentBytes = 10
		o.Done = o.Due + 2*time.Millisecond
		switch {
		case i == 10+100:
			continue
		case i%50 == 49:
			o.Class, o.Status, o.Reason, o.ContentBytes = record.ConnectionRefused, 0, "connect: refused", 0
		case i%50 == 48:
			o.Status = 503
		}
		taken = append(taken, *o)
	}
	slices.Reverse(taken)
	want.Requests = 300
	want.Codes = map[string]int{"200": 287, "503": 6, "0": 7}
	want.Errors = []string{"503 Service Unavailable", "connrefused: connect: refused", "unsent"}
	want.BytesIn.Total, want.BytesOut.Total = 293*10, 150*5
	want.Latencies.Max = all[309].Done - all[110].Due
	want.Latencies.Total = 299*2*time.Millisecond + want.Latencies.Max
	want.Latencies.Mean = time.Duration(float64(want.Latencies.Total) / 300)
	want.Earliest, want.Latest = origin, origin.Add(all[309].Due)
	return p, taken, want
}

// The real commands read all three formats.
func TestVegetaReadsTheLog(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	vegeta := vegetaCommand(ctx, t)
	p, taken, want := vegetaPlan(t)
	for _, format := range logFormats {
		path := filepath.Join(t.TempDir(), "log."+format)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		writeLog(t, file, format, p, taken)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}

		var got vegetaReport
		if err := json.Unmarshal(run(ctx, t, nil, vegeta, "report", "--type", "json", path), &got); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got.Errors)
		if fault := differs(got, want); fault != "" {
			t.Errorf("%s: %s", format, fault)
		}
		if text := run(ctx, t, nil, vegeta, "report", path); !strings.Contains(string(text), "200:287") {
			t.Errorf("%s: the text report is\n%s", format, text)
		}
		if n := plotted(t, run(ctx, t, nil, vegeta, "plot", path)); n != 300 {
			t.Errorf("%s: the plot holds %d points, want 300", format, n)
		}
		encoded := run(ctx, t, nil, vegeta, "encode", "--to", "csv", path)
		if n := bytes.Count(encoded, []byte("\n")); n != 300 {
			t.Errorf("%s: encoded to %d lines of CSV", format, n)
		}
	}
}

// differs says in what a report is not the wanted one.
func differs(got, want vegetaReport) string {
	if !got.Earliest.Equal(want.Earliest) || !got.Latest.Equal(want.Latest) {
		return "the run is from " + got.Earliest.String() + " to " + got.Latest.String()
	}
	got.Earliest, got.Latest = want.Earliest, want.Latest
	a, _ := json.Marshal(got) // plain structs always marshal
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		return "the report is " + string(a) + ", want " + string(b)
	}
	return ""
}

func TestDiffersFindsDifferences(t *testing.T) {
	_, _, want := vegetaPlan(t)
	for _, spoil := range []func(*vegetaReport){
		func(r *vegetaReport) { r.Requests++ },
		func(r *vegetaReport) { r.Latest = r.Latest.Add(1) },
		func(r *vegetaReport) { r.Errors = r.Errors[1:] },
	} {
		got := want
		spoil(&got)
		if differs(got, want) == "" {
			t.Errorf("%+v passes for %+v", got, want)
		}
	}
	if fault := differs(want, want); fault != "" {
		t.Error(fault)
	}
}

var plotRows = regexp.MustCompile(`(?s)rowData = (\[.*?\]  \])`)

// plotted is the number of points in the page of vegeta's plot: of each row the
// first number is the time, one of the others is the latency.
func plotted(t *testing.T, page []byte) int {
	t.Helper()
	found := plotRows.FindSubmatch(page)
	if found == nil {
		t.Fatal("the page holds no points")
	}
	var rows [][]*float64
	if err := json.Unmarshal(found[1], &rows); err != nil {
		t.Fatal(err)
	}
	return len(rows)
}
