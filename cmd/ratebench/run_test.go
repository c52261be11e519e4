package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/record"
	"ratebench/report"
)

func TestReportGoesEverywhere(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, "r.json")
	r := command(t, &engine{}, with("-o", saved, "--output", filepath.Join(dir, "r.csv"))...)
	if r.status != exitDone || r.stderr != "" || !strings.Contains(r.stdout, url) {
		t.Errorf("%+v", r)
	}
	found := content(t, dir)
	if len(found) != 2 || found["r.csv"] == "" {
		t.Errorf("the directory holds %q", found)
	}
	var d report.Document
	if err := json.Unmarshal([]byte(found["r.json"]), &d); err != nil || d.Summary.Replies != 10 {
		t.Errorf("saved: %v, %d replies", err, d.Summary.Replies)
	}
	if d.Version == "" || d.Environment.Client.Go == "" || d.Environment.Client.Cores == 0 {
		t.Errorf("surroundings: %q %+v", d.Version, d.Environment.Client)
	}
	r = command(t, &engine{}, with("--format", "json")...)
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Errorf("--format json: %v", err)
	}
}

func TestEveryFormatOfTheHelpExists(t *testing.T) {
	text := programHelp(outputFlags(), nil)
	for _, name := range []string{"text", "httperf", "json", "csv", "csv-summary", "hdr"} {
		if _, err := report.Format(name); err != nil || !strings.Contains(text, name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, ending := range []string{".txt", ".httperf", ".json", ".csv", ".summary.csv", ".hdr"} {
		if _, err := report.FormatOf("r" + ending); err != nil || !strings.Contains(text, ending) {
			t.Errorf("%s: %v", ending, err)
		}
	}
}

// RC-064: faults of files are reported with the others, before anything is sent.
func TestUnusableFilesAreUsageErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "no/r.json")
	e := &engine{}
	r := command(t, e, with("-o", missing, "-o", filepath.Join(dir, "good.json"), "--total", "x")...)
	why := refusal(e, r, `--total "x": want a whole number from 1 to 9223372036854775807`,
		`output "`+missing+`": no such file or directory`)
	if why != "" || len(content(t, dir)) != 0 {
		t.Errorf("%s; left over: %q", why, content(t, dir))
	}
	for name, options := range map[string][]string{
		"output": {"-o", "r.xml"}, "empty": {"-o", ""}, "-": {"-o", "-"}, "log": {"--log", "r.txt"},
		"log again": {"--log", filepath.Join(dir, "r.json"), "-o", filepath.Join(dir, "r.json")},
		"format":    {"--format", "xml"}, "no log": {"--log", ""},
	} {
		refused(t, name, with(options...))
	}
}

func TestExitStatus(t *testing.T) {
	run := func(change func(*record.Run)) *record.Run { r := answered(); change(r); return r }
	silent := func(r *record.Run) { r.Summary.Replies = 0 }
	invalid := func(r *record.Run) { r.Verdict = record.Verdict{Status: record.Invalid} }
	stopped := func(r *record.Run) { r.Interrupted = true }
	for _, c := range []struct {
		name   string
		e      engine
		status int
		report bool
		stderr string
	}{
		{"done", engine{run: answered()}, exitDone, true, ""},
		{"suspect", engine{run: run(func(r *record.Run) { r.Verdict.Status = record.Suspect })}, exitDone, true, ""},
		{"nothing answered", engine{run: run(silent)}, exitFailed, true, "ratebench: nothing answered: 10 requests sent, no reply\n"},
		{"client the limit", engine{run: run(invalid)}, exitInvalid, true, "ratebench: run INVALID: the client was the limit\n"},
		{"not run", engine{err: errors.New("no such host")}, exitFailed, false, "ratebench: no such host\n"},
		{"silent and invalid", engine{run: run(func(r *record.Run) { silent(r); invalid(r) })}, exitFailed, true,
			"ratebench: nothing answered: 10 requests sent, no reply\n"},
		{"interrupted and all else", engine{run: run(func(r *record.Run) { silent(r); invalid(r); stopped(r) })}, 130, true,
			"ratebench: interrupted (SIGINT): the report covers what was done until then\n"},
	} {
		r := command(t, &c.e, with()...)
		if r.status != c.status || r.stderr != c.stderr || (r.stdout != "") != c.report {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// RC-088 and RC-089: the signal gives the status, the report is written.
func TestInterrupted(t *testing.T) {
	for signal, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		saved := filepath.Join(t.TempDir(), "r.json")
		ctx, cancel := context.WithCancelCause(context.Background())
		stopped := answered()
		stopped.Interrupted = true
		e := &engine{run: stopped, during: func(context.Context, attack.Hooks) { cancel(interrupt{signal}) }}
		r := commandIn(t, ctx, e, with("-o", saved)...)
		if r.status != status || r.stdout == "" || !strings.Contains(r.stderr, "interrupted") {
			t.Errorf("%v: %+v", signal, r)
		}
		if text, err := os.ReadFile(saved); err != nil || !json.Valid(text) {
			t.Errorf("%v: saved %q, %v", signal, text, err)
		}
	}
}

func TestInterruptedBeforeTheLoad(t *testing.T) {
	for name, e := range map[string]*engine{
		"error": {err: context.Canceled},
		"empty": {run: &record.Run{Interrupted: true}},
	} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancelCause(context.Background())
		e.during = func(context.Context, attack.Hooks) { cancel(interrupt{syscall.SIGTERM}) }
		r := commandIn(t, ctx, e, with("-o", filepath.Join(dir, "r.json"), "--log", filepath.Join(dir, "l.csv"))...)
		if want := (result{143, "", "ratebench: interrupted (SIGTERM) before the first request\n"}); r != want {
			t.Errorf("%s: %+v", name, r)
		}
		if found := content(t, dir); len(found) != 0 {
			t.Errorf("%s: left over: %q", name, found)
		}
	}
}

func TestInterruptedInTheWarmup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	e := &engine{run: &record.Run{Interrupted: true}, during: func(context.Context, attack.Hooks) { cancel(interrupt{syscall.SIGINT}) }}
	r := commandIn(t, ctx, e, with("--warmup", "5")...)
	if want := (result{130, "", "ratebench: interrupted (SIGINT) in the warm-up: there is nothing to report\n"}); r != want {
		t.Errorf("%+v", r)
	}
}

