package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
)

// queueRun is a simulated run against one worker of 250/s that goes on with the
// work of clients that have given up, which they do after half a second.
func queueRun(rate string, total, seed uint64) *Document {
	s := newSimulation(rate, total)
	s.plan.Seed, s.plan.Timeout = seed, plan.Seconds(500*time.Millisecond)
	free := time.Duration(0)
	for n := range s.plan.Total {
		o := s.begin(n)
		free = max(free, written(&o)) + 4*time.Millisecond
		if limit := o.Due + s.plan.Timeout.Std(); free >= limit {
			s.fail(o, limit, record.ClientTimeout, record.Wait, "timed out")
			continue
		}
		s.reply(o, free-written(&o), 200)
	}
	d := s.document()
	server := noServer("local")
	server.Name, server.Source = "worker", "process times"
	server.Cores, server.CPUPerReply, server.CPUPerReplyPrecision = min(d.Summary.ReplyRate.Mean*0.002, 1), 0.002, 0.0001
	server.Samples = []ServerSample{}
	d.Server, d.Hosts = []Server{server}, []Host{}
	return d
}

// kneeSweep overloads the server, then looks at it again, and asks too much of the client.
func kneeSweep() *Sweep {
	s := &Sweep{Schema: SweepSchema, StartedAt: time.Date(2026, 11, 30, 18, 12, 2, 0, time.UTC), Version: "1.0.0"}
	s.Steps = search.Steps{Order: search.Given, Repeat: 1}
	for i, c := range []struct {
		rate  string
		total uint64
	}{{"100", 200}, {"200", 400}, {"300", 1200}, {"100", 200}, {"1000", 1500}} {
		d := queueRun(c.rate, c.total, 1)
		p99, _ := plan.ParseObjective("p99<100ms")
		AddObjectives(d, []plan.Objective{p99})
		r := SweepRun{Pass: 1, Run: d}
		if i > 0 {
			last := &s.Runs[i-1].Run.Summary
			r.Pause, r.LeftOver = search.Settle(last), search.LeftOver(last)
		}
		s.Steps.Rates = append(s.Steps.Rates, d.Plan.Rate)
		s.Runs = append(s.Runs, r)
	}
	s.Runs[4].Run.Verdict.Add(record.Finding{
		Code: "send_lag", Text: "the client started requests late: p99 9.31 ms, limit 1 ms", Value: 0.00931, Limit: 0.001, Status: record.Invalid})
	return s
}

// shortSearch is a search of few trials of that server.
func shortSearch(t testing.TB) *Capacity {
	goal := search.Quick()
	goal.From, _ = plan.ParseRate("100")
	goal.Width, goal.Coarse, goal.BestDecide = 0.5, 0.5, 1
	second := plan.Seconds(time.Second)
	goal.Lengths = search.Lengths{Sentinel: second, Ramp: second, Narrow: second, Decide: 2 * second, Overload: second}
	state, err := search.New(goal)
	if err != nil {
		t.Fatal(err)
	}
	c := &Capacity{Schema: CapacitySchema, StartedAt: time.Date(2026, 11, 30, 18, 12, 2, 0, time.UTC), Version: "1.0.0", Search: state}
	p99, _ := plan.ParseObjective("p99<100ms")
	if c.Criteria, err = search.Criteria([]plan.Objective{p99}); err != nil {
		t.Fatal(err)
	}
	for {
		trial, more := state.Next()
		if !more {
			break
		}
		d := queueRun(trial.Rate.String(), trial.Rate.Before(trial.Length.Std()), trial.Seed)
		c.Runs = append(c.Runs, CapacityRun{Trial: trial.Number, Pause: second, Run: d})
		cpu, within := CPUPerReply(d)
		run := &record.Run{Summary: d.Summary, Verdict: d.Verdict, Intervals: d.Intervals}
		if err := state.Record(search.Judge(trial, run, c.Criteria, cpu, within)); err != nil {
			t.Fatal(err)
		}
	}
	c.Answer = state.Answer()
	return c
}

func sweepPath(name string) string { return filepath.Join("..", "testdata", "sweeps", name) }

