package attack_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// A closed loop keeps so many requests in flight, whatever the server does.

// inFlight is a server that knows how many requests it has at once. A request is out
// of it before its reply's last byte is sent.
type inFlight struct {
	*httptest.Server
	all, now, peak atomic.Int64
}

func startInFlight(t *testing.T, delay time.Duration) *inFlight {
	t.Helper()
	s := &inFlight{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.all.Add(1)
		n := s.now.Add(1)
		for peak := s.peak.Load(); n > peak && !s.peak.CompareAndSwap(peak, n); peak = s.peak.Load() {
		}
		time.Sleep(delay)
		s.now.Add(-1)
		_, _ = w.Write([]byte("ok"))
	}))
	t.Cleanup(s.Close)
	return s
}

// atOnceOf makes a plan a closed loop.
func atOnceOf(n int, edits ...func(*plan.Plan)) func(*plan.Plan) {
	return func(p *plan.Plan) {
		p.Rate, p.Concurrency, p.Timeout = plan.Rate{}, n, plan.Seconds(20*time.Second)
		all(edits...)(p)
	}
}

func keepAlive(p *plan.Plan) { p.RequestsPerConnection = 0 }

func TestClosedLoopCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		total uint64
		edit  func(*plan.Plan)
	}{
		{1, 50, each}, {1, 50, keepAlive}, {10, 500, each}, {10, 500, keepAlive}, {10, 500, fourEach},
		{10, 11, each}, {50, 7, each}, {1, 1, keepAlive}, {10, 500, all(keepAlive, func(p *plan.Plan) { p.Loops = 3 })},
		{2, 100, all(each, func(p *plan.Plan) { p.Loops = 8 })}, {3, 100, all(keepAlive, func(p *plan.Plan) { p.MaxConnections = 3 })},
	} {
		enginesAtOnce(t, func(t *testing.T, engine string) {
			s := startInFlight(t, time.Millisecond)
			p := newPlan(t, engine, s.URL+"/", "1", c.total, atOnceOf(c.n, c.edit))
			run := offer(t, t.Context(), p)
			counts{replies: c.total, status: map[string]uint64{"200": c.total}}.want(t, run)
			sum, most := &run.Summary, min(uint64(c.n), c.total)
			if got := uint64(s.all.Load()); got != c.total || sum.Planned != c.total || sum.Sent != c.total || sum.Unsent != 0 {
				t.Errorf("%d at once, total %d: the server read %d; %+v", c.n, c.total, got, sum)
			}
			if peak := uint64(s.peak.Load()); peak > most || sum.InFlight.Peak != most || float64(sum.InFlight.Mean) > float64(most)*1.0001 {
				t.Errorf("%d at once, total %d: %d at the server, in flight %+v", c.n, c.total, peak, sum.InFlight)
			}
			if sum.OfferedRate.Defined() || !sum.ReplyRate.Mean.Defined() || sum.Waited != 0 || sum.Connections.Peak > most {
				t.Errorf("offered %v replies %v waited %d connections %+v", sum.OfferedRate, sum.ReplyRate.Mean, sum.Waited, sum.Connections)
			}
			if p.RequestsPerConnection == 1 && sum.Connections.Opened != c.total {
				t.Errorf("%d connections for %d requests", sum.Connections.Opened, c.total)
			}
		})
	}
}

// Little's law holds: the slots are full all along, so that response times are
// those that the rate says. The findings that judge a schedule stay away.
func TestClosedLoopIsFull(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := start(t, testserver.Config{Workers: 1, ServiceTime: 2 * time.Millisecond})
		p := newPlan(t, engine, s.URL(), "1", 0, atOnceOf(5, keepAlive, func(p *plan.Plan) { p.Duration = plan.Seconds(1500 * time.Millisecond) }))
		run := offer(t, t.Context(), p)
		sum := &run.Summary
		if got := s.Stats().Requests; got != sum.Planned || sum.Planned != sum.Sent || sum.Replies != sum.Sent || sum.Unsent != 0 || run.Interrupted {
			t.Errorf("the server read %d; %+v", got, sum)
		}
		if rate := float64(sum.ReplyRate.Mean); rate > 501 || float64(sum.Window) != 1.5 {
			t.Errorf("%.1f replies/s of a server of 500/s, in %v s", rate, sum.Window)
		}
		if mean := float64(sum.InFlight.Mean); mean < 4.9 || mean > 5.0001 {
			t.Errorf("%.3f in flight, want 5", mean)
		}
		for _, f := range run.Verdict.Findings {
			switch f.Code {
			case "send_lag", "client_stall", "rate_missed", "not_steady", "little", "unsent":
				t.Errorf("%+v", f)
			}
		}
	})
}

func TestClosedLoopWarmup(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := startInFlight(t, 2*time.Millisecond)
		p := newPlan(t, engine, s.URL+"/", "1", 100, atOnceOf(4, keepAlive, func(p *plan.Plan) { p.Warmup = plan.Seconds(200 * time.Millisecond) }))
		run, log := offerLogged(t, t.Context(), p)
		counts{replies: 100}.want(t, run)
		if got := s.all.Load(); got <= 104 || s.peak.Load() > 4 || len(log) != 100 {
			t.Errorf("the server read %d, %d at once, %d in the log: want a warm-up, 4 and 100", got, s.peak.Load(), len(log))
		}
	})
}

