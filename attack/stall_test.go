package attack_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// A server is frozen for a second. What a tester shows of it tells whether it
// measures from the due time, counts what timed out and keeps its own lateness out.

// stall is one run against a server that freezes.
type stall struct {
	name             string
	engine           string
	rate             string // requests a second, for ten seconds
	at, length       time.Duration
	workers          int
	service, timeout time.Duration
	tolerance        record.Number // of the client, in seconds
}

const aStall = time.Second

// nativeTolerance is the client error allowed to the epoll engine. Its ends are
// the kernel's receive times, so a busy machine does not widen it; the histogram
// rounds 1000 ms up by at most 1 ms.
const nativeTolerance = 0.002

// vegetaTolerance is larger because net/http knows only when a goroutine got to
// read. When a stall ends hundreds are woken at once and each is scheduled in its
// turn, beside those of the server and of the other runs of this test. What a
// sentinel goroutine was delayed by meanwhile is added, twice: reading takes a
// wake-up of the poller and one of the reader. For the same reason its load is
// a fifth: under the race detector the workers that a stall of 1000/s leaves behind
// do not catch up on two cores.
const vegetaTolerance = 0.025

// stalls are spread over the ten seconds, so that the bursts do not meet.
func stalls() []stall {
	const patience = 5 * time.Second
	const half = 500*time.Millisecond + 500*time.Microsecond
	rate, service := "200", time.Millisecond
	all := []stall{
		{"endless server", plan.EngineVegeta, rate, 3 * time.Second, aStall, 0, 0, patience, vegetaTolerance},
		{"one worker", plan.EngineVegeta, rate, 5 * time.Second, aStall, 1, service, patience, vegetaTolerance},
		{"timeout", plan.EngineVegeta, rate, 7 * time.Second, aStall, 0, 0, half, vegetaTolerance},
		{"timeout off the edge", plan.EngineVegeta, rate, 8500 * time.Millisecond, 950 * time.Millisecond, 0, 0, half, vegetaTolerance},
	}
	if !slices.Contains(engines(), plan.EngineEpoll) {
		return all
	}
	if !underRace {
		rate, service = "1000", 200*time.Microsecond
	}
	return append(all,
		stall{"endless server", plan.EngineEpoll, rate, 2 * time.Second, aStall, 0, 0, patience, nativeTolerance},
		stall{"one worker", plan.EngineEpoll, rate, 4 * time.Second, aStall, 1, service, patience, nativeTolerance},
		stall{"timeout", plan.EngineEpoll, rate, 6 * time.Second, aStall, 0, 0, half, nativeTolerance},
		stall{"timeout off the edge", plan.EngineEpoll, rate, 8 * time.Second, 980 * time.Millisecond, 0, 0, half, nativeTolerance},
	)
}

func TestStall(t *testing.T) {
	cases := map[string]func(*testing.T){}
	for _, c := range stalls() {
		cases[c.engine+" "+c.name] = func(t *testing.T) { thrice(t, func() error { return c.play(t) }) }
	}
	atOnce(t, cases)
}

// play makes the run. Wrong counts are t's, wrong times are returned.
func (c stall) play(t *testing.T) error {
	t.Helper()
	config := testserver.Config{
		Workers: c.workers, ServiceTime: c.service, StallAt: c.at, StallFor: c.length, Log: 10_000,
		DropClosed: c.timeout < aStall, // so that writes to the dead do not delay the others
	}
	s := start(t, config)
	p := newPlan(t, c.engine, s.URL(), c.rate, 0, func(p *plan.Plan) {
		p.RequestsPerConnection, p.Timeout = 0, plan.Seconds(c.timeout)
		p.Total = p.Rate.Before(10 * time.Second)
		numbered(t, p)
	})
	scheduler := watch()
	run := offer(t, t.Context(), p)
	if delay := scheduler.stoodStill(); c.engine == plan.EngineVegeta {
		c.tolerance += record.Seconds(delay)
	}
	sum := &run.Summary
	if sum.Planned != p.Total || sum.Errors.Total != sum.Errors.ClientTimeout {
		t.Errorf("planned %d errors %+v %v, want %d and timeouts only", sum.Planned, sum.Errors, sum.Reasons, p.Total)
	}
	if sum.Unsent+sum.Aborted > 0 {
		return fmt.Errorf("the client stood still so long that %d requests were not sent and %d given up", sum.Unsent, sum.Aborted)
	}
	known := truthOf(t, s, p, run)
	return errors.Join(c.againstServer(sum, known), c.againstTable(p, sum, known))
}

// againstServer compares with what the server knows, which is exact whatever the
// machine did to the server: only the client's own error is left.
func (c *stall) againstServer(s *record.Summary, known truth) error {
	slack := time.Duration(float64(c.tolerance) * 1e9)
	late := make([]time.Duration, len(known.upper))
	for i, d := range known.upper {
		late[i] = min(d, unanswered-slack) + slack
	}
	var errs []error
	for q, got := range quantiles(&s.Time.ResponseAll) {
		errs = append(errs, within(name(q), got, ranked(known.lower, q, c.timeout), ranked(late, q, c.timeout), 1e-4))
		if got > record.Seconds(c.timeout) {
			errs = append(errs, fmt.Errorf("%s = %v s, beyond the timeout", name(q), got))
		}
	}
	timeouts := record.Number(s.Errors.ClientTimeout)
	errs = append(errs, within("timeouts", timeouts,
		record.Number(over(known.lower, c.timeout)), record.Number(over(late, c.timeout)), 0))
	if timeouts == 0 {
		errs = append(errs,
			within("max", s.Time.Response.Max, ranked(known.lower, 1, unanswered-1), ranked(late, 1, unanswered), 1e-4),
			within("mean", s.Time.Response.Mean, mean(known.lower), mean(late), 1e-4))
	}
	return errors.Join(errs...)
}