// saved compares what print writes with a file of testdata/sweeps, or writes it
// under -update.
func saved(t *testing.T, name string, print func(w io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := print(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(sweepPath(name), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, sweepPath(name), b.Bytes())
}

func readSaved(t *testing.T, name string) *Saved {
	t.Helper()
	f, err := os.Open(sweepPath(name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := ReadSaved(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSweepGoldens records a sweep and renders what was recorded.
func TestSweepGoldens(t *testing.T) {
	if *update {
		saved(t, "knee.json", func(w io.Writer) error { return WriteSweepJSON(w, kneeSweep()) })
	}
	s := readSaved(t, "knee.json")
	if s.Kind() != "sweep" {
		t.Fatalf("read as a %s", s.Kind())
	}
	for _, f := range sweepFormats() {
		if f.ending == ".txt" || f.ending == ".json" || f.ending == ".csv" || f.ending == ".tsv" {
			saved(t, "knee"+f.ending, func(w io.Writer) error { return f.write(w, s.Sweep) })
		}
	}
}

func TestCapacityGoldens(t *testing.T) {
	if *update {
		saved(t, "search.json", func(w io.Writer) error { return WriteCapacityJSON(w, shortSearch(t)) })
	}
	s := readSaved(t, "search.json")
	if s.Kind() != "capacity search" {
		t.Fatalf("read as a %s", s.Kind())
	}
	for _, f := range capacityFormats() {
		if f.ending == ".txt" || f.ending == ".json" || f.ending == ".csv" {
			saved(t, "search"+f.ending, func(w io.Writer) error { return f.write(w, s.Capacity) })
		}
	}
}

// bench2graph takes the first column for x and each blank-separated one for a file's name.
func TestAutobenchColumns(t *testing.T) {
	var b bytes.Buffer
	if err := WriteAutobench(&b, readSaved(t, "knee.json").Sweep); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	names := strings.Fields(lines[0])
	want := "dem_req_rate req_rate_127.0.0.1 con_rate_127.0.0.1 min_rep_rate_127.0.0.1 avg_rep_rate_127.0.0.1 max_rep_rate_127.0.0.1 " +
		"stddev_rep_rate_127.0.0.1 resp_time_127.0.0.1 net_io_127.0.0.1 errors_127.0.0.1"
	if strings.Join(names, " ") != want {
		t.Errorf("columns %q", names)
	}
	var rates []string
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) != 10 || len(strings.Split(line, "\t")) != 10 {
			t.Errorf("%d cells: %q", len(cells), line)
		}
		rates = append(rates, cells[0])
	}
	if !slices.Equal(rates, []string{"100", "100", "200", "300", "1000"}) {
		t.Errorf("rates %q", rates)
	}
}

// The last run was spoilt by the client and the one before it met what another
// had left; neither says anything against what the server can serve.
func TestServed(t *testing.T) {
	s := readSaved(t, "knee.json").Sweep
	if got, want := s.served(), "served up to 200/s; at 300/s missed p99<100ms"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s.Runs = s.Runs[:2]
	if got := s.served(); got != "served up to 200/s, and no limit was found" {
		t.Error(got)
	}
	s.Runs = []SweepRun{kneeSweep().Runs[2]}
	if got := s.served(); !strings.HasPrefix(got, "not served even at 300/s: missed ") {
		t.Error(got)
	}
	s.Runs[0].Run.Interrupted = true
	if got := s.served(); got != "no run tells what the server can serve" {
		t.Error(got)
	}
}

// RC-115: an INVALID run is shown, and is part of no median.
func TestMediansLeaveInvalidRunsOut(t *testing.T) {
	s := &Sweep{Steps: search.Steps{Repeat: 4}}
	for pass, mean := range []record.Number{100, 90, 1, 98} {
		d := queueRun("100", 200, 1)
		d.Summary.ReplyRate.Mean = mean
		if pass == 2 {
			d.Verdict.Status = record.Invalid
		}
		s.Runs = append(s.Runs, SweepRun{Pass: pass + 1, Run: d})
	}
	at := s.byRate()
	if len(at) != 1 || at[0].all != 4 || len(at[0].good) != 3 {
		t.Fatalf("%+v", at)
	}
	least, median, most := spread(at[0].good, func(d *Document) record.Number { return d.Summary.ReplyRate.Mean })
	if least != 90 || median != 98 || most != 100 {
		t.Errorf("least %v, median %v, most %v", least, median, most)
	}
	at[0].good[0].Summary.ReplyRate.Mean = record.Undefined() // the same run as s.Runs[0]
	if _, median, most = spread(at[0].good, func(d *Document) record.Number { return d.Summary.ReplyRate.Mean }); median != 98 || most.Defined() {
		t.Errorf("median %v, most %v with one that has no value", median, most)
	}
	if _, median, _ = spread(nil, nil); median.Defined() {
		t.Errorf("median %v of nothing", median)
	}
}

func TestSavedFormats(t *testing.T) {
	for file, good := range map[string]bool{"a.TSV": true, "b.json": true, "c.csv": true, "d.txt": true, "e.hdr": false, "f": false} {
		if _, err := SweepFormatOf(file); (err == nil) != good {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := CapacityFormat("autobench"); err == nil || !strings.Contains(err.Error(), `format "autobench": want text, json`) {
		t.Errorf("%v", err)
	}
}

// RC-116: damaged documents are refused in one line with the place.
func TestReadSavedRefuses(t *testing.T) {
	text, err := os.ReadFile(sweepPath("knee.json"))
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	for _, c := range []struct{ what, text, want string }{
		{"half", whole[:len(whole)/2], "f:"},
		{"a later version", `{"schema": "ratebench.sweep/v2"}`, `schema "ratebench.sweep/v2": want ratebench.run/v1`},
		{"no runs", strings.Replace(whole, `"runs": [`, `"runs": [], "was": [`, 1), "f:1:1: the document: additional properties 'was' not allowed"},
		{"a request lost", strings.Replace(whole, `"unsent": 0`, `"unsent": 1`, 1), "f: run 1: accounts: planned 200 ≠"},
		{"a member of a run", strings.Replace(whole, `"aborted": 0,`, ``, 1), "runs.0.run.summary: missing property 'aborted'"},
		{"a rate too few", strings.Replace(whole, `"order": "given"`, `"order": "odd"`, 1), "steps.order"},
	} {
		_, err := ReadSaved("f", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
	}
}

func TestSweepCSVHasARowForEachRun(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSweepCSV(&b, readSaved(t, "knee.json").Sweep); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	status := slices.Index(rows[0], "verdict_status")
	if rows[5][status] != "invalid" || rows[4][slices.Index(rows[0], "left_over")] == "0" {
		t.Errorf("%q", rows[4:])
	}
}
