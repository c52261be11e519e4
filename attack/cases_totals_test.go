package attack_test

import (
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/testserver"
)

// Cases of the area rate & schedule accuracy: exactly what was planned is sent.

// RC-034: exactly the total, whatever the number of connections, and again.
func TestExactTotals(t *testing.T) {
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for i, total := range []uint64{1, 7, 49, 401, 1000} {
			for j, connections := range []int{1, 2, 50, 400} {
				s := start(t, testserver.Config{})
				perConnection := []int{1, 0, 3, 7}[(i+j)%4]
				p := newPlan(t, engine, s.URL(), "3330", total, func(p *plan.Plan) {
					p.MaxConnections, p.RequestsPerConnection, p.Timeout = connections, perConnection, plan.Seconds(20*time.Second)
				})
				run := offer(t, t.Context(), p)
				stats := s.Stats()
				if run.Summary.Replies != total || stats.Requests != total || run.Summary.Sent != total {
					t.Errorf("total %d, %d connections, %d requests each: replies %d sent %d, the server read %d",
						total, connections, perConnection, run.Summary.Replies, run.Summary.Sent, stats.Requests)
				}
				if run.Summary.Connections.Opened != stats.Connections || run.Summary.Connections.Peak > uint64(connections) {
					t.Errorf("total %d, limit %d: opened %d peak %d, the server accepted %d",
						total, connections, run.Summary.Connections.Opened, run.Summary.Connections.Peak, stats.Connections)
				}
			}
		}
	})
}

// The same over several loops, which share one plan.
func TestExactTotalsOverLoops(t *testing.T) {
	for _, loops := range []int{1, 2, 3, 7} {
		for i, total := range []uint64{1, 2, 6, 7, 500, 501} {
			arrivals := []plan.Process{plan.Uniform, plan.Poisson}[i%2]
			s := start(t, testserver.Config{Log: 2000})
			run := offer(t, t.Context(), loopsPlan(t, s, loops, total, arrivals))
			counts{replies: total}.want(t, run)
			if got := s.Stats().Requests; got != total || run.Method.Loops != loops && run.Engine == plan.EngineEpoll {
				t.Errorf("%d loops, total %d: the server read %d (%+v)", loops, total, got, run.Method)
			}
			if twice := repeated(s); twice != "" {
				t.Errorf("%d loops, total %d: %s was asked for twice", loops, total, twice)
			}
		}
	}
}

func loopsPlan(t *testing.T, s *testserver.Server, loops int, total uint64, arrivals plan.Process) *plan.Plan {
	t.Helper()
	return newPlan(t, plan.EngineAuto, s.URL(), "4000", total, func(p *plan.Plan) {
		p.Loops, p.Arrivals, p.MaxConnections, p.RequestsPerConnection = loops, arrivals, 100, 0
		p.Timeout = plan.Seconds(20 * time.Second)
		numbered(t, p)
	})
}

// repeated is a target that the server was asked for more than once.
func repeated(s *testserver.Server) string {
	seen := map[string]bool{}
	for _, d := range s.Departures() {
		if seen[d.Target] {
			return d.Target
		}
		seen[d.Target] = true
	}
	return ""
}

// The warm-up is the same load, reaches the server, and is in no figure.
func TestWarmupIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, arrivals := range []plan.Process{plan.Uniform, plan.Poisson} {
		enginesAtOnce(t, func(t *testing.T, engine string) {
			s := start(t, testserver.Config{Fail: map[testserver.Failure]float64{testserver.FailStatus: 0.5}, Log: 1000})
			p := newPlan(t, engine, s.URL(), "200", 101, func(p *plan.Plan) {
				p.Warmup, p.Arrivals = plan.Seconds(505*time.Millisecond), arrivals
			})
			run, log := offerLogged(t, t.Context(), p)
			sum := &run.Summary
			if got := s.Stats().Requests; got != 101+101 || sum.Planned != 101 || sum.Replies != 101 || sum.Sent != 101 || len(log) != 101 {
				t.Errorf("%s: the server read %d, planned %d replies %d sent %d, %d in the log", arrivals, got, sum.Planned, sum.Replies, sum.Sent, len(log))
			}
			if sum.Time.Response.Count != 101 || sum.Connections.Opened > 150 || sum.Bytes.Sent%101 != 0 {
				t.Errorf("%s: %d times, %d connections, %d bytes", arrivals, sum.Time.Response.Count, sum.Connections.Opened, sum.Bytes.Sent)
			}
		})
	}
}

// A seed is a schedule: the same for each engine and each run, another for another.
func TestSeedIsTheSchedule(t *testing.T) {
	t.Parallel()
	s := start(t, testserver.Config{})
	due := func(engine string, seed uint64) (all [50]time.Duration) {
		p := newPlan(t, engine, s.URL(), "200", 50, func(p *plan.Plan) { p.Arrivals, p.Seed = plan.Poisson, seed })
		run, log := offerLogged(t, t.Context(), p)
		for i, r := range log {
			all[i] = r.Timestamp.Sub(run.StartedAt.Round(0))
		}
		return all
	}
	first := due(plan.EngineVegeta, 7)
	for _, engine := range engines() {
		if due(engine, 7) != first {
			t.Errorf("%s: another schedule from the same seed", engine)
		}
		if due(engine, 8) == first {
			t.Errorf("%s: the same schedule from another seed", engine)
		}
	}
}

// Total and duration: whichever ends first.
func TestTotalAndDuration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total    uint64
		duration time.Duration
		want     uint64
	}{{1, 0, 1}, {0, 100 * time.Millisecond, 10}, {7, time.Second, 7}, {1000, 105 * time.Millisecond, 11}, {0, time.Nanosecond, 1}} {
		enginesAtOnce(t, func(t *testing.T, engine string) {
			s := start(t, testserver.Config{})
			p := newPlan(t, engine, s.URL(), "100", c.total, func(p *plan.Plan) { p.Duration = plan.Seconds(c.duration) })
			counts{replies: c.want}.want(t, offer(t, t.Context(), p))
			if got := s.Stats().Requests; got != c.want {
				t.Errorf("total %d, duration %v: the server read %d, want %d", c.total, c.duration, got, c.want)
			}
		})
	}
}

// Targets are dealt in turn, to every server of the plan.
func TestTargetsInTurn(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, perConnection := range []int{0, 1, 2} {
			a, b, c := start(t, testserver.Config{}), start(t, testserver.Config{}), start(t, testserver.Config{})
			p := newPlan(t, engine, a.URL(), "500", 100, func(p *plan.Plan) {
				for _, s := range []*testserver.Server{a, b, a, c} {
					u, err := plan.ParseURL(s.URL())
					if err != nil {
						t.Fatal(err)
					}
					p.Targets = append(p.Targets, plan.Target{URL: u})
				}
				p.URL, p.TargetsFile, p.RequestsPerConnection, p.MaxConnections = "", "four", perConnection, 2
			})
			counts{replies: 100}.want(t, offer(t, t.Context(), p))
			if x, y, z := a.Stats().Requests, b.Stats().Requests, c.Stats().Requests; x != 50 || y != 25 || z != 25 {
				t.Errorf("%d requests each: the servers read %d, %d and %d, want 50, 25 and 25", perConnection, x, y, z)
			}
		}
	})
}
