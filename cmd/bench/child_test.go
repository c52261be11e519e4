//go:build linux

package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack/testserver"
)

// helperSet makes the test binary be the program, so that it can be its own helper.
const helperSet = "BENCH_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperSet) != "" {
		main()
	}
	os.Exit(m.Run())
}

// testLab has no nginx, and core 0 for all.
func testLab(t *testing.T) *lab {
	t.Helper()
	t.Setenv(helperSet, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &lab{options: &options{quick: true, rounds: 1}, self: self, dir: t.TempDir(), serverList: "0", clientList: "0"}
}

func TestChildIsMeasured(t *testing.T) {
	e, err := runChild(t.Context(), time.Minute, "0", []string{"sh", "-c", "cat; i=0; while test $i -lt 20000; do i=$((i+1)); done; exit 4"}, "said\n")
	if err != nil {
		t.Fatal(err)
	}
	if e.exit != 4 || string(e.stdout) != "said\n" || e.cpu <= 0 || e.elapsed <= 0 {
		t.Errorf("%+v", e)
	}
}

func TestChildIsBounded(t *testing.T) {
	started := time.Now()
	if e, err := runChild(t.Context(), 200*time.Millisecond, "0", []string{"sleep", "600"}, ""); err == nil {
		t.Errorf("no error: %+v", e)
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestChildThatCannotStart(t *testing.T) {
	e, err := runChild(t.Context(), time.Minute, "0", []string{"/nowhere/at-all"}, "")
	if err == nil && e.exit == 0 {
		t.Errorf("no error: %+v", e)
	}
}

func TestBackgroundEnds(t *testing.T) {
	l := testLab(t)
	line, stop, err := background(t.Context(), "0", []string{"sh", "-c", "echo $$; exec sleep 600"})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	var pid int
	if err := json.Unmarshal([]byte(line), &pid); err != nil || syscall.Kill(pid, 0) != syscall.ESRCH {
		t.Errorf("process %q is still there (%v)", line, err)
	}
	if _, _, err := background(t.Context(), "0", l.helper("slow", "-delay", "nonsense")); err == nil {
		t.Error("a helper that refuses its options counts as started")
	}
}

func TestFloorAndSlowServer(t *testing.T) {
	l := testLab(t)
	server, err := testserver.Start(testserver.Config{Size: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	e, err := runChild(t.Context(), time.Minute, "0", l.helper("floor", "-address", server.Addr().String(), "-connections", "2", "-duration", "50ms"), "")
	if err != nil || e.exit != 0 {
		t.Fatalf("%v: %s", err, e.stderr)
	}
	s := sample{Figures: figures{}}
	if err := readFloor(t.Context(), e, &s); err != nil {
		t.Fatal(err)
	}
	if got := server.Stats().Requests; s.Figures[replyCount] <= 0 || s.Figures[replyCount] != float64(got) {
		t.Errorf("floor counts %v, the server %v", s.Figures[replyCount], got)
	}
	url, stop, err := background(t.Context(), "0", l.helper("slow", "-delay", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if body, err := get(t.Context(), url); err != nil || len(body) != 3 {
		t.Errorf("slow: %q, %v", body, err)
	}
}

func TestPeakMemory(t *testing.T) {
	for _, c := range []struct{ seen, ours, rusage, want uint64 }{
		{5, 10, 10, 5},   // inherited from this program
		{5, 10, 11, 11},  // the child's own
		{70, 10, 80, 80}, // it grew after the last look
	} {
		if got := peakOf(c.seen, c.ours, c.rusage); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	if got := vmHWM([]byte("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    7892 kB\n")); got != 7892*1024 {
		t.Errorf("VmHWM %d", got)
	}
	if vmHWM([]byte("Name:\tx\n")) != 0 || memoryPeak(os.Getpid()) == 0 {
		t.Error("VmHWM where there is none, or none where there is")
	}
}

// A round runs every client once; what fails is kept beside what does not.
func TestRound(t *testing.T) {
	l := testLab(t)
	read := func(_ context.Context, e *ended, s *sample) error {
		s.count(float64(strings.Count(string(e.stdout), "\n")), 0, 1)
		return nil
	}
	b := block{
		name:   "x",
		server: func(context.Context, *lab) (string, func(), error) { return "http://nowhere/", func() {}, nil },
		tasks: func(l *lab, url string) []task {
			return []task{
				{client: "good", argv: []string{"seq", "3"}, read: read},
				{client: "wrong", argv: []string{"sh", "-c", "echo unhappy >&2; exit 3"}, read: read},
				{client: "invalid", argv: []string{"sh", "-c", "echo; exit 4"}, exits: []int{4}, read: read, spin: true},
			}
		},
	}
	r := &result{}
	for round := range 2 {
		if err := l.round(t.Context(), &b, r, round+1, rand.New(rand.NewPCG(1, 0))); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.row("good").values(replyCount); len(got) != 2 || got[0] != 3 {
		t.Errorf("good: %v", r.row("good"))
	}
	if got := r.row("invalid").values(exitStatus); len(got) != 2 || got[0] != 4 {
		t.Errorf("invalid: %v", r.row("invalid"))
	}
	if s := r.row("wrong").Samples[0]; s.Figures != nil || !strings.Contains(s.Error, "exit status 3") || !strings.Contains(s.Error, "unhappy") {
		t.Errorf("wrong: %+v", s)
	}
	if n := (&document{Blocks: []*result{r}}).failures(); n != 2 {
		t.Errorf("%d failures, want 2", n)
	}
}

func TestOptions(t *testing.T) {
	for _, bad := range [][]string{{"-rounds", "0"}, {"-rounds", "many"}, {"-client-core", "0"}, {"-unknown"}, {"operand"}} {
		if o, err := readOptions(bad); err == nil {
			t.Errorf("%q: %+v", bad, o)
		}
	}
	o, err := readOptions([]string{"-quick", "-only", "rate, open"})
	if err != nil || o.rounds != 1 {
		t.Fatalf("%+v, %v", o, err)
	}
	for block, want := range map[string]bool{"rate-300": true, "open": true, "saturation": false} {
		if o.wants(block) != want {
			t.Errorf("%s wanted: %v", block, !want)
		}
	}
}
