package attack_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// The suite runs one table of cases through every engine: the same outcomes, the
// same classes and the same counts at the server are asked of each.

// engines are those that this system has.
func engines() []string {
	if runtime.GOOS == "linux" {
		return []string{plan.EngineVegeta, plan.EngineEpoll}
	}
	return []string{plan.EngineVegeta}
}

// eachEngine runs f as a subtest for each engine.
func eachEngine(t *testing.T, f func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) { f(t, engine) })
	}
}

// newPlan is the plan of most cases: total requests at rate to url, two seconds
// of timeout, changed by edit.
func newPlan(t *testing.T, engine, url, rate string, total uint64, edit func(*plan.Plan)) *plan.Plan {
	t.Helper()
	p := plan.New()
	p.Engine, p.URL, p.Total, p.Timeout = engine, url, total, plan.Seconds(2*time.Second)
	parsed, err := plan.ParseRate(rate)
	if err != nil {
		t.Fatal(err)
	}
	p.Rate = parsed
	if edit != nil {
		edit(p)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	return p
}

// offer runs p and checks what holds for every run: the accounts and the series.
func offer(t *testing.T, ctx context.Context, p *plan.Plan) *record.Run {
	t.Helper()
	run, err := attack.Run(ctx, p, attack.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, run)
	return run
}

// checkAccounts holds a run to planned = replies + errors + aborted + unsent, in
// its summary and in every prefix of its series.
func checkAccounts(t *testing.T, run *record.Run) {
	t.Helper()
	if err := run.Summary.Check(); err != nil {
		t.Error(err)
	}
	var due, ended, sent, replies, errors uint64
	for i := range run.Intervals {
		v := &run.Intervals[i]
		due += v.Due
		ended += v.Replies + v.Errors + v.Aborted + v.Unsent
		sent += v.Sent
		replies += v.Replies
		errors += v.Errors
		if due != ended+v.InFlight {
			t.Errorf("second %d: due %d ≠ ended %d + in flight %d", i, due, ended, v.InFlight)
		}
	}
	s := &run.Summary
	if sent != s.Sent || replies != s.Replies || errors != s.Errors.Total {
		t.Errorf("series adds up to sent %d replies %d errors %d, summary says %d, %d, %d",
			sent, replies, errors, s.Sent, s.Replies, s.Errors.Total)
	}
	if !run.Interrupted && due != s.Planned {
		t.Errorf("series has %d due of %d planned", due, s.Planned)
	}
}

// startRaw starts a server of raw replies that ends with the test.
func startRaw(t *testing.T, c testserver.RawConfig) *testserver.Raw {
	t.Helper()
	s, err := testserver.StartRaw(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// start starts a server of known capacity that ends with the test.
func start(t *testing.T, c testserver.Config) *testserver.Server {
	t.Helper()
	s, err := testserver.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// counts are what most cases ask of a run.
type counts struct {
	replies uint64
	status  map[string]uint64
	class   record.Class // of the errors; Reply for none
	errors  uint64
}

// want compares the run's counts.
func (c counts) want(t *testing.T, run *record.Run) {
	t.Helper()
	s := &run.Summary
	if s.Replies != c.replies || s.Errors.Total != c.errors {
		t.Errorf("replies %d errors %d, want %d and %d (%+v %v)", s.Replies, s.Errors.Total, c.replies, c.errors, s.Errors, s.Reasons)
	}
	if c.class != record.Reply && s.Errors.Of(c.class) != c.errors {
		t.Errorf("%s %d, want %d (%+v %v)", c.class, s.Errors.Of(c.class), c.errors, s.Errors, s.Reasons)
	}
	for status, n := range c.status {
		if s.Status[status] != n {
			t.Errorf("status %s × %d, want %d (%v)", status, s.Status[status], n, s.Status)
		}
	}
}

func TestOrdinaryReplies(t *testing.T) {
	s := startRaw(t, testserver.RawConfig{Reply: []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")})
	eachEngine(t, func(t *testing.T, engine string) {
		before, conns := s.Requests(), s.Conns()
		run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "500", 100, nil))
		counts{replies: 100, status: map[string]uint64{"200": 100}}.want(t, run)
		if got := s.Requests() - before; got != 100 {
			t.Errorf("the server read %d requests, want 100", got)
		}
		if got := s.Conns() - conns; got != 100 {
			t.Errorf("the server accepted %d connections, want 100", got)
		}
	})
}
