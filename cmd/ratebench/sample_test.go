package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ratebench/report"
)

// sleeper starts a process that does nothing, for as long as the test takes. It is
// watched under that name.
func sleeper(t *testing.T) (p *started, pid, name string) {
	t.Helper()
	p = shell(t, "exec sleep 60")
	pid = strconv.Itoa(p.cmd.Process.Pid)
	if !await(10*time.Second, func() bool {
		comm, _ := os.ReadFile("/proc/" + pid + "/comm")
		return string(comm) == "sleep\n"
	}) {
		t.Fatal("the shell does not become sleep")
	}
	return p, pid, "sleep (" + pid + ")"
}

func TestSample(t *testing.T) {
	t.Parallel()
	_, pid, name := sleeper(t)
	saved := filepath.Join(t.TempDir(), "s.json")
	r := live(t, "sample", "--process", pid, "local", "--duration", "1", "--sample-interval", "200ms", "-o", saved)
	if r.status != exitDone || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	if why := tableWrong(r.stdout, name, 2); why != "" {
		t.Errorf("%s:\n%s", why, r.stdout)
	}
	text, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	var d report.Sample
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != report.SampleSchema || d.Interval != 0.2 || len(d.Server) != 1 || len(d.Hosts) != 1 || time.Since(d.StartedAt) > time.Minute {
		t.Fatalf("%s", text)
	}
	if s := &d.Server[0]; s.Name != name || s.Host != "local" || s.Processes != 1 || len(s.Samples) < 2 || !(s.To >= 1) || s.Replies.Defined() {
		t.Errorf("%+v", s)
	}
	if quiet := live(t, "sample", "--process", pid, "--duration", "0.7", "--quiet"); !strings.HasPrefix(quiet.stdout, name) || !strings.Contains(quiet.stdout, " s of CPU ± ") {
		t.Errorf("--quiet: %+v", quiet)
	}
	if alone := live(t, "sample", "--duration", "0.6", "--sample-interval", "100ms"); alone.status != exitDone || tableWrong(strings.ReplaceAll(alone.stdout, "this machine", "(local)"), "(local)", 1) != "" {
		t.Errorf("the host alone: %+v", alone)
	}
}

// tableWrong says why text is not headings, at least some lines of the name and
// its sum below; empty if it is.
func tableWrong(text, name string, least int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	rows, sums := 0, 0
	for _, line := range lines[1:] {
		before, after, named := strings.Cut(line, name+" ")
		switch before = strings.TrimSpace(before); {
		case len([]rune(line)) > 100:
			return "a line is too long"
		case named && before == "":
			sums++
		case named && len(strings.Fields(before)) == 1 && len(strings.Fields(after)) > 7 && sums == 0:
			rows++
		}
	}
	switch {
	case !strings.HasPrefix(lines[0], " time s  process"):
		return "the headings are missing"
	case rows < least:
		return fmt.Sprintf("%d lines, want %d", rows, least)
	case sums != 1:
		return fmt.Sprintf("%d sums", sums)
	}
	return ""
}

func TestTableWrongTellsADifference(t *testing.T) {
	head, row, sum := " time s  process x\n", "1.0  a 1 2 3 4 5 6 7 8 9 10\n", "a  CPU 1 s\n"
	if why := tableWrong(head+row+row+sum, "a", 2); why != "" {
		t.Error(why)
	}
	for _, text := range []string{"", row + row + sum, head + row + sum, head + row + row, head + sum + row + row, head + strings.ReplaceAll(row, "a", "b") + row + sum} {
		if tableWrong(text, "a", 2) == "" {
			t.Errorf("passes:\n%s", text)
		}
	}
}

// noticed is standard output that tells when something has been written.
type noticed struct {
	shown bytes.Buffer // not embedded: it has other ways to write
	once  sync.Once
	first chan struct{}
}

func (n *noticed) Write(text []byte) (int, error) {
	defer n.once.Do(func() { close(n.first) })
	return n.shown.Write(text)
}

// sampleUntil runs a command line and calls end when its first lines are there.
func sampleUntil(t *testing.T, ctx context.Context, end func(), args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, liveLimit)
	defer cancel()
	stdout, stderr := &noticed{first: make(chan struct{})}, &bytes.Buffer{}
	go func() { // ends with the command, which writes something before liveLimit or not at all
		select {
		case <-stdout.first:
			end()
		case <-ctx.Done():
		}
	}()
	a := &app{stdout: stdout, stderr: stderr}
	status := a.run(ctx, args)
	return result{status, stdout.shown.String(), stderr.String()}
}

