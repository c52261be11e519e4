package sampler

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sshd is a server of Debian's openssh-server on a loopback port, with a user's
// files for it: keys, known hosts and configuration.
type sshd struct {
	t    *testing.T
	dir  string
	port int
	pid  int
	log  string
}

// startSSHD starts one that lets the key in dir/key in. Lines come first in its
// configuration, so that they have the last word.
func startSSHD(t *testing.T, lines ...string) *sshd {
	t.Helper()
	s := &sshd{t: t, dir: t.TempDir(), port: freePort(t)}
	s.log = s.file("log")
	s.keygen("hostkey")
	s.keygen("key")
	public, err := os.ReadFile(s.file("key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("authorized", string(public))
	s.know("hostkey.pub")
	s.write("sshd_config", strings.Join(lines, "\n")+fmt.Sprintf(`
ListenAddress 127.0.0.1:%d
HostKey %s
AuthorizedKeysFile %s
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
`, s.port, s.file("hostkey"), s.file("authorized")))
	s.configure("")
	s.start()
	return s
}

func (s *sshd) start() {
	s.t.Helper()
	program, err := exec.LookPath("sshd")
	if err != nil {
		program = "/usr/sbin/sshd" // where a user's PATH does not look
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // it insists (sshd(8))
			s.t.Fatal(err)
		}
	}
	c := exec.Command(program, "-D", "-E", s.log, "-f", s.file("sshd_config"))
	if err := c.Start(); err != nil {
		s.t.Fatalf("these tests need Debian's openssh-server: %v", err)
	}
	s.pid = c.Process.Pid
	s.t.Cleanup(func() {
		for _, p := range append(descendants(s.pid), s.pid) {
			syscall.Kill(p, syscall.SIGKILL)
		}
		c.Wait()
		if s.t.Failed() {
			said, _ := os.ReadFile(s.log)
			s.t.Logf("sshd: %s", said)
		}
	})
	eventually(s.t, 10*time.Second, "sshd to listen", func() bool {
		conn, err := net.DialTimeout("tcp", s.address(), time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func (s *sshd) address() string         { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }
func (s *sshd) file(name string) string { return filepath.Join(s.dir, name) }
func (s *sshd) host() Host              { return Host{Name: "127.0.0.1", Port: uint16(s.port)} }
func (s *sshd) ssh() SSH                { return SSH{Command: []string{"ssh", "-F", s.file("ssh_config")}} }

func (s *sshd) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.file(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sshd) keygen(name string, args ...string) {
	s.t.Helper()
	args = append([]string{"-q", "-t", "ed25519", "-N", "", "-C", name, "-f", s.file(name)}, args...)
	if said, err := exec.Command("ssh-keygen", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("ssh-keygen: %v: %s", err, said)
	}
}

// know makes the key in a file the known one of the host; none with "".
func (s *sshd) know(name string) {
	s.t.Helper()
	line := ""
	if name != "" {
		public, err := os.ReadFile(s.file(name))
		if err != nil {
			s.t.Fatal(err)
		}
		line = fmt.Sprintf("[127.0.0.1]:%d %s", s.port, public)
	}
	s.write("known_hosts", line)
}

// configure writes the user's configuration: lines, or what lets the key in.
func (s *sshd) configure(lines string) {
	s.t.Helper()
	if !strings.Contains(lines, "Identity") {
		lines += "\nIdentityFile " + s.file("key")
	}
	s.write("ssh_config", lines+fmt.Sprintf("\nUserKnownHostsFile %s\nGlobalKnownHostsFile /dev/null\nIdentityAgent none\n", s.file("known_hosts")))
}

// connect is to succeed; the transport is closed with the test if that has not done so.
func (s *sshd) connect() *remote {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	got, err := connect(ctx, s.host(), s.ssh())
	if err != nil {
		s.t.Fatal(err)
	}
	r := got.(*remote)
	s.t.Cleanup(func() { r.close(context.Background()) })
	return r
}

// refused is the error of a connection that must fail, soon.
func (s *sshd) refused(how SSH) error {
	s.t.Helper()
	start := time.Now()
	got, err := connect(s.t.Context(), s.host(), how)
	if err == nil {
		got.close(s.t.Context())
		s.t.Fatal("connected, want an error")
	}
	if took := time.Since(start); took > 10*time.Second {
		s.t.Errorf("took %v to fail", took)
	}
	wantOneLine(s.t, err)
	return err
}

// sessions are the processes of sshd that serve a connection.
func (s *sshd) sessions() []int {
	var found []int
	for _, p := range descendants(s.pid) {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p)); strings.TrimSpace(string(name)) == "sshd" {
			found = append(found, p)
		}
	}
	return found
}

func (s *sshd) signal(sig syscall.Signal) {
	s.t.Helper()
	sessions := s.sessions()
	if len(sessions) == 0 {
		s.t.Fatal("sshd serves nobody")
	}
	for _, p := range sessions {
		if err := syscall.Kill(p, sig); err != nil {
			s.t.Fatal(err)
		}
	}
}
