package sampler

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is no sampler at the other end, played by programs in the place of ssh.
func TestSSHHostIsNoSampler(t *testing.T) {
	onlySh := linkPrograms(t, map[string]string{"sh": "/bin/sh"})
	for script, want := range map[string]string{
		`echo 'This account is currently not available.'; exit 1`: `^ssh ended with exit status 1; it printed "This account is currently not available\." and nothing of the sampler's$`,
		`echo 'bash: line 1: exec: sh: not found' >&2; exit 127`:  `^no sh was found, saying "bash: line 1: exec: sh: not found"`,
		`while :; do echo garbage; done`:                          `^the host runs something else than the sampler: it printed "garbage\\ngarbage`,
		`cat /dev/zero`:                                           `^the host runs something else than the sampler: it printed "\\x00`,
		`printf '\033[2J\033]0;owned\007' >&2; exit 3`:            `^ssh ended with exit status 3, saying "\\x1b\[2J`,
		`PATH=` + onlySh + `; ` + runsIt:                          `^the host has no cat, which the sampler needs$`,
		`sed -u s,/proc/uptime,/none,g | { ` + runsIt + `; }`:     `^host has no /proc: CPU not sampled$`,
		`exec kill -9 $$`:                                         `^ssh ended`,
		`: `:                                                      `^ssh ended`,
	} {
		r, err := connect(t.Context(), Host{Name: "h"}, stubSSH(t, script))
		if err == nil {
			r.close(t.Context())
			t.Errorf("%s: connected", script)
			continue
		}
		wantError(t, err, want)
		if errors.Is(err, ErrNoProc) != strings.Contains(want, "/proc") {
			t.Errorf("%s: %v is ErrNoProc: %v", script, err, errors.Is(err, ErrNoProc))
		}
	}
}

// A host that echoes what it is sent and waits for more; and one whose loop was killed.
func TestSSHHostGoesWrong(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := connect(ctx, Host{Name: "h"}, stubSSH(t, "cat"))
	wantError(t, err, `^no answer: context deadline exceeded; it printed "command -v bash`)

	got, err := connect(t.Context(), Host{Name: "h"}, stubSSH(t, "("+runsIt+") || exit 255"))
	if err != nil {
		t.Fatal(err)
	}
	r := got.(*remote)
	defer r.close(t.Context())
	if err := syscall.Kill(int(r.loop[0]), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.link.ended
	_, err = r.fetch(t.Context(), wanted{})
	wantError(t, err, `^ssh ended|^the sampler there was ended`)
	if _, ended := errors.AsType[*lostError](err); !ended {
		t.Errorf("%v is no loss", err)
	}
}

// Whatever a host sends, no more is kept than is said to be.
func TestSSHEndlessAnswer(t *testing.T) {
	l := &link{host: Host{Name: "h"}, mark: "M"}
	err := l.receiveAnswer(bufio.NewReader(endless{}), nil)
	wantError(t, err, `^the host answered with more than 32 MiB$`)
}

// endless is a reader of lines without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	p[len(p)-1] = '\n'
	return len(p), nil
}

// runsIt is a script that runs the command it is given last, as sshd does.
const runsIt = `for c; do :; done; /bin/sh -c "$c"`

// stubSSH is a shell script in the place of ssh.
func stubSSH(t *testing.T, script string) SSH {
	t.Helper()
	return SSH{Command: []string{"/bin/sh", "-c", script, "stub"}}
}

// A login that prints its own before, forced to begin a line in the middle of one.
func TestSSHSkipsWhatLoginPrints(t *testing.T) {
	s := stubSSH(t, `echo 'Welcome!'; echo 'ratebench-' ; printf 'no line end'; `+runsIt)
	r, err := connect(t.Context(), Host{Name: "h"}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close(t.Context())
	if _, err := r.fetch(t.Context(), wanted{}); err != nil {
		t.Error(err)
	}
}

// RC-082: hosts with no more than a shell, cat and sleep. The login shell is the
// user's; only what the loop calls is replaced.
func TestSSHTinyHosts(t *testing.T) {
	for name, programs := range map[string]map[string]string{
		"busybox": {"sh": "/bin/busybox", "cat": "/bin/busybox", "sleep": "/bin/busybox", "echo": "/bin/busybox"},
		"dash":    {"sh": "/bin/dash", "cat": "/bin/cat", "sleep": "/bin/sleep", "echo": "/bin/echo"},
		"bash":    {"sh": "/bin/bash", "cat": "/bin/cat", "sleep": "/bin/sleep"},
		"both":    {"sh": "/bin/dash", "bash": "/bin/bash", "cat": "/bin/cat", "sleep": "/bin/sleep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := linkPrograms(t, programs)
			s := startSSHD(t, "SetEnv PATH="+path)
			r := s.connect()
			wantReading(t, r)
			v, err := r.fetch(t.Context(), wanted{find: true, sockets: true})
			if err != nil || (v.owners != nil) != (name == "busybox") { // one that is built as a rescue shell has an ls all the same
				t.Errorf("%v, %d sockets have an owner", err, len(v.owners))
			}
			wantReading(t, r)
			wantNothingLeft(t, r)
		})
	}
}

// linkPrograms makes a directory of links.
func linkPrograms(t *testing.T, programs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, target := range programs {
		target, err := filepath.EvalSymlinks(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
