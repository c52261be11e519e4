package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemon is a server program of Debian's with a configuration of its own, in
// the foreground, ended by its number when the test ends.
type daemon struct {
	program string
	dir     string // of its files
	port    int    // that it listens on
	tlsPort int    // for TLS, if it speaks that
	cmd     *exec.Cmd
	said    bytes.Buffer
	ended   chan struct{}
}

// startDaemon runs program with the arguments that configure returns after it
// has written the files. The server has to write its number to dir/pid once it
// listens: that another process took the port shows by its ending instead.
func startDaemon(t *testing.T, program string, configure func(d *daemon) (args []string)) *daemon {
	t.Helper()
	var said string
	for range 5 {
		d := &daemon{program: find(t, program), dir: daemonDir(t), ended: make(chan struct{})}
		d.port, d.tlsPort = freePort(t), freePort(t)
		d.cmd = exec.Command(d.program, configure(d)...)
		d.cmd.Stdout, d.cmd.Stderr, d.cmd.WaitDelay = &d.said, &d.said, time.Second
		if err := d.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the process, which the test ends
			_ = d.cmd.Wait()
			close(d.ended)
		}()
		t.Cleanup(d.stop)
		if await(10*time.Second, d.ready) && d.running() {
			return d
		}
		d.stop()
		said = d.said.String()
	}
	t.Fatalf("%s does not start: %s", program, said)
	return nil
}

// find is the path of a program, which Debian keeps where a user's PATH does not look.
func find(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + program)
	}
	if err != nil {
		t.Fatalf("%v: make deps installs it", err)
	}
	return path
}

// daemonDir is a directory that a server's own user may enter, short enough for
// a socket's path.
func daemonDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (d *daemon) ready() bool {
	text, err := os.ReadFile(d.path("pid"))
	return err == nil && len(bytes.TrimSpace(text)) > 0 || !d.running()
}

func (d *daemon) running() bool {
	select {
	case <-d.ended:
		return false
	default:
		return true
	}
}

// stop ends the server, politely first.
func (d *daemon) stop() {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.ended:
		return
	case <-time.After(10 * time.Second):
	}
	_ = d.cmd.Process.Kill()
	<-d.ended
}

func (d *daemon) path(name string) string { return filepath.Join(d.dir, name) }

// url is the address of a path of the server.
func (d *daemon) url(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", d.port, path) }

// put writes one of the server's files.
func (d *daemon) put(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return d.path(name)
}

// logged are the lines of a log that begin with prefix and a blank. They are
// written after the client has its reply: at least want of them are waited for,
// and what might follow has time to until the server has ended.
func (d *daemon) logged(t *testing.T, log, prefix string, want int) [][]string {
	t.Helper()
	lines := func() (found [][]string) {
		text, err := os.ReadFile(d.path(log))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, prefix+" ") && strings.HasSuffix(line, "\n") {
				found = append(found, strings.Fields(line))
			}
		}
		return found
	}
	await(10*time.Second, func() bool { return len(lines()) >= want })
	return lines()
}

// column are the different values of a column of lines and how often each is there.
func column(lines [][]string, i int) map[string]int {
	values := map[string]int{}
	for _, fields := range lines {
		if i < len(fields) {
			values[fields[i]]++
		}
	}
	return values
}

// only says whether every one of n lines has this value in a column.
func only(lines [][]string, i int, value string, n int) bool {
	return len(lines) == n && column(lines, i)[value] == n
}

func TestOnlyTellsADifference(t *testing.T) {
	lines := [][]string{{"/a", "200"}, {"/a", "200"}}
	if !only(lines, 1, "200", 2) {
		t.Error("what is so is not seen")
	}
	if only(lines, 1, "200", 3) || only(lines, 1, "503", 2) || only(lines, 2, "200", 2) ||
		only(append(lines, []string{"/a", "503"}), 1, "200", 3) {
		t.Error("what is not so passes")
	}
}
