package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sshStub is a program in the place of ssh that writes its number to pid and does
// something else than ssh would.
func sshStub(t *testing.T, does string) (command, pid string) {
	t.Helper()
	dir := daemonDir(t)
	pid = filepath.Join(dir, "pid")
	command = filepath.Join(dir, "stub")
	if err := os.WriteFile(command, fmt.Appendf(nil, "#!/bin/sh\necho $$ >%s.new; mv %s.new %s\n%s\n", pid, pid, pid, does), 0o755); err != nil {
		t.Fatal(err)
	}
	return command, pid
}

// numberIn is the number of a process that stands in a file.
func numberIn(t *testing.T, pidFile string) int {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Error(err)
		return math.MaxInt32 // no process has it
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 2 {
		t.Errorf("%s holds %q, not the number of a process", pidFile, text)
		return math.MaxInt32
	}
	return pid
}

// runs says whether the process whose number is in a file is there.
func runs(t *testing.T, pidFile string) bool {
	t.Helper()
	return syscall.Kill(numberIn(t, pidFile), 0) == nil
}

func TestRunsTellsADifference(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	put(t, file, strconv.Itoa(os.Getpid())+"\n")
	if !runs(t, file) {
		t.Error("this process is not there")
	}
	p := launch(t, "--version")
	p.wait(t)
	if put(t, file, strconv.Itoa(p.cmd.Process.Pid)); runs(t, file) {
		t.Error("a process that has ended is there")
	}
}

// sshLimit bounds how long reaching a host may take, with what a busy machine adds.
const sshLimit = 25 * time.Second

// RC-077 and what else a program that is taken for ssh may do: one clear line in
// bounded time, at a terminal too, no load, and nothing left behind.
func TestSSHThatMisbehaves(t *testing.T) {
	for name, does := range map[string]string{
		"garbage":          `i=0; while test $i -lt 2000; do printf 'caf\351 \033[2J \007 %s\n' $i; i=$((i+1)); done`,
		"garbage for ever": `while printf 'welcome \033[2J\n' 2>/dev/null; do :; done`,
		"hangs":            "exec sleep 120",
		"asks":             `printf 'password: ' >/dev/tty; read answer </dev/tty || exit 255`,
		"fails":            "echo 'ssh: connect to host host.test port 22: Connection refused' >&2; exit 255",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, term := rawServer(t, ""), openTerminal(t, 100)
			stub, pid := sshStub(t, does)
			began := time.Now()
			p := term.on(t, "--server", "ssh://bench@host.test", "--ssh", stub, "--rate", "100", "--total", "10", server.URL())
			status := p.wait(t)
			if took := time.Since(began); status != exitFailed || took > sshLimit {
				t.Errorf("status %d after %v", status, took)
			}
			said := ""
			await(10*time.Second, func() bool { said = term.text(); return strings.HasSuffix(said, "\n") })
			if last := lastLine(said); !strings.HasPrefix(last, "ratebench: ") || !strings.Contains(last, "host.test") || strings.ContainsAny(last, "\a\x1b") {
				t.Errorf("the terminal shows %q", said)
			}
			if strings.Contains(said, "password") || server.Conns() != 0 {
				t.Errorf("%d connections, the terminal shows %q", server.Conns(), said)
			}
			if !await(10*time.Second, func() bool { return !runs(t, pid) }) {
				t.Error("the stub goes on")
			}
		})
	}
}

// lastLine is the last whole line of what a terminal shows, without what was
// taken off it before.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	last := lines[len(lines)-1]
	return last[strings.LastIndex(last, "\r")+1:]
}

func TestLastLine(t *testing.T) {
	if got := lastLine("a\r\nprogress\r\x1b[2K\rb\r\n"); got != "b" {
		t.Errorf("%q", got)
	}
}

// An interrupt does not wait for a host that is not reached, which takes ten seconds.
func TestInterruptWhileReachingAHost(t *testing.T) {
	t.Parallel()
	prompt(t, 6*time.Second, func() time.Duration {
		server := rawServer(t, "")
		stub, pid := sshStub(t, "exec sleep 120")
		p := launch(t, "--server", "ssh://host.test", "--server", "local", "--ssh", stub, "--rate", "100", "--total", "10", server.URL())
		if !await(20*time.Second, func() bool { _, err := os.Stat(pid); return err == nil }) {
			t.Fatal("the stub was not started")
		}
		status, took := p.interrupt(t, syscall.SIGTERM)
		if status != 143 || p.stderr.String() != "ratebench: interrupted (SIGTERM) before the first request\n" || server.Conns() != 0 {
			t.Errorf("status %d, %q, %d connections", status, p.stderr, server.Conns())
		}
		if !await(10*time.Second, func() bool { return !runs(t, pid) }) {
			t.Error("the stub goes on")
		}
		return took
	})
}

// A program that is not there is a line too, and so are all hosts' faults together.
func TestHostsThatAreNotReached(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	r := live(t, "--server", "ssh://one.test", "--server", "ssh://two.test", "--ssh", "/nonexistent/ssh -v", "--rate", "100", "--total", "10", server.URL())
	if r.status != exitFailed || strings.Count(r.stderr, "\n") != 2 || !strings.Contains(r.stderr, "/nonexistent/ssh") || server.Conns() != 0 {
		t.Errorf("%+v, %d connections", r, server.Conns())
	}
}

// RC-082: a host without /proc is said to be one, and the load is done.
func TestHostWithoutProc(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	// As ssh does, the command's words are put together for a shell; what that reads has /proc elsewhere.
	stub, _ := sshStub(t, `while test "$1" != --; do shift; done; shift 2
{ for line in 1 2; do read -r script; printf '%s\n' "$script" | sed 's,/proc/,/nonexistent/,g'; done; exec cat; } | sh -c "$*"`)
	m := measure(t, "--server", "ssh://host.test", "--ssh", stub, "--rate", "100", "--total", "10", server.URL())
	if m.status != exitDone || m.Summary.Replies != 10 || len(m.Server) != 1 || m.Server[0].CPU.Defined() || !strings.Contains(m.stdout, "no /proc") {
		t.Errorf("status %d, %d replies, servers %+v, %s%s", m.status, m.Summary.Replies, m.Server, m.stdout, m.stderr)
	}
}

// Whoever is in a hurry leaves no link behind: its input ends with the process.
func TestSecondInterruptLeavesNoLink(t *testing.T) {
	t.Parallel()
	server := silentServer(t)
	stub, pid := sshStub(t, `while test "$1" != --; do shift; done; shift 2; exec sh -c "$*"`)
	p := launch(t, "--server", "ssh://host.test", "--ssh", stub, "--rate", "1", "--duration", "1h", "--timeout", "60", "http://"+server.Addr().String()+"/")
	conn, err := server.Accept() // the load has begun
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 2 {
		_ = p.cmd.Process.Signal(syscall.SIGINT) // it may have ended already
		time.Sleep(2 * together)
	}
	if status := p.wait(t); status != 130 {
		t.Errorf("status %d, %s", status, p.stderr)
	}
	if !await(20*time.Second, func() bool { return !runs(t, pid) }) {
		t.Error("the link goes on")
	}
}
