package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/attack/testserver"
	"ratebench/report"
)

// started is ratebench as a process of its own, at work.
type started struct {
	cmd            *exec.Cmd
	stdout, stderr *bytes.Buffer
}

// launch starts a command line.
func launch(t *testing.T, args ...string) *started {
	t.Helper()
	cmd, stderr := process(t, args...)
	p := &started{cmd: cmd, stdout: &bytes.Buffer{}, stderr: stderr}
	cmd.Stdout = p.stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// interrupt sends a signal and waits for the end. It returns the exit status
// and how long the process took.
func (p *started) interrupt(t *testing.T, signal syscall.Signal) (status int, took time.Duration) {
	t.Helper()
	began := time.Now()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	status = p.wait(t)
	return status, time.Since(began)
}

// wait is the exit status.
func (p *started) wait(t *testing.T) int {
	t.Helper()
	kill := time.AfterFunc(liveLimit, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	_ = p.cmd.Wait() // the status says the same
	return p.cmd.ProcessState.ExitCode()
}

// atLeast waits until the server has read n requests.
func atLeast(t *testing.T, s *testserver.Raw, n int) {
	t.Helper()
	if !await(30*time.Second, func() bool { return s.Requests() >= n }) {
		t.Fatalf("the server has read %d requests, want %d", s.Requests(), n)
	}
}

// prompt plays something that has to take at most limit. A busy machine gets
// three tries at the time, but not at anything that play itself asserts.
func prompt(t *testing.T, limit time.Duration, play func() time.Duration) {
	t.Helper()
	var took time.Duration
	for range 3 {
		if took = play(); took <= limit || t.Failed() {
			return
		}
	}
	t.Errorf("took %v, want at most %v", took, limit)
}

// TestInterruptKeepsResults plays RC-088: whatever the signal and the format,
// the report covers what was done and says that the run was cut.
func TestInterruptKeepsResults(t *testing.T) {
	t.Parallel()
	prompt(t, time.Second, func() time.Duration {
		slowest := time.Duration(0)
		var all []*cut
		for _, c := range []cut{
			{signal: syscall.SIGINT, format: "text", status: 130}, {signal: syscall.SIGINT, format: "json", status: 130},
			{signal: syscall.SIGINT, format: "csv", status: 130}, {signal: syscall.SIGTERM, format: "csv-summary", status: 143},
			{signal: syscall.SIGHUP, format: "httperf", status: 129},
		} {
			all = append(all, c.begin(t))
		}
		for _, c := range all {
			slowest = max(slowest, c.end(t))
		}
		return slowest
	})
}

// cut is a run that a signal ends when 300 of its 10 000 requests are done.
type cut struct {
	signal syscall.Signal
	format string
	status int

	server *testserver.Raw
	dir    string
	*started
}

func (c cut) begin(t *testing.T) *cut {
	t.Helper()
	c.server, c.dir = rawServer(t, ""), t.TempDir()
	c.started = launch(t, "--rate", "100", "--total", "10000", "--format", c.format,
		"-o", filepath.Join(c.dir, "r.json"), "-o", filepath.Join(c.dir, "r.csv"), c.server.URL())
	return &c
}

// end interrupts the run and checks what it leaves.
func (c *cut) end(t *testing.T) time.Duration {
	t.Helper()
	atLeast(t, c.server, 300)
	status, took := c.interrupt(t, c.signal)
	if line := (interrupt{c.signal}).Error(); status != c.status || strings.Count(c.stderr.String(), "\n") != 1 || !strings.Contains(c.stderr.String(), line) {
		t.Errorf("%v, %s: status %d, %s", c.signal, c.format, status, c.stderr)
	}
	d := readDocument(t, filepath.Join(c.dir, "r.json"), result{status, c.stdout.String(), c.stderr.String()})
	s := &d.Summary
	if !d.Interrupted || s.Planned != 10_000 || s.Sent != uint64(c.server.Requests()) || s.Sent < 300 || s.Replies+s.Aborted != s.Sent {
		t.Errorf("%v, %s: interrupted %v, planned %d, sent %d of which the server read %d, replies %d, aborted %d",
			c.signal, c.format, d.Interrupted, s.Planned, s.Sent, c.server.Requests(), s.Replies, s.Aborted)
	}
	if !slices.ContainsFunc(d.Verdict.Findings, isInterrupted) {
		t.Errorf("%v, %s: the verdict is %+v", c.signal, c.format, d.Verdict)
	}
	text, err := os.ReadFile(filepath.Join(c.dir, "r.csv"))
	rows, bad := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || bad != nil || len(rows) < 3 {
		t.Errorf("%v, %s: r.csv: %v, %v, %d rows", c.signal, c.format, err, bad, len(rows))
	}
	if why := cutWrong(c.format, c.stdout.String()); why != "" {
		t.Errorf("%v: %s", c.signal, why)
	}
	return took
}

func isInterrupted(f record.Finding) bool { return f.Code == "interrupted" }

// cutWrong says what is wrong with the printed report of an interrupted run.
func cutWrong(format, text string) string {
	switch format {
	case "text":
		if !strings.Contains(text, "interrupted after") || !strings.Contains(text, "planned 10 000") {
			return "the text does not say that it was interrupted:\n" + text
		}
	case "json":
		var d report.Document
		if err := json.Unmarshal([]byte(text), &d); err != nil || !d.Interrupted {
			return "JSON: not whole or not marked: " + text
		}
	case "csv", "csv-summary":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) < 2 || format == "csv-summary" && !slices.Contains(rows[1], "true") {
			return "CSV: not whole or not marked: " + text
		}
	default:
		if !strings.Contains(text, "Total: connections") {
			return "no report: " + text
		}
	}
	return ""
}

func TestCutWrongTellsADifference(t *testing.T) {
	for _, format := range []string{"text", "json", "csv", "csv-summary", "httperf"} {
		if cutWrong(format, "") == "" {
			t.Errorf("%s: nothing at all passes", format)
		}
	}
	if cutWrong("json", `{"interrupted":false}`) == "" || cutWrong("json", `{"interrupted":true`) == "" {
		t.Error("JSON that is not marked, or cut, passes")
	}
	if why := cutWrong("json", `{"interrupted":true}`); why != "" {
		t.Error(why)
	}
}

// RC-089: requests that hang are aborted, and no more are started. timeout(1)
// sends its signal twice at once, which must not pass for a user in a hurry.
func TestInterruptDoesNotWaitForTheServer(t *testing.T) {
	t.Parallel()
	prompt(t, 2*time.Second, func() time.Duration {
		server, err := testserver.StartRaw(testserver.RawConfig{Ending: testserver.Ending{How: testserver.Hang}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		saved := filepath.Join(t.TempDir(), "r.json")
		p := launch(t, "--rate", "100", "--total", "1000", "--timeout", "60s", "-o", saved, server.URL())
		atLeast(t, server, 50)
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		time.Sleep(time.Millisecond)
		status, took := p.interrupt(t, syscall.SIGINT)
		if status != 130 {
			t.Errorf("status %d, %s", status, p.stderr)
		}
		d := readDocument(t, saved, result{status: status, stderr: p.stderr.String()})
		if s := &d.Summary; s.Aborted != s.Sent || s.Sent < 50 || s.Replies+s.Errors.Total > 0 || s.Time.Response.Count > 0 {
			t.Errorf("sent %d, aborted %d, replies %d, errors %d, times %d", s.Sent, s.Aborted, s.Replies, s.Errors.Total, s.Time.Response.Count)
		}
		return took
	})
}

// RC-089: interrupted before the load there is nothing to report.
func TestInterruptBeforeTheLoad(t *testing.T) {
	t.Parallel()
	resolver, err := net.ListenPacket("udp", "127.0.0.1:0") // hears every question and answers none
	if err != nil {
		t.Fatal(err)
	}
	defer resolver.Close()
	if err := resolver.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	prompt(t, time.Second, func() time.Duration {
		dir := t.TempDir()
		cmd, stderr := process(t, "--rate", "10", "-o", filepath.Join(dir, "r.json"), "http://somewhere.test/")
		cmd.Env = append(cmd.Env, resolverVariable+"="+resolver.LocalAddr().String())
		p := &started{cmd, &bytes.Buffer{}, stderr}
		cmd.Stdout = p.stdout
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := resolver.ReadFrom(make([]byte, 1500)); err != nil {
			t.Fatal(err)
		}
		status, took := p.interrupt(t, syscall.SIGINT)
		want := result{130, "", "ratebench: interrupted (SIGINT) before the first request\n"}
		if got := (result{status, p.stdout.String(), p.stderr.String()}); got != want || len(content(t, dir)) > 0 {
			t.Errorf("%+v, left over %q", got, content(t, dir))
		}
		return took
	})
}