// It ends with the processes.
func TestSampleEndsWithTheProcess(t *testing.T) {
	t.Parallel()
	victim, pid, name := sleeper(t)
	end := func() { _ = victim.cmd.Process.Kill(); _ = victim.cmd.Wait() }
	r := sampleUntil(t, t.Context(), end, "sample", "--process", pid, "--sample-interval", "100ms")
	if r.status != exitDone || r.stderr != "" || tableWrong(r.stdout, name, 1) != "" {
		t.Errorf("%+v", r)
	}
}

// An interrupt is the way to end where there is no time to wait for. What was
// seen is kept in any case.
func TestSampleIsInterrupted(t *testing.T) {
	t.Parallel()
	_, pid, name := sleeper(t)
	for status, options := range map[int][]string{0: nil, 143: {"--duration", "1h"}} {
		saved := filepath.Join(t.TempDir(), "s.json")
		ctx, cancel := context.WithCancelCause(t.Context())
		args := append([]string{"sample", "--process", pid, "--sample-interval", "100ms", "-o", saved}, options...)
		r := sampleUntil(t, ctx, func() { cancel(interrupt{syscall.SIGTERM}) }, args...)
		if r.status != status || tableWrong(r.stdout, name, 1) != "" || (r.stderr == "") != (status == 0) {
			t.Errorf("%q: %+v", options, r)
		}
		if text, err := os.ReadFile(saved); err != nil || !json.Valid(text) {
			t.Errorf("%q: %v, %s", options, err, text)
		}
	}
}

// A link that is lost ends it with what was seen, and with another status.
func TestSampleLosesItsLink(t *testing.T) {
	t.Parallel()
	_, pid, name := sleeper(t)
	stub, link := sshStub(t, `while test "$1" != --; do shift; done; shift 2; exec sh -c "$*"`)
	end := func() {
		_ = syscall.Kill(numberIn(t, link), syscall.SIGKILL)
	}
	r := sampleUntil(t, t.Context(), end, "sample", "--process", pid, "--sample-interval", "100ms", "--ssh", stub, "ssh://host.test")
	if r.status != exitFailed || tableWrong(r.stdout, name, 1) != "" || !strings.HasPrefix(r.stderr, "ratebench: lost host.test after ") {
		t.Errorf("%+v", r)
	}
}

func TestWrongSampleLines(t *testing.T) {
	for args, lines := range map[string][]string{
		"sample www.example.org":                {`host "www.example.org": want local or ssh://[USER@]HOST[:PORT]`},
		"sample local ssh://a":                  {`surplus argument "ssh://a": one host is watched`},
		"sample --duration 0.3":                 {"--duration 0.3: want 500ms or more: less tells nothing of a server"},
		"sample --duration 0 --process :x":      {`--process ":x": want a port from 1 to 65535`, "--duration 0: must be above 0"},
		"sample -o s.csv":                       {`--output "s.csv": want a name that ends in .json`},
		"sample --rate 5":                       {"unknown option --rate"},
		"sample --server ssh://h":               {"unknown option --server (of a run: sample takes the host as an argument, as in ratebench sample ssh://bench@web1)"},
		"sample --identity sample.go --ssh ssh": {"--identity: there is no host to reach by ssh, such as ratebench sample ssh://…", "--ssh: there is no host to reach by ssh, such as ratebench sample ssh://…"},
		"sample --sample-interval 1ms":          {"--sample-interval 1ms: want 100ms or more"},
		"sample -o /nonexistent/dir/s.json":     {`output "/nonexistent/dir/s.json": no such file or directory`},
	} {
		e := &engine{}
		r := command(t, e, strings.Fields(args)...)
		if why := refusal(e, r, lines...); why != "" {
			t.Errorf("%s: %s", args, why)
		}
	}
	if r := live(t, "sample", "--process", "nosuchprocess"); r.status != exitFailed || r.stdout != "" || !strings.Contains(r.stderr, "nosuchprocess") {
		t.Errorf("%+v", r)
	}
}
