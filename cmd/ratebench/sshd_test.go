package main

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/report"
)

// startSSHD starts Debian's openssh-server with keys of its own, and returns the
// host and the command that reach it.
func startSSHD(t *testing.T) (host, command string) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // it insists (sshd(8))
			t.Fatal(err)
		}
	}
	d := startDaemon(t, "sshd", func(d *daemon) []string {
		for _, key := range []string{"hostkey", "key"} {
			if said, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", d.path(key)).CombinedOutput(); err != nil {
				t.Fatalf("ssh-keygen: %v: %s", err, said)
			}
		}
		known, err := os.ReadFile(d.path("hostkey.pub"))
		if err != nil {
			t.Fatal(err)
		}
		d.put(t, "known", fmt.Sprintf("[127.0.0.1]:%d %s", d.port, known))
		d.put(t, "ssh_config", fmt.Sprintf("UserKnownHostsFile %s\nGlobalKnownHostsFile /dev/null\nIdentityFile %s\nIdentityAgent none\n", d.path("known"), d.path("key")))
		return []string{"-D", "-e", "-f", d.put(t, "sshd_config", fmt.Sprintf(
			"ListenAddress 127.0.0.1:%d\nHostKey %s\nAuthorizedKeysFile %s\nPidFile %s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n",
			d.port, d.path("hostkey"), d.path("key.pub"), d.path("pid")))}
	})
	if !await(10*time.Second, func() bool {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", d.port), time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}) {
		t.Fatalf("sshd does not listen: %s", d.said.String())
	}
	return fmt.Sprintf("ssh://127.0.0.1:%d", d.port), "ssh -F " + d.path("ssh_config")
}

// apart says how the figures of one and the same server, seen over two links,
// differ by more than their precision and what it used in the time by which the
// readings lay apart; empty if they do not.
func apart(a, b *report.Server) string {
	between := math.Abs(float64(a.From-b.From)) + math.Abs(float64(a.To-b.To))
	bound := float64(a.Precision+b.Precision) + between*max(float64(a.Cores), 1)
	switch {
	case !a.CPU.Defined() || !b.CPU.Defined() || !(bound > 0):
		return "figures are missing"
	case !(math.Abs(float64(a.CPU-b.CPU)) <= bound):
		return fmt.Sprintf("%v s and %v s of CPU, %v s would be in order", a.CPU, b.CPU, bound)
	case a.Processes != b.Processes:
		return fmt.Sprintf("%v and %v processes", a.Processes, b.Processes)
	}
	return ""
}

func TestApartTellsADifference(t *testing.T) {
	server := func(cpu, from, processes float64) *report.Server {
		return &report.Server{CPU: record.Number(cpu), From: record.Number(from), To: 10, Precision: 0.01, Cores: 0.1, Processes: record.Number(processes)}
	}
	if why := apart(server(1, 1, 2), server(1.019, 1, 2)); why != "" {
		t.Error(why)
	}
	if why := apart(server(1, 1, 2), server(1.09, 1.1, 2)); why != "" {
		t.Error(why)
	}
	for _, other := range []*report.Server{server(1.03, 1, 2), server(0.97, 1, 2), server(1, 1, 3), server(math.NaN(), 1, 2)} {
		if apart(server(1, 1, 2), other) == "" {
			t.Errorf("%+v passes", other)
		}
	}
}

// One server, watched here and over a link at once: the same figures.
func agree(t *testing.T, remote, ssh string) {
	t.Helper()
	nginx := startNginx(t)
	pid := strconv.Itoa(nginx.cmd.Process.Pid)
	m := measure(t, "--server", "local", "--server", remote, "--ssh", ssh, "--process", pid,
		"--rate", "1000", "--duration", "5s", "--keepalive", nginx.url("/main"))
	if m.status != exitDone || len(m.Server) != 2 || len(m.Hosts) != 2 {
		t.Fatalf("status %d, %d servers, %d hosts: %s", m.status, len(m.Server), len(m.Hosts), m.stderr)
	}
	if why := apart(&m.Server[0], &m.Server[1]); why != "" {
		t.Errorf("%s\n%s", why, m.stdout)
	}
	if first, second := m.Server[0].Within, m.Server[1].Within; first != "" || !strings.HasSuffix(second, " on local") {
		t.Errorf("one server by two ways counts as %q and %q", first, second)
	}
	if s := &m.Server[1]; s.Host == "local" || !(s.CPU > 0) || len(s.Samples) < 4 || m.Hosts[1].Lost != nil {
		t.Errorf("over the link: %+v, %+v", s, m.Hosts[1].Lost)
	}
}

// findOverTheLink lets a port be found on the other side, and something that is on neither.
func findOverTheLink(t *testing.T, remote, ssh string) {
	t.Helper()
	nginx := startNginx(t)
	m := measure(t, "--server", remote, "--ssh", ssh, "--rate", "300", "--total", "450", nginx.url("/main"))
	port := ":" + strconv.Itoa(nginx.port)
	if m.status != exitDone || len(m.Server) != 1 || m.Server[0].Name != "nginx ("+port+")" || m.Server[0].Processes != 2 {
		t.Errorf("status %d, servers %+v: %s", m.status, m.Server, m.stderr)
	}
	for _, process := range []string{port, "pidfile:" + nginx.path("pid"), "unix:" + nginx.path("socket")} {
		m := measure(t, "--server", "local", "--server", remote, "--ssh", ssh, "--process", process, "--rate", "300", "--total", "150", nginx.url("/main"))
		if m.status != exitDone || len(m.Server) != 2 || m.Server[1].Name != m.Server[0].Name {
			t.Errorf("%s: status %d, servers %+v: %s", process, m.status, m.Server, m.stderr)
		}
	}
	r := live(t, "--server", "local", "--server", remote, "--ssh", ssh, "--process", "nosuchprocess", "--rate", "1", "--total", "1", nginx.url("/none"))
	if r.status != exitFailed || r.stderr != "ratebench: nosuchprocess: found on none of local, "+remote[len("ssh://"):]+"\n" {
		t.Errorf("%+v", r)
	}
	if lines := nginx.logged(t, "log", "/none", 0); len(lines) != 0 {
		t.Errorf("nginx was asked %d times", len(lines))
	}
}

func TestRealSSHD(t *testing.T) {
	t.Parallel()
	remote, ssh := startSSHD(t)
	agree(t, remote, ssh)
	findOverTheLink(t, remote, ssh)
}

// The same with a shell in the place of ssh and its host.
func TestShellForSSH(t *testing.T) {
	t.Parallel()
	stub, pid := sshStub(t, `while test "$1" != --; do shift; done; shift 2; exec sh -c "$*"`)
	agree(t, "ssh://bench@host.test:2222", stub)
	findOverTheLink(t, "ssh://bench@host.test:2222", stub)
	if !await(10*time.Second, func() bool { return !runs(t, pid) }) {
		t.Error("the link's other end goes on")
	}
}
