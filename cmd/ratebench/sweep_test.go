package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report"
)

// offered are the rates of plans in order.
func offered(plans []*plan.Plan) string {
	var rates []string
	for _, p := range plans {
		rates = append(rates, fmt.Sprintf("%v.%d", p.Rate, p.Seed))
	}
	return strings.Join(rates, " ")
}

func TestSweepOffersEachRate(t *testing.T) {
	for args, want := range map[string]string{
		"--from 100 --to 400 --step 100":           "100.1 200.1 300.1 400.1",
		"--from 100 --to 400 --step 50":            "100.1 150.1 200.1 250.1 300.1 350.1 400.1",
		"--from 100 --to 225 --factor 1.5":         "100.1 150.1 225.1",
		"--rates 300,100,400":                      "300.1 100.1 400.1",
		"--rates 300,100,400 --order up":           "100.1 300.1 400.1",
		"--from 1 --to 3 --step 1 --order down":    "3.1 2.1 1.1",
		"--rates 30/m,2 --repeat 2 --seed 7":       "0.5.7 2.7 0.5.8 2.8",
		"--from 1 --to 1 --step 1 --order up -4":   "1.1",
		"--rates=5,5 --objective p99<9s -X DELETE": "5.1 5.1",
	} {
		e := &engine{run: good()}
		r := command(t, e, append(append([]string{"sweep", "--pause", "0"}, strings.Fields(args)...), url)...)
		if r.status != exitDone || r.stderr != "" || offered(e.plans) != want {
			t.Errorf("%s: status %d, %s; offers %s, want %s", args, r.status, r.stderr, offered(e.plans), want)
		}
	}
}

// good is a run that meets objectives.
func good() *record.Run {
	p := plannedFor("100", func(p *plan.Plan) { p.URL = url })
	return queued(p, time.Millisecond)
}

func TestSweepRefuses(t *testing.T) {
	for args, want := range map[string][]string{
		"sweep URL": {"which rates? want --from, --to and --step, or --rates", "want one of --step and --factor"},
		"sweep --rates 4,x --order no --repeat 0 --pause -1s --timeout 0 -o a.docx --bogus ftp://x": {
			"unknown option --bogus",
			`--rates: "x" is not a rate: want 300, 0.5, 2.5/s or 30/m`,
			`--repeat "0": want a whole number from 1 to 10000`,
			`--order "no": want up, down or shuffled`,
			"--pause -1s: must not be negative",
			"its ending names no format",
			"--timeout 0s",
			`URL "ftp://x"`},
		"sweep --from 3 --to 2 --step 1 URL": {"--from 3 is above --to 2"},
		"sweep --from --to 2 --step 1 URL":   {"--from: its value is missing"},
		"sweep --rates 1":                    {"a URL or --targets is missing"},
		"sweep --rates 1 URL URL":            {"surplus argument"},
		"sweep --rates 1 --rate 5 URL":       {"unknown option --rate (did you mean --rates?)", "--rates: given twice"},
		"sweep --rates 1 --order given URL":  {"--order"},
		"sweep --rates 1 --factor x URL":     {`--factor "x"`},
		"sweep --rates 1 --objective p99<1s --objective p99<2s --objective bad URL": {
			`objective "p99<2s": limits p99, as "p99<1s" does`, `objective "bad": no comparison`},
		"capacity --objective reply_rate>=5 --max 5 --trial 0 --log a.csv URL": {
			"unknown option --log (of a single run: the other commands keep no log of each request)", "--trial 0: must be above 0", "the highest rate 5 is below the lowest, 10", "a search tries lower rates too"},
		"capacity --format autobench --from x URL": {`--from "x" is not a rate`, "want text, json"},
		"capacity": {"a URL or --targets is missing"},
	} {
		e := &engine{}
		r := command(t, e, words(args)...)
		if r.status != exitUsage || r.stdout != "" || len(e.plans) > 0 {
			t.Errorf("%s: %+v, %d runs", args, r, len(e.plans))
		}
		for _, part := range want {
			if !strings.Contains(r.stderr, part) {
				t.Errorf("%s: %q is not in\n%s", args, part, r.stderr)
			}
		}
		if n := strings.Count(r.stderr, "\n"); n != len(want) {
			t.Errorf("%s: %d lines, want %d:\n%s", args, n, len(want), r.stderr)
		}
	}
}

