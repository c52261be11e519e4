package sampler

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal: what its user sees and types, and the program's end.
func terminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { user.Close() })
	var n int
	control(t, user, func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		n, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return user, program
}

func control(t *testing.T, f *os.File, do func(fd int) error) {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
}

// startOnTerminal runs the client of s with a terminal of its own and returns what
// it says there.
func (s *sshd) startOnTerminal() (user *os.File, lines func(ending string) string) {
	s.t.Helper()
	user, program := terminal(s.t)
	c := s.client()
	c.Stdin, c.Stdout, c.Stderr = program, program, program
	c.SysProcAttr = newSession()
	c.SysProcAttr.Setctty = true
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return user, func(ending string) string {
		var seen strings.Builder
		buffer := make([]byte, 4096)
		user.SetReadDeadline(time.Now().Add(15 * time.Second))
		for !strings.Contains(seen.String(), ending) {
			n, err := user.Read(buffer)
			if err != nil {
				s.t.Fatalf("%v after %q, waiting for %q", err, seen.String(), ending)
			}
			seen.Write(buffer[:n])
		}
		return seen.String()
	}
}

// RC-077: where there is a terminal to ask on, nothing is asked on it.
func TestSSHAsksNothingOnTerminal(t *testing.T) {
	s := startSSHD(t, "PasswordAuthentication yes")
	s.know("")
	_, lines := s.startOnTerminal()
	if got := lines("\n"); !strings.HasPrefix(got, "failed: the host key is ") || strings.Contains(got, "?") {
		t.Errorf("the terminal shows %q", got)
	}
	s.know("hostkey.pub")
	s.keygen("locked", "-N", "secret") // the last -N counts
	s.configure("IdentityFile " + s.file("locked"))
	_, lines = s.startOnTerminal()
	if got := lines("\n"); !strings.HasPrefix(got, "failed: authentication failed for ") {
		t.Errorf("the terminal shows %q", got)
	}
}

// RC-083: an interrupt at the terminal ends the client, and so the loop and ssh; it
// does not reach ssh before that.
func TestSSHInterruptAtTerminal(t *testing.T) {
	s := startSSHD(t)
	user, lines := s.startOnTerminal()
	words := strings.Fields(lines("\n"))
	if len(words) != 3 || words[0] != "connected" {
		t.Fatalf("the terminal shows %q", words)
	}
	defer os.RemoveAll(words[2])
	sessions := sessionsOf(words[1])
	if len(sessions) != 2 {
		t.Errorf("sessions %v, want that of the loop and that of ssh", sessions)
	}
	if _, err := user.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	wantLoopGone(t, words[1], sessions)
}
