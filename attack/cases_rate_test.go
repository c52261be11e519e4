package attack_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area rate & schedule accuracy: requests leave when the plan says so,
// whatever the server, the number of threads or of connections.

// startsOn compares the arrivals at the server with the plan's due times. A
// request that reaches it early is a fault whatever the machine did.
func startsOn(t *testing.T, p *plan.Plan, origin int64, arrivals []int64, tolerance time.Duration) error {
	t.Helper()
	if len(arrivals) != int(p.Total) {
		t.Errorf("%d requests reached the server, want %d", len(arrivals), p.Total)
		return nil
	}
	for i, at := range arrivals {
		late := time.Duration(at-origin) - p.Rate.At(uint64(i))
		if late < -time.Millisecond {
			t.Errorf("request %d came %v early", i, -late)
		}
		if late > tolerance {
			return fmt.Errorf("request %d came %v late", i, late)
		}
	}
	return nil
}

// arrivalsOf are the instants of the log, in order.
func arrivalsOf(s *testserver.Server) []int64 {
	var all []int64
	for _, d := range s.Departures() {
		all = append(all, d.Arrival)
	}
	return all
}

// RC-031: rates below one a second and broken ones; the first request leaves at once.
func TestSlowRates(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for rate, total := range map[string]uint64{"0.5": 3, "2.5": 11, "30/m": 3, "1800/h": 3} {
		for _, engine := range engines() {
			cases[rate+" "+engine] = func(t *testing.T) {
				thrice(t, func() error {
					s := start(t, testserver.Config{Log: 100})
					p := newPlan(t, engine, s.URL(), rate, total, nil)
					scheduler := watch()
					run := offer(t, t.Context(), p)
					delay := scheduler.stoodStill()
					counts{replies: total}.want(t, run)
					if got := float64(run.Summary.OfferedRate); got != p.Rate.PerSecond() {
						t.Errorf("offered rate %v, want %v", got, p.Rate.PerSecond())
					}
					return startsOn(t, p, originOn(s, run.StartedAt), arrivalsOf(s), 10*time.Millisecond+delay)
				})
			}
		}
	}
	atOnce(t, cases)
}

// RC-031: one a minute. The second is due after a minute, so this one is interrupted.
func TestOneAMinute(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		s := start(t, testserver.Config{})
		p := newPlan(t, engine, s.URL(), "1/m", 2, nil)
		if due := p.Rate.At(1); due != time.Minute {
			t.Errorf("the second is due after %v", due)
		}
		sum := &offer(t, ctx, p).Summary
		if sum.Planned != 2 || sum.Replies != 1 || sum.Unsent != 1 || s.Stats().Requests != 1 {
			t.Errorf("planned %d replies %d unsent %d, the server read %d", sum.Planned, sum.Replies, sum.Unsent, s.Stats().Requests)
		}
	})
}

// RC-032: a slow server does not slow the load down.
func TestSlowServerGetsItsRate(t *testing.T) {
	t.Parallel()
	const rate, seconds, delay = 300, 3, time.Second
	enginesAtOnce(t, func(t *testing.T, engine string) {
		thrice(t, func() error {
			s := start(t, testserver.Config{Delay: delay, Log: rate * seconds})
			p := newPlan(t, engine, s.URL(), fmt.Sprint(rate), rate*seconds, func(p *plan.Plan) { p.Timeout = plan.Seconds(20 * time.Second) })
			run := offer(t, t.Context(), p)
			counts{replies: rate * seconds}.want(t, run)
			late := float64(run.Summary.Time.SendLag.Max)
			arrivals := arrivalsOf(s)
			var inSecond [seconds + 60]int
			for _, at := range arrivals {
				inSecond[time.Duration(max(at-arrivals[0], 0))/time.Second]++
			}
			var errs []error
			for i, n := range inSecond[:seconds] { // what the client says it was late by may fall into the next
				if off := math.Abs(float64(n - rate)); off > 0.01*rate+2+rate*late {
					errs = append(errs, fmt.Errorf("%d arrivals in second %d, want %d", n, i, rate))
				}
			}
			if peak := float64(run.Summary.InFlight.Peak); peak < 0.97*rate*delay.Seconds() || peak > 1.1*rate*delay.Seconds()+rate*late {
				errs = append(errs, fmt.Errorf("in flight up to %v, want %v", peak, rate*delay.Seconds()))
			}
			return errors.Join(errs...)
		})
	})
}

// RC-035: a rate below the number of threads and connections.
func TestRateBelowParallelism(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, threads := range []string{"1", "2", "16"} {
		for _, engine := range engines() {
			cases[threads+" "+engine] = func(t *testing.T) {
				inside(t, []string{"env", "GOMAXPROCS=" + threads}, func(t *testing.T) {
					thrice(t, func() error { return oneASecond(t, engine) })
				})
			}
		}
	}
	atOnce(t, cases)
}