// All errors end a request, and its slot goes on: as many as were asked for.
func TestClosedLoopOnErrors(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		p := newPlan(t, engine, mixed(t).URL(), "1", 100, atOnceOf(10, func(p *plan.Plan) { p.Timeout = plan.Seconds(300 * time.Millisecond) }))
		run := offer(t, t.Context(), p)
		sum := &run.Summary
		if sum.Replies != 60 || sum.Errors.ConnectionReset != 20 || sum.Errors.ClientTimeout != 20 || sum.InFlight.Peak != 10 {
			t.Errorf("%+v", sum)
		}
	})
}

// A server that refuses is not asked without end: a slot rests after each refusal.
func TestClosedLoopRefused(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		url := closedPort(t)
		run := offer(t, t.Context(), newPlan(t, engine, url, "1", 0, atOnceOf(4, func(p *plan.Plan) { p.Duration = plan.Seconds(200 * time.Millisecond) })))
		sum := &run.Summary
		if most := uint64(4 * 200); sum.Errors.ConnectionRefused != sum.Planned || sum.Planned > most || sum.Planned < 4 {
			t.Errorf("%d of %d refused, want at most %d, a millisecond between", sum.Errors.ConnectionRefused, sum.Planned, most)
		}
		counts{class: record.ConnectionRefused, errors: 300}.want(t, offer(t, t.Context(), newPlan(t, engine, url, "1", 300, atOnceOf(100))))
	})
}

// closedPort is the URL of a port on which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL + "/"
}

// A server that hangs holds each slot for the timeout, and the run ends.
func TestClosedLoopHanging(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		begun := time.Now()
		p := newPlan(t, engine, hanging("")(t), "1", 9, atOnceOf(3, func(p *plan.Plan) { p.Timeout = plan.Seconds(200 * time.Millisecond) }))
		counts{class: record.ClientTimeout, errors: 9}.want(t, offer(t, t.Context(), p))
		if took := time.Since(begun); took < 600*time.Millisecond || took > 5*time.Second {
			t.Errorf("three rounds of 200 ms took %v", took)
		}
	})
}

// A stall stops the load, which is what a closed loop hides.
func TestClosedLoopStall(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := start(t, testserver.Config{Workers: 1, ServiceTime: 2 * time.Millisecond, StallAt: 200 * time.Millisecond, StallFor: 500 * time.Millisecond})
		run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "1", 300, atOnceOf(3, keepAlive)))
		counts{replies: 300}.want(t, run)
		if most := float64(run.Summary.Time.Response.Max); most < 0.45 || float64(run.Summary.Time.Response.P95) > 0.4 {
			t.Errorf("response times %+v: want three of half a second", run.Summary.Time.Response)
		}
	})
}

func TestClosedLoopInterrupted(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, c := range []struct{ total uint64 }{{1_000_000}, {0}} {
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			defer cancel()
			p := newPlan(t, engine, startInFlight(t, 5*time.Millisecond).URL+"/", "1", c.total, atOnceOf(4, func(p *plan.Plan) {
				if c.total == 0 {
					p.Duration = plan.Seconds(time.Minute)
				}
			}))
			run := offer(t, ctx, p)
			sum := &run.Summary
			if !run.Interrupted || sum.Replies == 0 || sum.Errors.Total != 0 || c.total == 0 && sum.Unsent != 0 || c.total > 0 && sum.Planned != c.total {
				t.Errorf("total %d: interrupted %v, %+v", c.total, run.Interrupted, sum)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		run := offer(t, ctx, newPlan(t, engine, hanging("")(t), "1", 0, atOnceOf(7, func(p *plan.Plan) { p.Duration = plan.Seconds(time.Minute) })))
		if sum := &run.Summary; !run.Interrupted || sum.Aborted != 7 || sum.Planned != 7 {
			t.Errorf("interrupted %v, %+v", run.Interrupted, sum)
		}
	})
}

// What is asked for by total and duration: whichever ends first.
func TestClosedLoopTotalAndDuration(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := start(t, testserver.Config{Delay: 20 * time.Millisecond})
		for _, c := range []struct {
			total    uint64
			duration time.Duration
		}{{5, time.Minute}, {1_000_000, 100 * time.Millisecond}} {
			p := newPlan(t, engine, s.URL(), "1", c.total, atOnceOf(2, func(p *plan.Plan) { p.Duration = plan.Seconds(c.duration) }))
			sum := &offer(t, t.Context(), p).Summary
			if most := uint64(2 * 6); sum.Planned != sum.Sent || sum.Planned > min(c.total, most) || c.total == 5 && sum.Planned != 5 {
				t.Errorf("%+v: %+v", c, sum)
			}
		}
	})
}

func TestClosedLoopHTTP2(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	run := offer(t, t.Context(), newPlan(t, plan.EngineVegeta, s.URL+"/", "1", 200, atOnceOf(8, keepAlive, func(p *plan.Plan) {
		p.HTTP2, p.TLS.Insecure = true, true
	})))
	counts{replies: 200}.want(t, run)
	if run.Protocol != "HTTP/2.0" || run.Summary.InFlight.Peak != 8 {
		t.Errorf("%s, in flight %+v", run.Protocol, run.Summary.InFlight)
	}
}

// More slots than descriptors are refused before anything is sent.
func TestClosedLoopBeyondConnections(t *testing.T) {
	p := plan.New()
	p.URL, p.Total, p.Concurrency, p.MaxConnections = "http://127.0.0.1:1/", 10, 11, 10
	if err := p.Validate(); err == nil {
		t.Error("11 at once over 10 connections are accepted")
	}
	if p.Concurrency = 10; p.Validate() != nil {
		t.Error("10 at once over 10 connections are not")
	}
}