// againstTable compares with the table, to which the machine may have added: the
// server needs some 10 µs for each of the replies that it held back, and arrivals
// come late. The server's log says by how much at most.
func (c *stall) againstTable(p *plan.Plan, s *record.Summary, known truth) error {
	table := stallTable(p.Rate.At, int(p.Total), c.at, c.length, c.service)
	added := time.Duration(0)
	for i, d := range known.upper {
		if d != unanswered {
			added = max(added, d-table[i])
		}
	}
	high := make([]time.Duration, len(table))
	for i := range table {
		high[i] = table[i] + added + time.Duration(float64(c.tolerance)*1e9)
	}
	const rank = 0.006 // one request more or less in the stall moves a percentile by an interval
	var errs []error
	for q, got := range quantiles(&s.Time.ResponseAll) {
		errs = append(errs, within(name(q)+" of the table", got, ranked(table, q, c.timeout), ranked(high, q, c.timeout), rank))
	}
	if c.timeout < aStall && s.Time.ResponseAll.P99.Defined() {
		errs = append(errs, errors.New("a twentieth timed out, and p99 has a value"))
	}
	return errors.Join(errs...)
}

func name(q float64) string {
	return map[float64]string{0.5: "p50", 0.9: "p90", 0.95: "p95", 0.99: "p99", 0.999: "p99.9", 1: "max"}[q]
}

// over counts what exceeds a limit.
func over(all []time.Duration, limit time.Duration) (n int) {
	for _, d := range all {
		if d > limit {
			n++
		}
	}
	return n
}

func mean(all []time.Duration) record.Number {
	sum := 0.0
	for _, d := range all {
		sum += float64(d)
	}
	return record.Number(sum / float64(len(all)) / 1e9)
}

// stallTable is every response time if nothing takes time but the service: with no
// worker (service 0) whoever comes during the stall is answered at its end, with
// one worker in turn after it.
func stallTable(due func(uint64) time.Duration, n int, at, length, service time.Duration) []time.Duration {
	all, free := make([]time.Duration, n), time.Duration(0)
	for i := range all {
		begin := max(due(uint64(i)), free)
		if begin >= at && begin < at+length {
			begin = at + length
		}
		if service > 0 {
			free = begin + service
		}
		all[i] = begin + service - due(uint64(i))
	}
	return all
}

func TestStallTable(t *testing.T) {
	due := func(n uint64) time.Duration { return time.Duration(n) * time.Millisecond }
	for service, want := range map[time.Duration]map[float64]record.Number{
		0:                      {0.5: 0, 0.9: 0, 0.95: 0.5, 0.99: 0.9, 0.999: 0.99, 1: 1},
		200 * time.Microsecond: {0.5: 0.0002, 0.9: 0.2002, 0.95: 0.6002, 0.99: 0.9202, 0.999: 0.9922, 1: 1.0002},
	} {
		table := stallTable(due, 10_000, 4*time.Second, aStall, service)
		for q, seconds := range want {
			if got := ranked(table, q, unanswered); math.Abs(float64(got-seconds)) > 1e-12 {
				t.Errorf("service %v: %s = %v, want %v", service, name(q), got, seconds)
			}
		}
		if want := map[time.Duration]record.Number{0: 0.05005}[service]; service == 0 && math.Abs(float64(mean(table)-want)) > 1e-9 {
			t.Errorf("mean %v, want %v", mean(table), want)
		}
	}
}

// What a tester shows that drops timeouts from the sample, or clamps them, is refused.
func TestStallRefusesWrongAnswers(t *testing.T) {
	due := func(n uint64) time.Duration { return time.Duration(n) * time.Millisecond }
	table := stallTable(due, 10_000, 4*time.Second, aStall, 0)
	c := stall{timeout: 500*time.Millisecond + 500*time.Microsecond, tolerance: nativeTolerance}
	known := truth{table, table}
	right := record.Summary{Errors: record.Errors{ClientTimeout: 500}}
	right.Time.ResponseAll = record.Stats{P50: 0, P90: 0, P95: 0.5, P99: record.Undefined(), P999: record.Undefined()}
	if err := c.againstServer(&right, known); err != nil {
		t.Error("the right answer is refused:", err)
	}
	for what, change := range map[string]func(*record.Summary){
		"survivors": func(s *record.Summary) { s.Time.ResponseAll.P99 = 0.405 },
		"clamped":   func(s *record.Summary) { s.Time.ResponseAll.P99 = 0.5005 },
		"late":      func(s *record.Summary) { s.Time.ResponseAll.P95 = 0.504 },
		"lost":      func(s *record.Summary) { s.Errors.ClientTimeout = 495 },
	} {
		wrong := right
		change(&wrong)
		if c.againstServer(&wrong, known) == nil {
			t.Errorf("%s: passes", what)
		}
	}
}
