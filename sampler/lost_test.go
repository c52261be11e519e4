package sampler

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func newSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// relay carries connections to a server until it is cut; from then on it takes
// everything and passes on nothing, as a network does that has gone.
type relay struct {
	listener net.Listener
	mu       sync.Mutex
	isCut    bool
	conns    []net.Conn
}

func startRelay(t *testing.T, to string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l}
	go r.accept(to) // ends when the listener is closed
	t.Cleanup(r.close)
	return r
}

func (r *relay) accept(to string) {
	for {
		from, err := r.listener.Accept()
		if err != nil {
			return
		}
		there, err := net.Dial("tcp", to)
		if err != nil {
			from.Close()
			continue
		}
		r.mu.Lock()
		r.conns = append(r.conns, from, there)
		r.mu.Unlock()
		go r.carry(from, there) // both end when the connections are closed
		go r.carry(there, from)
	}
}

func (r *relay) carry(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		r.mu.Lock()
		cut := r.isCut
		r.mu.Unlock()
		if cut {
			io.Copy(io.Discard, from)
			return
		}
		to.Write(buffer[:n])
		if err != nil {
			to.Close()
			return
		}
	}
}

func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
}

func (r *relay) close() {
	r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		c.Close()
	}
}

// RC-080, RC-083: however the link breaks, fetch says so in time, closing takes no
// longer than it may, and nothing is left on the host.
func TestRemoteLinkBreaks(t *testing.T) {
	for name, breaks := range map[string]func(*sshd, *relay){
		"sshd killed":  func(s *sshd, _ *relay) { s.signal(syscall.SIGKILL) },
		"sshd stopped": func(s *sshd, _ *relay) { s.signal(syscall.SIGSTOP) },
		"network cut":  func(_ *sshd, r *relay) { r.cut() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSSHD(t)
			relay := startRelay(t, s.address())
			s.configure("ProxyCommand none\nHostKeyAlias [127.0.0.1]:" + port(s.address()) + "\nPort " + port(relay.listener.Addr().String()))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			how := s.ssh()
			how.pace = hasty
			got, err := connect(ctx, Host{Name: "127.0.0.1"}, how)
			if err != nil {
				t.Fatal(err)
			}
			r := got.(*remote)
			wantReading(t, r)
			sessions := sessionsOf(r.link.mark)
			breaks(s, relay)
			wantBroken(t, r)
			start := time.Now()
			ctx, cancel = context.WithTimeout(t.Context(), stopPatience)
			defer cancel()
			if err := r.close(ctx); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took > 2*stopPatience {
				t.Errorf("closing took %v", took)
			}
			wantLoopGone(t, r.link.mark, sessions)
			if _, err := os.Stat(r.layout.dir); err == nil {
				t.Errorf("%s is left", r.layout.dir)
			}
		})
	}
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// wantBroken fetches as a Watch does until the link is lost or lostAfter is over.
func wantBroken(t *testing.T, r *remote) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lostAfter)
	defer cancel()
	for {
		_, err := r.fetch(ctx, wanted{})
		_, ended := errors.AsType[*lostError](err)
		switch {
		case ended:
			t.Log(err)
			wantOneLine(t, err)
			return
		case errors.Is(err, context.DeadlineExceeded):
			return
		case err != nil:
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // a reading may have been under way
	}
}

// TestSSHClient is no test but the client of the tests below, in a process of its
// own: it connects, says so and reads until it is ended.
func TestSSHClient(t *testing.T) {
	config := os.Getenv("SSH_CLIENT_CONFIG")
	if config == "" {
		return
	}
	host, err := ParseHost(os.Getenv("SSH_CLIENT_HOST"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := connect(t.Context(), host, SSH{Command: []string{"ssh", "-F", config}, pace: hasty})
	if err != nil {
		os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	r := got.(*remote)
	os.Stdout.WriteString("connected " + r.link.mark + " " + r.layout.dir + "\n")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		r.fetch(t.Context(), wanted{})
	}
	r.close(t.Context())
}

// client is this program as the client of s.
func (s *sshd) client() *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestSSHClient$")
	c.Env = append(os.Environ(), "SSH_CLIENT_CONFIG="+s.file("ssh_config"), "SSH_CLIENT_HOST=ssh://"+s.address())
	return c
}

// RC-083: a client that is killed or stopped leaves nothing on the host, and when it
// was killed no ssh here.
func TestRemoteClientEnds(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSSHD(t)
			c := s.client()
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { c.Process.Kill(); c.Wait() }()
			mark, dir := connectedLine(t, out)
			defer os.RemoveAll(dir)
			sessions := sessionsOf(mark)
			if len(sessions) != 2 {
				t.Errorf("sessions %v, want that of the loop and that of ssh", sessions)
			}
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			wantLoopGone(t, mark, sessions) // which ssh is in too: it ends when the loop has
		})
	}
}

// connectedLine reads what the client says.
func connectedLine(t *testing.T, out io.Reader) (mark, dir string) {
	t.Helper()
	buffer := make([]byte, 4096)
	n, err := out.Read(buffer)
	words := strings.Fields(string(buffer[:n]))
	if err != nil || len(words) != 3 || words[0] != "connected" {
		t.Fatalf("the client said %q, %v", buffer[:n], err)
	}
	return words[1], words[2]
}
