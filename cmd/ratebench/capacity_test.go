package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/report"
)

// searchedIn reads a saved search.
func searchedIn(t testing.TB, path string) *report.Capacity {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	saved, err := report.ReadSaved(path, f)
	if err != nil || saved.Capacity == nil {
		t.Fatalf("%v, %+v", err, saved)
	}
	return saved.Capacity
}

// searched runs a capacity search that writes a document, and reads it.
func searched(t *testing.T, w *worker, args ...string) (result, *report.Capacity) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.json")
	args = append([]string{"capacity", "-o", path, "--pause", "0"}, append(args, url)...)
	r := against(t, context.Background(), w, args...)
	return r, searchedIn(t, path)
}

func TestCapacityIsFound(t *testing.T) {
	w := &worker{capacity: 500}
	r, c := searched(t, w, "--from", "50", "--trial", "6", "--objective", "p99<100ms", "--timeout", "2")
	a := &c.Answer
	if r.status != exitDone || a.Outcome != search.Found || !a.Confirmed {
		t.Fatalf("status %d, %s, %+v", r.status, r.stderr, a)
	}
	if a.Passes < 475 || a.Passes > 515 || a.Fails <= a.Passes || float64(a.Fails) > 1.03*float64(a.Passes) {
		t.Errorf("found [%v, %v), want 500", a.Passes, a.Fails)
	}
	if len(a.Beyond) != 2 || a.Behaviour == "" || len(c.Runs) != len(c.Search.Trials) || len(c.Runs) != len(w.plans) {
		t.Errorf("%+v, %d runs of %d trials", a.Beyond, len(c.Runs), len(c.Search.Trials))
	}
	for _, want := range []string{"criteria     p99<100ms   goodput>=99%   errors<=0.1%", "answer       capacity ", "sentinel", "missed p99<100ms"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%q is not in\n%s", want, r.stdout)
		}
	}
}

func TestCapacityStatus(t *testing.T) {
	late := func(_ int, r *record.Run) {
		if r.Summary.Planned > 10_000 {
			r.Verdict.Add(record.Finding{Code: "send_lag", Text: "late", Status: record.Invalid})
		}
	}
	always := func(_ int, r *record.Run) {
		r.Verdict.Add(record.Finding{Code: "send_lag", Text: "late", Status: record.Invalid})
	}
	for name, c := range map[string]struct {
		w       *worker
		args    string
		status  int
		outcome search.Outcome
	}{
		"fails at the lowest": {&worker{capacity: 30}, "--from 50", exitMissed, search.FailsLowest},
		"passes at the most":  {&worker{capacity: 500}, "--from 50 --max 200", exitDone, search.PassesHighest},
		"the client":          {&worker{capacity: 5000, client: 300}, "--from 50", exitInvalid, search.ClientLimited},
		// A rate that passes although the client was late passes; one that misses may do so for that.
		"late and passing": {&worker{capacity: 500, spoil: always}, "--from 50 --max 400", exitDone, search.PassesHighest},
		"late and missing": {&worker{capacity: 500, spoil: always}, "--from 300 --max 600", exitInvalid, search.ClientLimited},
		// Lateness beside a server that does nothing is no limit of what can be offered.
		"late at the ceiling": {&worker{capacity: 500, spoil: late}, "--from 200 --max 1600", exitDone, search.Found},
	} {
		r, d := searched(t, c.w, append(strings.Fields(c.args), "--quick", "--trial", "3", "--timeout", "1s")...)
		if r.status != c.status || d.Answer.Outcome != c.outcome {
			t.Errorf("%s: status %d, %s; %+v", name, r.status, r.stderr, d.Answer)
		}
	}
}

func TestCapacityDefaults(t *testing.T) {
	w := &worker{capacity: 100}
	r, c := searched(t, w, "--max", "20")
	if len(c.Criteria) != 3 || c.Criteria[0].String() != defaultObjective || w.plans[1].Rate.String() != defaultFrom {
		t.Errorf("criteria %v, from %v; %s", c.Criteria, w.plans[1].Rate, r.stderr)
	}
	if c.Search.Goal.Lengths != search.Thorough().Lengths {
		t.Errorf("%+v", c.Search.Goal)
	}
}

