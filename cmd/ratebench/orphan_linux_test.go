package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/attack/testserver"
	"ratebench/report"
)

// shell starts a script that has ratebench with these arguments as "$@".
func shell(t *testing.T, script string, args ...string) *started {
	t.Helper()
	cmd, stderr := process(t, args...)
	cmd.Path, cmd.Args = "/bin/sh", slices.Concat([]string{"sh", "-c", script, "sh", cmd.Path}, args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return &started{cmd: cmd, stderr: stderr}
}

// RC-091: whoever started the run is killed; the load ends, the report is
// written and nothing is left of the group.
func TestParentIsKilled(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		prompt(t, time.Second+500*time.Millisecond, func() time.Duration {
			server, saved := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json")
			p := shell(t, `"$@" & wait`, "--rate", "100", "--total", "10000", "-o", saved, server.URL())
			atLeast(t, server, 150) // the shell has not left the run to itself
			began := time.Now()
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = p.cmd.Wait()
			if !await(30*time.Second, func() bool { _, err := os.Stat(saved); return err == nil }) {
				t.Fatalf("%v: no report, the server has read %d requests", signal, server.Requests())
			}
			took := time.Since(began)
			if !await(10*time.Second, func() bool { return alive(t, p.cmd.Process.Pid) == 0 }) {
				t.Errorf("%v: %d processes are left", signal, alive(t, p.cmd.Process.Pid))
			}
			if d := readDocument(t, saved, result{}); !d.Interrupted || d.Summary.Sent != uint64(server.Requests()) {
				t.Errorf("%v: interrupted %v, sent %d of which the server read %d", signal, d.Interrupted, d.Summary.Sent, server.Requests())
			}
			return took
		})
	}
}

// alive is the number of processes of a group that have not ended.
func alive(t *testing.T, group int) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		_, text, found := bytes.Cut(text, []byte(") ")) // name, then state, parent and group
		fields := bytes.Fields(text)
		if err == nil && found && string(fields[2]) == strconv.Itoa(group) && string(fields[0]) != "Z" {
			n++
		}
	}
	return n
}

func TestAliveCountsAGroup(t *testing.T) {
	p := shell(t, "sleep 30 & wait")
	if !await(10*time.Second, func() bool { return alive(t, p.cmd.Process.Pid) == 2 }) {
		t.Errorf("%d of 2 processes", alive(t, p.cmd.Process.Pid))
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	if !await(10*time.Second, func() bool { return alive(t, p.cmd.Process.Pid) == 0 }) {
		t.Errorf("%d processes after their end", alive(t, p.cmd.Process.Pid))
	}
}

// Under nohup neither the terminal nor the starter ends a run.
func TestNohup(t *testing.T) {
	t.Parallel()
	server, saved := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json")
	p := shell(t, `trap "" HUP; "$@" & wait`, "--rate", "100", "--total", "250", "-o", saved, server.URL())
	atLeast(t, server, 130)
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	if !await(30*time.Second, func() bool { _, err := os.Stat(saved); return err == nil }) {
		t.Fatalf("no report; the server has read %d requests", server.Requests())
	}
	if d := readDocument(t, saved, result{}); d.Interrupted || d.Summary.Replies != 250 {
		t.Errorf("interrupted %v, %d replies", d.Interrupted, d.Summary.Replies)
	}
}

// RC-091: a client that was stopped for a second (Ctrl-Z, fg) says that it was,
// and does not call the second the server's.
func TestStoppedClientSaysSo(t *testing.T) {
	t.Parallel()
	for _, engine := range bothEngines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			server, saved := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json")
			p := launch(t, "--engine", engine, "--rate", "100", "--total", "250", "-o", saved, server.URL())
			atLeast(t, server, 60)
			const stop = time.Second
			if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			time.Sleep(stop)
			if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			status := p.wait(t)
			d := readDocument(t, saved, result{status: status, stderr: p.stderr.String()})
			if why := stallHidden(&d, stop); why != "" || status != exitInvalid {
				t.Errorf("%s; status %d", why, status)
			}
			if d.Summary.Replies != 250 {
				t.Errorf("%d replies", d.Summary.Replies)
			}
		})
	}
}

// stallHidden says how a run in which the client stood still for that long
// lays it at the server's door, empty if it does not.
func stallHidden(d *report.Document, stall time.Duration) string {
	limit := record.Seconds(stall) * 0.9
	named := slices.ContainsFunc(d.Verdict.Findings, func(f record.Finding) bool { return f.Code == "client_stall" && f.Value >= limit })
	switch {
	case d.Verdict.Status != record.Invalid:
		return "the verdict is " + string(d.Verdict.Status)
	case !named:
		return "no finding names the client's stall"
	case !(d.Summary.Time.SendLag.Max >= limit):
		return "the send lag does not show it"
	case !(d.Summary.Time.Service.P90 < limit/2):
		return "the service time shows it"
	}
	return ""
}

func TestStallHiddenTellsADifference(t *testing.T) {
	run := func() *report.Document {
		d := &report.Document{Verdict: record.Verdict{Status: record.Invalid, Findings: []record.Finding{{Code: "client_stall", Value: 1}}}}
		d.Summary.Time.SendLag.Max, d.Summary.Time.Service.P90 = 1, 0.001
		return d
	}
	if why := stallHidden(run(), time.Second); why != "" {
		t.Error(why)
	}
	for name, spoil := range map[string]func(*report.Document){
		"verdict": func(d *report.Document) { d.Verdict.Status = record.Suspect },
		"finding": func(d *report.Document) { d.Verdict.Findings[0].Code = "stale" },
		"lag":     func(d *report.Document) { d.Summary.Time.SendLag.Max = 0.1 },
		"service": func(d *report.Document) { d.Summary.Time.Service.P90 = 1 },
	} {
		d := run()
		if spoil(d); stallHidden(d, time.Second) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}

// RC-065: a run that is killed half-way leaves the old file as it was.
func TestKilledRunLeavesOldFiles(t *testing.T) {
	t.Parallel()
	server, dir := rawServer(t, ""), t.TempDir()
	old := filepath.Join(dir, "r.json")
	first := measuredAt(t, server, old)
	text := content(t, dir)["r.json"]
	p := launch(t, "--rate", "100", "--total", "10000", "-o", old, "-o", filepath.Join(dir, "new.json"), server.URL())
	atLeast(t, server, 60)
	p.interrupt(t, syscall.SIGKILL)
	found := content(t, dir)
	if _, half := found["new.json"]; found["r.json"] != text || half {
		t.Errorf("the old file was touched or a new one is half there: %q", found)
	}
	// The next run takes its place, and says by its time which one it is.
	if second := measuredAt(t, server, old); !second.StartedAt.After(first.StartedAt) {
		t.Errorf("started at %v, the one before at %v", second.StartedAt, first.StartedAt)
	}
}

// measuredAt makes a short run that is saved at path.
func measuredAt(t *testing.T, server *testserver.Raw, path string) report.Document {
	t.Helper()
	r := live(t, "--rate", "100", "--total", "5", "-o", path, server.URL())
	return readDocument(t, path, r)
}
