package suite

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a small server, for what only a process shows.
func TestMain(m *testing.M) {
	if address := os.Getenv("SUITE_TEST_SERVE"); address != "" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			os.Stderr.WriteString("cannot listen\n")
			os.Exit(3)
		}
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) }))
	}
	os.Exit(m.Run())
}

// serving is a server of the test binary on a port that was free a moment ago.
// before is a shell's text ahead of it.
func serving(t *testing.T, before string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	return &Server{Name: "x", URL: "http://" + address + "/", Start: before + " exec env SUITE_TEST_SERVE=" + address + " '" + self + "'"}
}

func start(t *testing.T, s *Server) (*Running, string, error) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	r, err := Start(ctx, s, dir, filepath.Join(dir, "log"))
	if r != nil {
		t.Cleanup(r.Stop)
	}
	return r, dir, err
}

func alive(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && runsIn(text, groupOf(text))
}

// groupOf is the group of a stat line.
func groupOf(stat []byte) int {
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	group, _ := strconv.Atoi(fields[2])
	return group
}

func number(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The whole group ends, also a child that hears no SIGTERM is there; the scratch
// folder goes with it.
func TestStartAndStop(t *testing.T) {
	t.Parallel()
	s := serving(t, `echo "$RATEBENCH_SCRATCH" >scratch; sleep 300 & echo $! >child; echo begun >&2;`)
	size := int64(5)
	s.Expect, s.Stop = Expect{Status: 200, Bytes: &size, Contains: "ell"}, "touch stopped"
	r, dir, err := start(t, s)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := os.ReadFile(filepath.Join(dir, "scratch"))
	child := number(t, filepath.Join(dir, "child"))
	if err != nil || !alive(child) || !alive(r.PID()) || r.Over() {
		t.Fatalf("%v, child %v, server %v", err, alive(child), alive(r.PID()))
	}
	if entries, err := os.ReadDir(strings.TrimSpace(string(scratch))); err != nil || len(entries) != 0 {
		t.Errorf("scratch: %v, %v", entries, err)
	}
	pid := r.PID()
	r.Stop()
	r.Stop()
	if alive(child) || alive(pid) || inhabited(pid) || !r.Over() {
		t.Error("something is left")
	}
	if _, err := os.Stat(strings.TrimSpace(string(scratch))); err == nil {
		t.Error("the scratch folder is left")
	}
	if _, err := os.Stat(filepath.Join(dir, "stopped")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || string(text) != "begun\n" {
		t.Errorf("log: %q, %v", text, err)
	}
}

func TestStubbornIsKilled(t *testing.T) {
	t.Parallel()
	s := serving(t, "")
	s.Start = "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & " + strings.TrimPrefix(s.Start, " exec") + " & wait; while :; do sleep 1; done"
	r, _, err := start(t, s)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if r.Stop(); inhabited(r.PID()) {
		t.Error("the group is left")
	}
	if took := time.Since(began); took < stopWithin || took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestFailingServers(t *testing.T) {
	t.Parallel()
	wrong := func(e Expect) *Server { s := serving(t, ""); s.Expect = e; return s }
	taken := serving(t, "")
	l, err := net.Listen("tcp", strings.TrimSuffix(strings.TrimPrefix(taken.URL, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	six := int64(6)
	for name, c := range map[string]struct {
		server *Server
		want   string
	}{
		"ends":     {serving(t, "echo no such file >&2; exit 7;"), `ended before it was ready (exit status 7); it says "no such file"`},
		"absent":   {&Server{URL: serving(t, "").URL, Start: "exec /nowhere/x"}, "ended before it was ready (exit status 127)"},
		"bytes":    {wrong(Expect{Bytes: &six}), `wrong payload: 5 bytes, want 6: it begins "hello"`},
		"contains": {wrong(Expect{Contains: "hullo"}), `does not contain "hullo"`},
		"taken":    {taken, "is in use already, by suite.test (pid " + strconv.Itoa(os.Getpid()) + "): end it first"},
	} {
		r, _, err := start(t, c.server)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if r != nil {
			t.Errorf("%s: a server beside an error", name)
		}
	}
}

// A process that answers in the server's place is refused by name, whoever began it.
func TestForeignListener(t *testing.T) {
	s := serving(t, "")
	s.Start = "setsid sh -c 'echo $$ >pid; " + strings.ReplaceAll(s.Start, "'", `'\''`) + "' & exec sleep 100"
	_, dir, err := start(t, s)
	text, _ := os.ReadFile(filepath.Join(dir, "pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if pid <= 1 {
		t.Fatalf("no server was begun: %v", err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	want := "(pid " + strconv.Itoa(pid) + "), which is not of the process group that start began"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestReadyCommand(t *testing.T) {
	t.Parallel()
	s := serving(t, "")
	s.Ready = `test -d "$RATEBENCH_SCRATCH" || exit 1; if test -e again; then exit 0; fi; touch again; exit 1`
	if _, _, err := start(t, s); err != nil {
		t.Error(err)
	}
}

func TestStartGivesUpWhenInterrupted(t *testing.T) {
	t.Parallel()
	s := &Server{URL: serving(t, "").URL, Start: "echo $$ >pid; exec sleep 300"}
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	go func() { // ends when the server has begun, or with the test's patience
		for range 1000 {
			if text, _ := os.ReadFile(filepath.Join(dir, "pid")); len(text) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := Start(ctx, s, dir, filepath.Join(dir, "log")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if alive(number(t, filepath.Join(dir, "pid"))) {
		t.Error("the process is left")
	}
}

// A server that a suite does not start is only looked at.
func TestRunningAlready(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) }))
	defer web.Close()
	r, dir, err := start(t, &Server{URL: web.URL + "/"})
	if err != nil || r.PID() != 0 || r.Over() {
		t.Fatalf("%v: %+v", err, r)
	}
	r.Stop()
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("it left %v", entries)
	}
}

// The guard ends the group when the pipe ends, which is what a SIGKILL of this
// process comes to.
func TestGuardEndsTheGroup(t *testing.T) {
	t.Parallel()
	s := serving(t, "sleep 300 & echo $! >child;")
	r, dir, err := start(t, s)
	if err != nil {
		t.Fatal(err)
	}
	child := number(t, filepath.Join(dir, "child"))
	_ = r.guard.pipe.Close()
	if !emptied(r.PID(), 30*time.Second) || alive(child) {
		t.Error("the group is left")
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(r.scratch); err != nil {
			return
		}
	}
	t.Error("the scratch folder is left")
}

func TestJournalIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 3 {
		j, err := openJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 600 {
			if n, err := j.Write([]byte(strings.Repeat("x", 1023) + "\n")); n != 1024 || err != nil {
				t.Fatal(n, err)
			}
		}
		j.Write([]byte("the end\n\n"))
		if j.line() != "the end" {
			t.Errorf("the last line is %q", j.line())
		}
		j.close()
	}
	if info, err := os.Stat(path); err != nil || info.Size() != maxJournal {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

func TestLacks(t *testing.T) {
	for want, s := range map[string]Server{
		"":    {Needs: []string{"sh", "/bin/sh"}},
		"why": {Missing: "why", Needs: []string{"sh"}},
		"not installed here: needs nosuchprogram, /no/such": {Needs: []string{"sh", "nosuchprogram", "/no/such"}},
	} {
		if got := s.Lacks(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
