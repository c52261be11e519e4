package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal: the end that a person would look at, and what
// has appeared there.
type terminal struct {
	master, slave *os.File
	mu            sync.Mutex
	shown         bytes.Buffer
}

// openTerminal opens a terminal of that many columns; 0 leaves its size unknown.
func openTerminal(t *testing.T, columns uint16) *terminal {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{master: os.NewFile(uintptr(fd), "ptmx"), slave: slave}
	t.Cleanup(func() { term.master.Close(); term.slave.Close() })
	go term.watch() // ends when the master is closed
	return term
}

func (m *terminal) watch() {
	buffer := make([]byte, 4096)
	for {
		n, err := m.master.Read(buffer)
		m.mu.Lock()
		m.shown.Write(buffer[:n])
		m.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (m *terminal) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown.String()
}

// on starts ratebench on the terminal as a shell would.
func (m *terminal) on(t *testing.T, args ...string) *started {
	t.Helper()
	cmd, stderr := process(t, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.slave, m.slave, m.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.slave.Close()
	return &started{cmd, &bytes.Buffer{}, stderr}
}

// RC-091: the terminal closes in the middle of a run.
func TestTerminalCloses(t *testing.T) {
	t.Parallel()
	prompt(t, time.Second, func() time.Duration {
		server, saved, term := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json"), openTerminal(t, 100)
		p := term.on(t, "--rate", "100", "--total", "10000", "-o", saved, server.URL())
		atLeast(t, server, 120)
		began := time.Now()
		term.master.Close()
		status := p.wait(t)
		took := time.Since(began)
		d := readDocument(t, saved, result{status: status})
		if status != 129 || !d.Interrupted || d.Summary.Sent != uint64(server.Requests()) {
			t.Errorf("status %d, interrupted %v, sent %d of which the server read %d", status, d.Interrupted, d.Summary.Sent, server.Requests())
		}
		if !strings.Contains(term.text(), "replies 1") {
			t.Errorf("no progress on the terminal: %q", term.text())
		}
		return took
	})
}

// Ctrl-C at the terminal: the line of progress goes, the report comes.
func TestInterruptAtTheTerminal(t *testing.T) {
	t.Parallel()
	server, term := rawServer(t, ""), openTerminal(t, 100)
	p := term.on(t, "--rate", "100", "--total", "10000", server.URL())
	atLeast(t, server, 120)
	if _, err := term.master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(t); status != 130 {
		t.Errorf("status %d", status)
	}
	if !await(10*time.Second, func() bool { return strings.Contains(term.text(), "ratebench: interrupted (SIGINT)") }) ||
		!strings.Contains(term.text(), "interrupted after") {
		t.Errorf("the terminal shows %q", term.text())
	}
}

// Whatever the terminal's size, its progress does not hurt the run.
func TestOddTerminals(t *testing.T) {
	t.Parallel()
	type screen struct {
		columns uint16
		saved   string
		*terminal
		*started
	}
	var screens []screen
	for _, columns := range []uint16{0, 1, 7, 40, 65535} {
		server, saved, term := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json"), openTerminal(t, columns)
		screens = append(screens, screen{columns, saved, term, term.on(t, "--rate", "100", "--total", "110", "-o", saved, server.URL())})
	}
	for _, s := range screens {
		if status := s.wait(t); status != exitDone && status != exitInvalid {
			t.Errorf("%d columns: status %d, the terminal shows %q", s.columns, status, s.text())
		}
		if d := readDocument(t, s.saved, result{}); d.Summary.Replies != 110 {
			t.Errorf("%d columns: %d replies", s.columns, d.Summary.Replies)
		}
	}
}
