package sampler

import (
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestTrouble(t *testing.T) {
	l := &link{host: Host{User: "bench", Name: "h", Port: 2222}}
	for said, want := range map[string]string{
		"@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@\nHost key verification failed.":                    `^the host key has changed: .* ssh -p 2222 bench@h$`,
		"No ED25519 host key is known for [h]:2222 and you have requested strict checking.\nHost key verification failed.": `^the host key is not known: .* ssh -p 2222 bench@h$`,
		"bench@h: Permission denied (publickey,password).":                                                                 `^authentication failed for bench@h \(publickey,password\)$`,
		"Received disconnect from 1.2.3.4 port 22:2: Too many authentication failures\nDisconnected":                       `^authentication failed: too many keys`,
		"Permissions 0644 for 'k' are too open.\nLoad key \"k\": bad permissions\nb@h: Permission denied (publickey).":     `^authentication failed for b@h \(publickey\): Permissions 0644`,
		"ssh: connect to host h port 2222: Connection timed out":                                                           `^not reached: Connection timed out$`,
		"ssh: connect to host h port 2222: No route to host\r":                                                             `^not reached: No route to host$`,
		"ssh: Could not resolve hostname h: Name or service not known":                                                     `^not reached: Name or service not known$`,
		"Connection timed out during banner exchange\nConnection to 1.2.3.4 port 22 timed out":                             `^not reached: Connection timed out during banner exchange$`,
		"kex_exchange_identification: read: Connection reset by peer":                                                      `^not reached: read: Connection reset by peer$`,
		"\x1b[31mred\x1b[0m \u202e":           `saying "\\x1b\[31mred\\x1b\[0m \\u202e"$`,
		"":                                    `^ssh ended$`,
		"\xff" + strings.Repeat("\x00", 5000): `and more$`,
	} {
		l.said = tail{}
		l.said.Write([]byte(said))
		wantError(t, l.trouble(nil), want)
	}
	wantError(t, notStarted("ssh", &exec.Error{Name: "ssh", Err: exec.ErrNotFound}), `^ssh is not installed here`)
	wantError(t, notStarted("ssh", errors.New("no memory")), `^starting ssh, to reach another host: no memory$`)
	wantError(t, notStarted("/tmp", &fs.PathError{Op: "fork/exec", Path: "/tmp", Err: syscall.EACCES}), `^starting /tmp, to reach another host: permission denied$`)
}

// However much is said, the end of it is kept and no more.
func TestTail(t *testing.T) {
	var text tail
	for range 100 {
		text.Write([]byte(strings.Repeat("x", 3*mostTail/2)))
		text.Write([]byte("end"))
	}
	if got := text.String(); len(got) != mostTail || !strings.HasSuffix(got, "xend") {
		t.Errorf("%d bytes kept, ending in %q", len(got), got[len(got)-4:])
	}
}