func oneASecond(t *testing.T, engine string) error {
	t.Helper()
	s := start(t, testserver.Config{Log: 100})
	p := newPlan(t, engine, s.URL(), "1", 4, func(p *plan.Plan) { p.MaxConnections = 100 })
	scheduler := watch()
	run := offer(t, t.Context(), p)
	delay := scheduler.stoodStill()
	counts{replies: 4}.want(t, run)
	if run.Summary.OfferedRate != 1 || run.Summary.SentRate != 1 {
		t.Errorf("offered %v sent %v", run.Summary.OfferedRate, run.Summary.SentRate)
	}
	return startsOn(t, p, originOn(s, run.StartedAt), arrivalsOf(s), 10*time.Millisecond+delay)
}

// RC-037: a rate that no client can offer. The run ends in time, in bounded memory,
// and says that its figures are not those of that rate.
func TestRateOutOfReach(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			inside(t, []string{"env"}, func(t *testing.T) {
				s := start(t, testserver.Config{})
				p := newPlan(t, engine, s.URL(), "1000000", 2_000_000, func(p *plan.Plan) {
					p.Timeout, p.MaxConnections = plan.Seconds(time.Second), 1000
				})
				begun := time.Now()
				run := offer(t, t.Context(), p)
				outOfReach(t, run, time.Since(begun))
				if run.Summary.Window != 2 || run.Summary.OfferedRate != 1_000_000 {
					t.Errorf("window %v, offered %v", run.Summary.Window, run.Summary.OfferedRate)
				}
				if lag := run.Summary.Time.ResponseAll; lag.P50.Defined() {
					t.Errorf("half of the requests are said to have been answered within %v s", lag.P50)
				}
			})
		})
	}
}

// outOfReach is asked of a run that was offered too much.
func outOfReach(t *testing.T, run *record.Run, took time.Duration) {
	t.Helper()
	if run.Verdict.Status != record.Invalid || len(run.Verdict.Findings) == 0 {
		t.Errorf("verdict %+v", run.Verdict)
	}
	if took > 15*time.Second {
		t.Errorf("it took %v, the plan was 2 s and a timeout of 1 s", took)
	}
	if limit := uint64(1 << 30); run.Client.RSSPeak > limit {
		t.Errorf("%d MiB of memory", run.Client.RSSPeak>>20)
	}
	// What the client could not even look at before the run's time was over is unsent.
	if s := &run.Summary; s.SentRate > s.OfferedRate || s.Errors.Total != s.Errors.ClientTimeout || s.Aborted != 0 {
		t.Errorf("sent %v/s, aborted %d, errors %+v %v", s.SentRate, s.Aborted, s.Errors, s.Reasons)
	}
}

// RC-037: more than the server can do. Times count from the schedule and are long.
func TestRateBeyondTheServer(t *testing.T) {
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := start(t, testserver.Config{Workers: 1, ServiceTime: time.Millisecond})
		p := newPlan(t, engine, s.URL(), "20000", 20_000, func(p *plan.Plan) {
			p.Timeout, p.MaxConnections, p.RequestsPerConnection = plan.Seconds(2*time.Second), 500, 0
		})
		run := offer(t, t.Context(), p)
		sum := &run.Summary
		if run.Verdict.Status == record.Valid || sum.Replies > 3500 || sum.Replies < 100 || sum.Time.Response.Max < 0.5 {
			t.Errorf("verdict %+v, replies %d, response up to %v", run.Verdict, sum.Replies, sum.Time.Response.Max)
		}
		// What a slow client had not even looked at when all timeouts were over is unsent.
		if sum.Errors.ClientTimeout+sum.Unsent != 20_000-sum.Replies || sum.Unsent > 0 && run.Verdict.Status != record.Invalid {
			t.Errorf("replies %d, unsent %d, errors %+v, verdict %+v", sum.Replies, sum.Unsent, sum.Errors, run.Verdict)
		}
	})
}

// RC-038: whatever the wall clock does, spans are told by the other clock. Here the
// start as the wall clock has it is the only thing that may differ.
func TestSpansAreMonotonic(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		begun := time.Now()
		run := offer(t, t.Context(), newPlan(t, engine, start(t, testserver.Config{}).URL(), "100", 100, nil))
		took := record.Seconds(time.Since(begun))
		for i, v := range run.Intervals {
			if v.T != record.Number(i) {
				t.Errorf("interval %d begins at %v", i, v.T)
			}
		}
		for name, s := range map[string]*record.Stats{"response": &run.Summary.Time.Response, "service": &run.Summary.Time.Service, "lag": &run.Summary.Time.SendLag,
			"connect": &run.Summary.Time.Connect, "wait": &run.Summary.Time.Wait, "transfer": &run.Summary.Time.Transfer, "receive": &run.Summary.Time.ReceiveLag} {
			if s.Min < 0 || s.Mean < s.Min || s.Max < s.Mean || s.Max > took {
				t.Errorf("%s: %+v in a run of %v s", name, s, took)
			}
		}
		if run.Summary.Elapsed < 0.99 || run.Summary.Elapsed > took {
			t.Errorf("elapsed %v s of %v s", run.Summary.Elapsed, took)
		}
	})
}
