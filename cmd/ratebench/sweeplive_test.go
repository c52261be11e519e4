package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
	"ratebench/report"
)

// oneWorker is a server that takes a fixed time for each request, one after the
// other, until the test ends.
func oneWorker(t testing.TB, service time.Duration) *testserver.Server {
	t.Helper()
	server, err := testserver.Start(testserver.Config{Workers: 1, ServiceTime: service, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// The whole against a server of 250/s. A busy machine may make any client late,
// which the exit status then says.
func TestSweepAgainstAServer(t *testing.T) {
	t.Parallel()
	server := oneWorker(t, 4*time.Millisecond)
	path := filepath.Join(t.TempDir(), "s.json")
	r := live(t, "sweep", "--rates", "100,200,300,400", "--duration", "2", "-o", path, server.URL())
	if r.status != exitDone && r.status != exitInvalid {
		t.Fatalf("status %d, %s", r.status, r.stderr)
	}
	s := sweepIn(t, path)
	for i, want := range []float64{100, 200, 250, 250} {
		got := float64(s.Runs[i].Run.Summary.ReplyRate.Mean)
		if got < 0.9*want || got > 1.05*want {
			t.Errorf("run %d: %.1f replies/s, want about %v", i+1, got, want)
		}
		if cpu, _ := report.CPUPerReply(s.Runs[i].Run); !cpu.Defined() {
			t.Errorf("run %d: the server was not watched", i+1)
		}
	}
}

// unlike says in which count two runs of the same plan differ by more than a tenth
// of what was planned; empty if in none. An overload that is met by the second
// costs it a third or more in the test below, a busy machine a few requests.
func unlike(a, b *record.Summary) string {
	counts := func(s *record.Summary) []uint64 {
		return []uint64{s.Planned, s.Sent, s.Replies, s.Errors.Total}
	}
	names := []string{"planned", "sent", "replies", "errors"}
	one, other := counts(a), counts(b)
	for i, name := range names {
		if max(one[i], other[i])-min(one[i], other[i]) > a.Planned/10 {
			return fmt.Sprintf("%s %d and %d", name, one[i], other[i])
		}
	}
	return ""
}

func TestUnlikeTellsADifference(t *testing.T) {
	whole := func() *record.Summary {
		return &record.Summary{Planned: 300, Sent: 300, Replies: 300}
	}
	near := whole()
	near.Replies, near.Errors.Total = 280, 20
	if why := unlike(whole(), near) + unlike(near, whole()); why != "" {
		t.Error(why)
	}
	for name, spoil := range map[string]func(*record.Summary){
		"planned": func(s *record.Summary) { s.Planned = 0 },
		"sent":    func(s *record.Summary) { s.Sent = 200 },
		"replies": func(s *record.Summary) { s.Replies = 200 },
		"errors":  func(s *record.Summary) { s.Errors.Total = 100 },
	} {
		spoilt := whole()
		spoil(spoilt)
		if !strings.HasPrefix(unlike(whole(), spoilt), name+" ") {
			t.Errorf("%s: %q", name, unlike(whole(), spoilt))
		}
	}
}

// RC-112: a server of 200/s without end of its queue still has two seconds of work
// when the client has given up the last request of a step of 400/s. The next step
// begins when that is done, so that 100/s are the same after it as before.
func TestStepsDoNotMeetEachOther(t *testing.T) {
	t.Parallel()
	server := oneWorker(t, 5*time.Millisecond)
	var queued []uint64 // requests at the server when a step begins
	counted := func(ctx context.Context, p *plan.Plan, hooks attack.Hooks) (*record.Run, error) {
		s := server.Stats()
		queued = append(queued, s.Requests-s.Replies-s.Dropped)
		return attack.Run(ctx, p, hooks)
	}
	ctx, cancel := context.WithTimeout(context.Background(), liveLimit)
	defer cancel()
	var stdout, stderr strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, attack: counted}
	path := filepath.Join(t.TempDir(), "s.json")
	status := a.run(ctx, []string{"sweep", "--rates", "100,400,100", "--duration", "3", "--timeout", "1", "--server", "none", "-o", path, server.URL()})
	if status != exitDone && status != exitInvalid { // a busy machine makes any client late
		t.Fatalf("status %d, %s", status, stderr.String())
	}
	steps := sweepIn(t, path).Runs
	before, overload, after := &steps[0].Run.Summary, &steps[1].Run.Summary, &steps[2].Run.Summary
	if why := unlike(before, after); why != "" {
		t.Errorf("100/s before and after the overload: %s", why)
	}
	if unlike(before, overload) == "" || overload.Errors.ClientTimeout == 0 {
		t.Errorf("no overload: %+v", overload)
	}
	if fmt.Sprint(queued) != "[0 0 0]" {
		t.Errorf("%v requests were at the server when the steps began", queued)
	}
	if left := steps[2].LeftOver; left != overload.Errors.ClientTimeout || !strings.Contains(stdout.String(), "left over") {
		t.Errorf("%d requests were given up, %d are told of as left over:\n%s", overload.Errors.ClientTimeout, left, &stdout)
	}
}
