package sampler

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wantNothingLeft closes r; then neither the loop nor its files are there any more.
func wantNothingLeft(t *testing.T, r *remote) {
	t.Helper()
	sessions := sessionsOf(r.link.mark)
	if len(sessions) == 0 {
		t.Fatal("no loop is seen while it runs")
	}
	if err := r.close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.layout.dir); err == nil {
		t.Errorf("%s is left", r.layout.dir)
	}
	wantLoopGone(t, r.link.mark, sessions)
}

// hasty is for tests that wait for the watchdog: it ends the loop after silence of
// 1.5 to 2.5 s, and never of 0.75 s.
var hasty = pace{beat: 150 * time.Millisecond, orphan: 500 * time.Millisecond}

// loopBound is how long a loop may outlive its client: five seconds of the watchdog's
// and what a busy machine adds.
const loopBound = 7 * time.Second

func wantLoopGone(t *testing.T, mark string, sessions map[int]bool) {
	t.Helper()
	eventually(t, loopBound, "the loop to end", func() bool { return len(sessionsOf(mark)) == 0 && leftOf(sessions) == 0 })
}

// A watch with a long interval says nothing between: the link keeps itself alive for
// longer than the watchdog would wait.
func TestRemoteIdle(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	how := s.ssh()
	how.pace = hasty
	got, err := connect(t.Context(), s.host(), how)
	if err != nil {
		t.Fatal(err)
	}
	r := got.(*remote)
	defer r.close(t.Context())
	time.Sleep(6 * hasty.orphan)
	wantReading(t, r)
	if c := r.clock(); c.Offset <= 0 || c.Within <= 0 || c.Within > time.Second {
		t.Errorf("clock %+v", c)
	}
}

// Without a beat, the watchdog ends the loop and takes a child along that cannot
// write; in every shell.
func TestRemoteWatchdog(t *testing.T) {
	for name, shells := range map[string]map[string]string{
		"dash": {"sh": "/bin/dash"}, "bash": {"sh": "/bin/bash"}, "busybox": {"sh": "/bin/busybox"},
		"dash-and-bash": {"sh": "/bin/dash", "bash": "/bin/bash"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			programs := map[string]string{"cat": "/bin/cat", "sleep": "/bin/sleep"}
			maps.Copy(programs, shells)
			path := linkPrograms(t, programs)
			mark := "ratebench-watchdog-" + name
			c := exec.Command(filepath.Join(path, "sh"), "-c", remoteCommand(mark))
			c.Env = []string{"PATH=" + path}
			c.SysProcAttr = newSession()
			in, _ := c.StdinPipe()
			out, _ := c.StdoutPipe() // which nobody reads
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { c.Process.Kill(); c.Wait(); in.Close(); out.Close() }()
			if _, err := in.Write([]byte(remoteLoop(mark, hasty.orphan) + strings.Repeat("e 1\n", 3))); err != nil {
				t.Fatal(err)
			}
			sessions := map[int]bool{c.Process.Pid: true}
			eventually(t, 2*time.Second, "a child that hangs", func() bool { return leftOf(sessions) >= 3 })
			wantLoopGone(t, mark, sessions)
		})
	}
}

// The command has nothing in it that a login shell could mistake, and the loop is
// one line after that which chooses the shell.
func TestRemoteLoopText(t *testing.T) {
	if command := remoteCommand("M"); strings.ContainsAny(command, "!\\\n`") || strings.Count(command, "'") != 2 {
		t.Errorf("command %q", command)
	}
	if loop := remoteLoop("M", time.Second); strings.Count(loop, "\n") != 2 || !strings.HasSuffix(loop, "\n") {
		t.Errorf("the loop is not of two lines: %q", loop)
	}
}
