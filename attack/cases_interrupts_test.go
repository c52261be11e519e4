package attack_test

import (
	"context"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/testserver"
)

// Runs that are interrupted: what was in flight is neither an error nor a time.

// RC-028 and RC-047: an interrupt in the middle leaves the accounts in order; what
// was in flight is neither an error nor a time.
func TestInterruptedMix(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		p := newPlan(t, engine, mixed(t).URL(), "200", 3000, func(p *plan.Plan) { p.Timeout = plan.Seconds(time.Minute) })
		run := offer(t, ctx, p)
		s := &run.Summary
		if !run.Interrupted || s.Aborted == 0 || s.Unsent < 2000 || s.Errors.ClientTimeout != 0 || s.Planned != 3000 {
			t.Errorf("interrupted %v aborted %d unsent %d planned %d errors %+v", run.Interrupted, s.Aborted, s.Unsent, s.Planned, s.Errors)
		}
		if s.Time.Response.Count != s.Replies {
			t.Errorf("%d response times of %d replies", s.Time.Response.Count, s.Replies)
		}
	})
}

// RC-047: all that is in flight at the interrupt is aborted, within a second of it.
func TestInterruptWithAllInFlight(t *testing.T) {
	t.Parallel()
	for name, warmup := range map[string]time.Duration{"in the run": 0, "in the warm-up": time.Minute} {
		enginesAtOnce(t, func(t *testing.T, engine string) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			p := newPlan(t, engine, hanging("")(t), "100", 10_000, func(p *plan.Plan) {
				p.Timeout, p.Warmup = plan.Seconds(time.Minute), plan.Seconds(warmup)
			})
			begun := time.Now()
			run := offer(t, ctx, p)
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("%s: it took %v, the interrupt came after 1 s", name, took)
			}
			s := &run.Summary
			if !run.Interrupted || s.Errors.Total+s.Replies != 0 || s.Time.Response.Count != 0 || s.Time.ResponseAll.Count != 0 {
				t.Errorf("%s: interrupted %v, errors %+v, replies %d, times %+v", name, run.Interrupted, s.Errors, s.Replies, s.Time.ResponseAll)
			}
			if warmup > 0 && (s.Aborted != 0 || s.Sent != 0 || s.Unsent != 10_000) || warmup == 0 && (s.Aborted < 50 || s.Aborted > 101) {
				t.Errorf("%s: aborted %d sent %d unsent %d", name, s.Aborted, s.Sent, s.Unsent)
			}
		})
	}
}

// An interrupt lets those end that do so at once.
func TestInterruptLetsRepliesIn(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		s := start(t, testserver.Config{Delay: 100 * time.Millisecond})
		run := offer(t, ctx, newPlan(t, engine, s.URL(), "50", 1000, nil))
		if sum := &run.Summary; sum.Aborted != 0 || sum.Replies != sum.Planned-sum.Unsent || sum.Replies < 10 || sum.Replies > 26 {
			t.Errorf("aborted %d replies %d unsent %d", sum.Aborted, sum.Replies, sum.Unsent)
		}
	})
}