// A report that cannot be printed does not hide that the run was cut.
func TestInterruptedWithoutStandardOutput(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := answered()
	stopped.Interrupted = true
	e := &engine{run: stopped, during: func(context.Context, attack.Hooks) { cancel(interrupt{syscall.SIGHUP}) }}
	var stderr bytes.Buffer
	a := &app{stdout: closed{}, stderr: &stderr, attack: e.attack}
	if status := a.run(ctx, with()); status != 129 || !strings.Contains(stderr.String(), "broken pipe") || !strings.Contains(stderr.String(), "SIGHUP") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

func TestLogIsWritten(t *testing.T) {
	dir := t.TempDir()
	e := &engine{during: func(_ context.Context, h attack.Hooks) {
		h.Log.Start(time.Now())
		o := record.NewOutcome(0, 0)
		o.Sent, o.Done, o.Status = 0, 1000, 200
		h.Log.Record(&o)
	}}
	r := command(t, e, with("--log", filepath.Join(dir, "l.json"))...)
	found := content(t, dir)
	if r.status != exitDone || r.stderr != "" || len(found) != 1 || !strings.Contains(found["l.json"], url) {
		t.Errorf("%+v, %q", r, found)
	}
}

// RC-065: a run that does not take place leaves old files as they were.
func TestFailedRunLeavesOldFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "r.json"), "old")
	command(t, &engine{err: errors.New("no such host")}, with("-o", filepath.Join(dir, "r.json"))...)
	if !onlyHas(t, dir, "r.json", "old") {
		t.Errorf("the directory holds %q", content(t, dir))
	}
}

func TestFullDiskIsOneLine(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full.json")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	r := command(t, &engine{}, with("-o", full, "-o", filepath.Join(dir, "good.json"))...)
	if want := "ratebench: writing \"" + full + "\": no space left on device\n"; r.status != exitFailed || r.stderr != want {
		t.Errorf("%+v", r)
	}
	if found := content(t, dir); r.stdout == "" || len(found["good.json"]) == 0 || len(found) != 2 {
		t.Errorf("the other copies suffered: stdout %q, %q", r.stdout, found)
	}
}

// closed is a writer whose reader has gone.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestClosedStandardOutput(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{stdout: closed{}, stderr: &stderr, attack: (&engine{}).attack}
	status := a.run(context.Background(), with())
	if want := "ratebench: writing the report: broken pipe\n"; status != exitFailed || stderr.String() != want {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

// cli itself would end well although nobody got the help.
func TestHelpThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"--version"}} {
		var stderr bytes.Buffer
		a := &app{stdout: closed{}, stderr: &stderr, attack: (&engine{}).attack}
		status := a.run(context.Background(), args)
		if status != exitFailed || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "broken pipe") {
			t.Errorf("%q: status %d, %q", args, status, stderr.String())
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	dir := t.TempDir()
	r := command(t, &engine{}, "--rate", "1", "http://me:secret@127.0.0.1/", "-H", "Authorization: secret",
		"-o", filepath.Join(dir, "r.json"))
	if r.status != exitDone || strings.Contains(r.stdout+r.stderr+content(t, dir)["r.json"], "secret") {
		t.Errorf("%+v\n%s", r, content(t, dir)["r.json"])
	}
}
