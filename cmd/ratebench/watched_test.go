package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report"
	"ratebench/sampler"
)

// busyEnough is a load of which nginx uses tenths of a second, many times the
// ticks of its four readings: what the same load of 300 uses is within their
// precision on a fast core, and is then no figure.
var busyEnough = []string{"--rate", "1500", "--total", "3000"}

// watchedWrong says why a run does not have the figures of one server as it was
// named, with the number of processes, in its document and in its text; empty if
// it has.
func watchedWrong(m measured, name string, processes record.Number) string {
	if len(m.Server) != 1 || len(m.Hosts) != 1 {
		return fmt.Sprintf("%d servers on %d hosts, want one; status %d, %s", len(m.Server), len(m.Hosts), m.status, m.stderr)
	}
	s := m.Server[0]
	switch {
	case s.Name != name, s.Host != "local":
		return fmt.Sprintf("%s on %s, want %s on local", s.Name, s.Host, name)
	case s.Processes < processes:
		return fmt.Sprintf("%v processes, want %v", s.Processes, processes)
	case !s.CPU.Defined(), !(s.Precision > 0), !s.CPUPerReply.Defined(), len(s.Samples) == 0:
		return fmt.Sprintf("figures are missing: %+v", s)
	}
	for line := range strings.Lines(m.stdout) {
		if strings.HasPrefix(line, "server cpu ") && strings.Contains(line, " "+name+" ") {
			return ""
		}
	}
	return "the text has no line of it:\n" + m.stdout
}