// sweptTo runs a sweep that writes a document, and reads it.
func sweptTo(t *testing.T, w *worker, ctx context.Context, args ...string) (result, *report.Sweep) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.json")
	r := against(t, ctx, w, append([]string{"sweep", "-o", path}, args...)...)
	return r, sweepIn(t, path)
}

func sweepIn(t *testing.T, path string) *report.Sweep {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved, err := report.ReadSaved(path, f)
	if err != nil || saved.Sweep == nil {
		t.Fatalf("%v, %+v", err, saved)
	}
	return saved.Sweep
}

func TestSweepStatus(t *testing.T) {
	invalid := func(n int, r *record.Run) {
		if n == 2 {
			r.Verdict.Add(record.Finding{Code: "x", Text: "the client is full", Status: record.Invalid})
		}
	}
	silent := func(_ int, r *record.Run) {
		r.Summary.Unsent, r.Summary.Replies = r.Summary.Planned, 0
		r.Summary.Sent, r.Summary.Time, r.Histograms = 0, record.Times{}, nil
	}
	for name, c := range map[string]struct {
		spoil  func(int, *record.Run)
		status int
		line   string
	}{
		"missed":   {nil, exitMissed, "objectives missed in 1 of 3 runs, first at 400/s: p99<100ms missed: "},
		"invalid":  {invalid, exitInvalid, "1 of 3 runs INVALID, the first at 200/s: the client is full"},
		"nothing":  {silent, exitFailed, "nothing answered in any of 3 runs"},
		"as asked": {func(_ int, r *record.Run) { *r = *good() }, exitDone, ""},
	} {
		w := &worker{capacity: 250, spoil: c.spoil}
		r := against(t, context.Background(), w, "sweep", "--pause", "0", "--rates", "100,200,400", "--duration", "2", "--objective", "p99<100ms", url)
		if r.status != c.status || !strings.HasPrefix(r.stderr, strings.TrimRight("ratebench: "+c.line, " ")) && c.line != "" {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
		if !strings.HasPrefix(r.stdout, "sweep of GET "+url) {
			t.Errorf("%s: no report: %s", name, r.stdout)
		}
	}
}

// A run that cannot begin ends the sweep; what was done is reported all the same.
func TestSweepKeepsWhatWasDone(t *testing.T) {
	e := &engine{run: good()}
	e.during = func(context.Context, attack.Hooks) {
		if len(e.plans) == 3 {
			e.run, e.err = nil, usageError{errors.New("web1: no such host")}
		}
	}
	path := filepath.Join(t.TempDir(), "s.json")
	r := command(t, e, "sweep", "--pause", "0", "--rates", "1,2,3,4", "-o", path, url)
	if r.status != exitFailed || r.stderr != "ratebench: ended early, after 2 of 4 runs: web1: no such host\n" {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if s := sweepIn(t, path); len(s.Runs) != 2 || s.Failure != "web1: no such host" || s.Interrupted {
		t.Errorf("%d runs, failure %q", len(s.Runs), s.Failure)
	}
	first := &engine{err: usageError{errors.New("web1: no such host")}}
	if r := command(t, first, "sweep", "--rates", "1,2", url); r.status != exitUsage || r.stdout != "" {
		t.Errorf("a sweep that cannot begin: %+v", r)
	}
}

// An interrupt in a run keeps that too; one in a pause, what was before it.
func TestSweepInterrupted(t *testing.T) {
	for _, during := range []string{"a run", "a pause"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		w := &worker{capacity: 250}
		w.spoil = func(n int, r *record.Run) {
			if n == 2 {
				cancel(interrupt{syscall.SIGTERM})
				r.Interrupted = during == "a run"
			}
		}
		r, s := sweptTo(t, w, ctx, "--pause", "10ms", "--rates", "50,60,70,80", "--duration", "1", url)
		if r.status != 143 || len(s.Runs) != 2 || !s.Interrupted || s.Failure != "" || len(w.plans) != 2 {
			t.Errorf("%s: status %d, %d runs, interrupted %v, failure %q", during, r.status, len(s.Runs), s.Interrupted, s.Failure)
		}
		if !strings.Contains(r.stderr, "interrupted (SIGTERM): the report covers what was done until then") || !strings.Contains(r.stdout, "INTERRUPTED") {
			t.Errorf("%s: %s, %s", during, r.stderr, r.stdout)
		}
	}
}

// RC-112: what a run has given up is told of the next, and the pause lasts as long
// as the server needs for it.
func TestSweepTellsWhatIsLeftOver(t *testing.T) {
	r, s := sweptTo(t, &worker{capacity: 250}, context.Background(),
		"--rates", "100,300,100", "--duration", "2.4", "--timeout", "300ms", url)
	if s.Runs[1].LeftOver != 0 || s.Runs[2].LeftOver == 0 || s.Runs[2].LeftOver != s.Runs[1].Run.Summary.Errors.ClientTimeout {
		t.Errorf("left over %d and %d", s.Runs[1].LeftOver, s.Runs[2].LeftOver)
	}
	if d := s.Runs[1].Pause; d < plan.Seconds(time.Second) || s.Runs[0].Pause != 0 || s.Runs[2].Pause < d {
		t.Errorf("pauses %v, %v, %v", s.Runs[0].Pause, d, s.Runs[2].Pause)
	}
	if !strings.Contains(r.stdout, "left over") || !strings.Contains(r.stdout, "on which the server may have worked still") {
		t.Errorf("the report says nothing of it:\n%s", r.stdout)
	}
}

// A report of a saved sweep is the one that was printed.
func TestSavedSweepIsPrintedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	for _, format := range []string{"text", "json", "csv", "autobench"} {
		first := against(t, context.Background(), &worker{capacity: 250}, "sweep", "--pause", "0", "--rates", "50,60", "--duration", "1", "-o", path, "--format", format, url)
		if why := printed(command(t, &engine{}, "report", path, "--format", format), first.stdout); first.status != exitDone || why != "" {
			t.Errorf("%s: status %d, %s", format, first.status, why)
		}
	}
	e := &engine{}
	if why := refusal(e, command(t, e, "report", path, recorded("steady")), recorded("steady")+": a run cannot stand beside the sweep in "+path); why != "" {
		t.Error(why)
	}
}

func TestObjectivesOfARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	run := func(args ...string) (result, report.Document) {
		r := against(t, context.Background(), &worker{capacity: 250}, append(append([]string{"-o", path, "--duration", "2"}, args...), url)...)
		return r, readDocument(t, path, r)
	}
	r, d := run("--rate", "100", "--objective", "p99<100ms", "--objective", "errors<0.1%")
	if r.status != exitDone || len(d.Objectives) != 2 || !d.Objectives[0].Met || d.Objectives[0].Text != "p99<100ms" || d.Objectives[0].Limit != 0.1 {
		t.Errorf("met: status %d, %s, %+v", r.status, r.stderr, d.Objectives)
	}
	if !strings.Contains(r.stdout, "objectives   p99<100ms held: ") {
		t.Errorf("the text says nothing of it:\n%s", r.stdout)
	}
	r, d = run("--rate", "400", "--objective", "p99<100ms", "--objective", "cpu_per_reply<1ms")
	if r.status != exitMissed || d.Objectives[0].Met || d.Objectives[1].Met || d.Objectives[1].Value.Defined() {
		t.Errorf("missed: status %d, %+v", r.status, d.Objectives)
	}
	if want := "cpu_per_reply<1ms missed: no value\n"; !strings.HasPrefix(r.stderr, "ratebench: objective p99<100ms missed: ") || !strings.HasSuffix(r.stderr, want) {
		t.Errorf("said: %s", r.stderr)
	}
	var members struct {
		Objectives []map[string]any
	}
	if err := json.Unmarshal([]byte(textOf(t, path)), &members); err != nil || members.Objectives[1]["value"] != nil || members.Objectives[1]["met"] != false {
		t.Errorf("%v, %v", members, err)
	}
	if why := printed(command(t, &engine{}, "report", path), r.stdout); why != "" {
		t.Error(why)
	}
	if r = against(t, context.Background(), &worker{capacity: 250, client: 1}, "--rate", "400", "--objective", "p99<100ms", url); r.status != exitInvalid {
		t.Errorf("INVALID is graver: status %d", r.status)
	}
}
