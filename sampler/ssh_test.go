package sampler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// RC-077: a host key that is not known, or another than is known, ends the attempt.
func TestSSHHostKey(t *testing.T) {
	s := startSSHD(t)
	s.know("")
	wantError(t, s.refused(s.ssh()), fmt.Sprintf(`^the host key is not known: .* ssh -p %d 127\.0\.0\.1`, s.port))
	if text, _ := os.ReadFile(s.file("known_hosts")); len(text) > 0 {
		t.Errorf("the key was accepted: %s", text)
	}
	s.know("key.pub")
	wantError(t, s.refused(s.ssh()), `^the host key has changed`)
	s.configure("StrictHostKeyChecking yes")
	s.know("")
	wantError(t, s.refused(s.ssh()), `is not known`)
}

// The user's configuration decides: we do not accept keys, nor forbid to.
func TestSSHAcceptsNewKeyIfConfigured(t *testing.T) {
	s := startSSHD(t)
	s.know("")
	s.configure("StrictHostKeyChecking accept-new")
	s.connect()
	if text, _ := os.ReadFile(s.file("known_hosts")); len(text) == 0 {
		t.Error("nothing was added to the known hosts")
	}
}

// RC-079: an agent full of wrong keys is in the way of neither the identity given
// nor a clear message.
func TestSSHAuthentication(t *testing.T) {
	s := startSSHD(t, "MaxAuthTries 2")
	agent := s.agentOfWrongKeys(6)
	s.configure("IdentityAgent " + agent)
	how := s.ssh()
	how.Identity = s.file("key")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	got, err := connect(ctx, s.host(), how)
	if err != nil {
		t.Fatalf("with the identity given: %v", err)
	}
	got.close(t.Context())

	wantError(t, s.refused(s.ssh()), `^authentication failed: too many keys were tried; name the one to use$`)
	s.keygen("stranger")
	s.configure("IdentityFile " + s.file("stranger"))
	wantError(t, s.refused(s.ssh()), `^authentication failed for `+me(t)+`@127\.0\.0\.1 \(publickey\)$`)
	s.configure("IdentityAgent " + agent)
	how.Identity = s.file("stranger")
	wantError(t, s.refused(how), `^authentication failed for `+me(t)+`@127\.0\.0\.1 \(publickey\)$`)
	s.keygen("locked", "-N", "secret")
	how.Identity = s.file("locked")
	wantError(t, s.refused(how), `^authentication failed for \S+ \(publickey\): \S+/locked has a passphrase, so it needs an agent that holds it \(ssh-add\)$`)
	how.Identity = s.file("nosuch")
	wantError(t, s.refused(how), `^authentication failed for .*\(publickey\): Identity file \S+/nosuch not accessible: No such file`)
	eventually(t, 5*time.Second, "the log to have 6 attempts", func() bool { return s.attempts() >= 6 })
	if n := s.attempts(); n != 6 {
		t.Errorf("%d attempts, want one for each of 6 calls", n)
	}
}

// attempts are the connections that came to a user's name, by the log.
func (s *sshd) attempts() int {
	text, _ := os.ReadFile(s.log)
	n := 0
	for _, ended := range []string{"Accepted publickey", "Connection closed by authenticating user", "Disconnecting authenticating user"} {
		n += strings.Count(string(text), ended)
	}
	return n
}

// agentOfWrongKeys is the socket of an agent that ends with the test.
func (s *sshd) agentOfWrongKeys(n int) string {
	s.t.Helper()
	socket := s.file("agent")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := agent.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
	eventually(s.t, 10*time.Second, "the agent", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	for i := range n {
		name := fmt.Sprintf("wrong%d", i)
		s.keygen(name)
		add := exec.Command("ssh-add", "-q", s.file(name))
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		if said, err := add.CombinedOutput(); err != nil {
			s.t.Fatalf("ssh-add: %v: %s", err, said)
		}
	}
	return socket
}

func TestSSHNotReached(t *testing.T) {
	s := startSSHD(t)
	h := Host{Name: "127.0.0.1", Port: uint16(freePort(t))}
	_, err := connect(t.Context(), h, s.ssh())
	wantError(t, err, `^not reached: Connection refused$`)
	_, err = connect(t.Context(), Host{Name: "no-such-host.invalid"}, s.ssh())
	wantError(t, err, `^not reached: \S`)
	_, err = connect(t.Context(), s.host(), SSH{Command: []string{"no-such-ssh"}})
	wantError(t, err, `^no-such-ssh is not installed here`)
	_, err = connect(t.Context(), s.host(), SSH{Command: []string{"ssh", "-F", s.file("nosuch")}})
	wantError(t, err, `^ssh ended with exit status 255, saying "Can't open user config file`)
}

// A server that accepts and says nothing is left when the context ends.
func TestSSHSilentServer(t *testing.T) {
	s := startSSHD(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = connect(ctx, Host{Name: "127.0.0.1", Port: uint16(l.Addr().(*net.TCPAddr).Port)}, s.ssh())
	wantError(t, err, `^no answer: context deadline exceeded`)
	if took := time.Since(start); took > 8*time.Second {
		t.Errorf("took %v to give up", took)
	}
}

// The host of another name: a Host cannot be an option to ssh.
func TestSSHCommandLine(t *testing.T) {
	c := sshCommand(Host{User: "bench", Name: "host", Port: 22}, SSH{Command: []string{"my ssh", "-v"}, Identity: "a key"}, "command")
	got := strings.Join(c.Args, "|")
	for _, want := range []string{"my ssh|-v|-T|", "|-o|BatchMode=yes|", "|-i|a key|-o|IdentitiesOnly=yes|", "|-p|22|-l|bench|--|host|command"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: want %s", got, want)
		}
	}
	if !c.SysProcAttr.Setsid {
		t.Error("ssh has the terminal")
	}
	if got := sshCommand(Host{Name: "h"}, SSH{}, "c").Args[0]; got != "ssh" {
		t.Errorf("program %q, want ssh", got)
	}
}

// wantError compares an error's line with a pattern.
func wantError(t *testing.T, err error, pattern string) {
	t.Helper()
	if fault := errorDiffers(err, pattern); fault != "" {
		t.Error(fault)
		return
	}
	wantOneLine(t, err)
}

func errorDiffers(err error, pattern string) string {
	if err == nil {
		return "no error, want " + pattern
	}
	if !regexp.MustCompile(pattern).MatchString(err.Error()) {
		return fmt.Sprintf("error %s\nwant  %s", err, pattern)
	}
	return ""
}

func TestErrorDiffers(t *testing.T) {
	if errorDiffers(errors.New("this"), "^this$") != "" || errorDiffers(errors.New("that"), "^this$") == "" || errorDiffers(nil, ".") == "" {
		t.Error("the comparison does not tell errors apart")
	}
}