func TestWatchedWrongTellsADifference(t *testing.T) {
	good := func() (m measured) {
		m.Server = []report.Server{{Name: "nginx", Host: "local", Processes: 2, CPU: 1, Precision: 0.01, CPUPerReply: 1, Samples: make([]report.ServerSample, 1)}}
		m.Hosts, m.stdout = make([]report.Host, 1), "server cpu   nginx  0.1"
		return m
	}
	if why := watchedWrong(good(), "nginx", 2); why != "" {
		t.Error(why)
	}
	for name, spoil := range map[string]func(*measured){
		"no server": func(m *measured) { m.Server = nil },
		"no host":   func(m *measured) { m.Hosts = nil },
		"name":      func(m *measured) { m.Server[0].Name = "x" },
		"processes": func(m *measured) { m.Server[0].Processes = 1 },
		"CPU":       func(m *measured) { m.Server[0].CPU = record.Undefined() },
		"series":    func(m *measured) { m.Server[0].Samples = nil },
		"text":      func(m *measured) { m.stdout = "server nginx" },
	} {
		m := good()
		if spoil(&m); watchedWrong(m, "nginx", 2) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}

// The plain command shows what the server used, and so does each way to name it.
func TestServerIsWatched(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	port, pid, socket := ":"+strconv.Itoa(nginx.port), strconv.Itoa(nginx.cmd.Process.Pid), nginx.path("socket")
	for name, options := range map[string][]string{
		"nginx (" + port + ")": nil, "nginx (" + pid + ")": {"--server", "local", "--process", pid},
		"nginx (unix:" + socket + ")": {"--unix-socket", socket},
	} {
		m := measure(t, append(append(options, busyEnough...), nginx.url("/main"))...)
		if why := watchedWrong(m, name, 2); why != "" {
			t.Errorf("%q: %s", options, why)
		}
	}
	m := measure(t, "--process", port, "--process", "pidfile:"+nginx.path("pid"), "--rate", "300", "--total", "300", nginx.url("/main"))
	if len(m.Server) != 2 || m.Server[0].Name != "nginx ("+port+")" || m.Server[0].Processes != m.Server[1].Processes {
		t.Errorf("two selections: %+v; %s", m.Server, m.stderr)
	}
}

// By name a process is found that is not the client's own child, as it is here
// but for a client that is a process of its own.
func TestServerIsFoundByName(t *testing.T) {
	t.Parallel()
	nginx, saved := startNginx(t), filepath.Join(t.TempDir(), "r.json")
	p := launch(t, append([]string{"--process", "nginx", "-o", saved, nginx.url("/main")}, busyEnough...)...)
	r := result{status: p.wait(t), stdout: p.stdout.String(), stderr: p.stderr.String()}
	if why := watchedWrong(measured{r, readDocument(t, saved, r)}, "nginx", 2); why != "" {
		t.Error(why)
	}
}

func TestServerNone(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	m := measure(t, "--server", "none", "--rate", "100", "--total", "10", server.URL())
	if len(m.Server) != 0 || len(m.Hosts) != 0 || strings.Contains(m.stdout, "server cpu") || m.Summary.Replies != 10 {
		t.Errorf("servers %+v, hosts %+v\n%s", m.Server, m.Hosts, m.stdout)
	}
}

// That nothing is watched which nobody asked for is said, and is no doubt of the run.
func TestNotWatched(t *testing.T) {
	s := new(app).newServers(watching{}, plan.New())
	s.watches = []*watchedHost{{err: fmt.Errorf("port 80 is another user's\nand more")}}
	s.leaveOut()
	d := &report.Document{}
	s.addTo(d, nil)
	if f := d.Verdict.Findings; len(f) != 1 || f[0].Text != "server not watched: port 80 is another user's" || d.Verdict.Status == record.Suspect || len(s.watches) != 0 {
		t.Errorf("%+v, %d watches", d.Verdict, len(s.watches))
	}
}

// What was asked for and is not there is said before any load, a line for each.
func TestNothingToWatch(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	for args, want := range map[string][]string{
		"--process nosuchprocess":                         {"nosuchprocess"},
		"--process nosuchprocess --process pidfile:/no/x": {"nosuchprocess", "/no/x"},
		"--server local --process cgroup:no/such":         {"no/such"},
	} {
		r := live(t, append(strings.Fields(args), "--rate", "100", "--total", "10", server.URL())...)
		lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
		named := len(lines) == len(want)
		for i := 0; named && i < len(want); i++ {
			named = strings.HasPrefix(lines[i], "ratebench: ") && strings.Contains(lines[i], want[i])
		}
		if r.status != exitFailed || r.stdout != "" || !named {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if n := server.Conns(); n != 0 {
		t.Errorf("the server saw %d connections", n)
	}
}

// A server elsewhere is not looked for here; 192.0.2.1 is nobody's (RFC 5737).
func TestProcessOfAServerElsewhere(t *testing.T) {
	r := live(t, "--process", "nginx", "--rate", "1", "--total", "1", "http://192.0.2.1/")
	want := result{exitUsage, "", "ratebench: --process nginx: the URL is not on this machine: --server says where to look\n"}
	if r != want {
		t.Errorf("%+v", r)
	}
}

// What listens on a socket is found by its path, whichever the host is and
// wherever this process is; nothing is found by a number that is this machine's.
func TestServing(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/run/x/../s": "/run/s", "dir/s": here + "/dir/s", "@name": "@name"} {
		p := plan.New()
		p.UnixSocket = path
		got := new(app).newServers(watching{}, p).serving()
		if !slices.Equal(got, []sampler.Selection{{Kind: sampler.ByUnix, Value: want}}) {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// A socket that nobody listens on is nothing to watch: no load if it was asked for.
func TestSocketWithoutAServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(daemonDir(t), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	args := []string{"--unix-socket", path, "--rate", "100", "--total", "10", "http://a.test/"}
	r := live(t, append([]string{"--server", "local"}, args...)...)
	if r.status != exitFailed || r.stdout != "" || !strings.Contains(r.stderr, path) || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
	if m := measure(t, args...); m.Summary.Errors.Total != 10 || len(m.Server) != 0 {
		t.Errorf("unasked: %+v, servers %+v", m.Summary.Errors, m.Server)
	}
}

// Two ports of one process are one server, on each of several hosts, and no port
// counts as missing.
func TestTwoPortsOfOneServer(t *testing.T) {
	t.Parallel()
	one, two := rawServer(t, ""), rawServer(t, "")
	targets := filepath.Join(t.TempDir(), "targets")
	put(t, targets, "GET "+one.URL()+"\n\nGET "+two.URL()+"\n")
	stub, _ := sshStub(t, `while test "$1" != --; do shift; done; shift 2; exec sh -c "$*"`)
	for hosts, options := range map[int][]string{1: nil, 2: {"--server", "local", "--server", "ssh://host.test", "--ssh", stub}} {
		m := measure(t, append(options, "--targets", targets, "--rate", "100", "--total", "10")...)
		if m.status != exitDone || len(m.Server) != hosts || len(m.Hosts) != hosts {
			t.Errorf("%d hosts: status %d, servers %+v, %s", hosts, m.status, m.Server, m.stderr)
		}
	}
}