// An interrupt keeps what was found until then.
func TestCapacityInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	w := &worker{capacity: 500}
	w.spoil = func(n int, r *record.Run) {
		if n == 4 {
			cancel(interrupt{syscall.SIGINT})
			r.Interrupted = true
		}
	}
	path := filepath.Join(t.TempDir(), "c.json")
	r := against(t, ctx, w, "capacity", "--quick", "--from", "50", "-o", path, "--pause", "0", url)
	c := searchedIn(t, path)
	if r.status != 130 || !c.Interrupted || len(c.Runs) != 4 || len(c.Search.Trials) != 3 || c.Answer.Outcome != search.Unfinished {
		t.Errorf("status %d, %s; %d runs, %d trials, %+v", r.status, r.stderr, len(c.Runs), len(c.Search.Trials), c.Answer)
	}
	if !strings.Contains(r.stdout, "unfinished: passes at 100/s") || !strings.Contains(r.stdout, "4 interrupted ") {
		t.Errorf("the report:\n%s", r.stdout)
	}
	if why := printed(command(t, &engine{}, "report", path), r.stdout); why != "" {
		t.Error(why)
	}
}

func TestCapacityThatCannotBegin(t *testing.T) {
	e := &engine{err: errors.New("no such host")}
	a := &app{stdout: new(strings.Builder), stderr: new(strings.Builder), attack: e.attack,
		idle: func(context.Context) (string, func(), error) { return "", nil, errors.New("no room") }}
	if status := a.run(context.Background(), []string{"capacity", url}); status != exitFailed {
		t.Errorf("status %d", status)
	}
	if got := a.stderr.(*strings.Builder).String(); got != "ratebench: starting a server that does nothing: no room\n" {
		t.Error(got)
	}
}

// The whole against a server of 500/s, with the client's ceiling tried against
// this program as a server. On a busy machine the client may be found too slow,
// which is then the answer; but none is found where there is none.
func TestCapacityAgainstAServer(t *testing.T) {
	t.Parallel()
	server := oneWorker(t, 2*time.Millisecond)
	path := filepath.Join(t.TempDir(), "c.json")
	r := liveSearch(t, "capacity", "--quick", "--trial", "1", "--pause", "100ms", "--from", "200", "--max", "800", "--objective", "p99<200ms",
		"--timeout", "1", "-o", path, server.URL())
	c := searchedIn(t, path)
	switch a := &c.Answer; a.Outcome {
	case search.Found:
		if a.Passes < 350 || a.Passes > 600 || r.status != exitDone {
			t.Errorf("status %d, found [%v, %v), want about 500", r.status, a.Passes, a.Fails)
		}
	case search.ClientLimited, search.NotRecovered:
		t.Logf("a busy machine: status %d, %v", r.status, a)
	default:
		t.Errorf("status %d, %s; %v", r.status, r.stderr, a)
	}
}

// liveSearch is live with a server that does nothing.
func liveSearch(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*liveLimit)
	defer cancel()
	var stdout, stderr strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, attack: attack.Run}
	a.idle = func(ctx context.Context) (string, func(), error) { return startServing(ctx, serving(t)) }
	status := a.run(ctx, args)
	return result{status, stdout.String(), stderr.String()}
}

func serving(t *testing.T) *exec.Cmd {
	cmd, _ := process(t, "serve", "--workers", "0")
	return cmd
}

func TestStartServing(t *testing.T) {
	url, stop, err := startServing(context.Background(), serving(t))
	if err != nil {
		t.Fatal(err)
	}
	if r := live(t, "--rate", "50", "--total", "5", url); r.status != exitDone && r.status != exitInvalid {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	stop()
	if r := live(t, "--rate", "50", "--total", "5", url); r.status != exitFailed {
		t.Errorf("status %d of a server that was stopped", r.status)
	}
	wrong, _ := process(t, "--version")
	if _, _, err := startServing(context.Background(), wrong); err == nil || !strings.Contains(err.Error(), `says "ratebench `) {
		t.Errorf("a program that serves nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := startServing(ctx, exec.Command("sleep", "60")); !errors.Is(err, errNothingSent) {
		t.Errorf("interrupted: %v", err)
	}
}
