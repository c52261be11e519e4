package attack_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area latency statistics: what the figures count, and from when.

// answersAfter is a server that answers the n-th request after the n-th delay, and
// not at all if that is 0.
func answersAfter(t *testing.T, delay func(n int) time.Duration) *testserver.Raw {
	t.Helper()
	return startRaw(t, testserver.RawConfig{Answer: func(n int) ([]byte, testserver.Ending) {
		d := delay(n)
		if d == 0 {
			return nil, testserver.Ending{How: testserver.Hang}
		}
		time.Sleep(d)
		return []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), testserver.Ending{}
	}})
}

// RC-040: what waits before the server does is in the response time, whose parts
// are told apart. One worker of 20 ms is offered 40/s, then 80/s: then request n
// is answered after 20 + 7.5·n ms.
func TestWaitingIsMeasured(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		cases["40/s "+engine] = func(t *testing.T) {
			thrice(t, func() error { return oneWorker(t, engine, "40", 80, 0.020, 0.020) })
		}
		cases["80/s "+engine] = func(t *testing.T) {
			thrice(t, func() error { return oneWorker(t, engine, "80", 240, 0.020+0.0075*119, 0.020+0.0075*239) })
		}
	}
	atOnce(t, cases)
}

func oneWorker(t *testing.T, engine, rate string, total uint64, p50, longest record.Number) error {
	t.Helper()
	s := start(t, testserver.Config{Workers: 1, ServiceTime: 20 * time.Millisecond})
	p := newPlan(t, engine, s.URL(), rate, total, func(p *plan.Plan) { p.Timeout = plan.Seconds(30 * time.Second) })
	scheduler := watch()
	run := offer(t, t.Context(), p)
	delay := record.Seconds(scheduler.stoodStill()+s.Stats().MaxLate) + run.Summary.Time.SendLag.Max + 0.005
	counts{replies: total}.want(t, run)
	times := &run.Summary.Time
	if times.Response.Max < times.Service.Max || times.Response.Count != total || times.SendLag.Count != total {
		t.Errorf("response %+v, service %+v, lag %+v", times.Response, times.Service, times.SendLag)
	}
	return errors.Join(
		within("p50", times.Response.P50, p50*0.999, p50*1.001, delay),
		within("max", times.Response.Max, longest, longest, delay))
}

// orderly says what is wrong with a row of the time table whatever was measured.
func orderly(s *record.Stats) error {
	row := []record.Number{s.Min, s.P50, s.P90, s.P95, s.P99, s.P999, s.Max}
	for i, n := range row {
		if n.Defined() != (s.Count > 0) {
			return fmt.Errorf("figure %d is %v of %d samples", i, n, s.Count)
		}
		if i > 0 && n < row[i-1] {
			return fmt.Errorf("%v is out of order in %v", n, row)
		}
	}
	if s.Count > 0 && (s.Mean < s.Min || s.Mean > s.Max) {
		return fmt.Errorf("mean %v outside %v to %v", s.Mean, s.Min, s.Max)
	}
	return nil
}

func TestOrderlyTellsWhatIsNot(t *testing.T) {
	null := record.Undefined()
	good := record.Stats{Count: 2, Mean: 2, Min: 1, P50: 1, P90: 3, P95: 3, P99: 3, P999: 3, Max: 3}
	none := record.Stats{Mean: null, StdDev: null, Min: null, P50: null, P90: null, P95: null, P99: null, P999: null, Max: null}
	for _, s := range []record.Stats{good, none} {
		if err := orderly(&s); err != nil {
			t.Error(err)
		}
	}
	for what, change := range map[string]func(*record.Stats){
		"zero":     func(s *record.Stats) { s.P99 = 0 },
		"null":     func(s *record.Stats) { s.P50 = null },
		"p100":     func(s *record.Stats) { s.P999 = 4 },
		"mean":     func(s *record.Stats) { s.Mean = 0.5 },
		"of none":  func(s *record.Stats) { s.Count = 0 },
		"too high": func(s *record.Stats) { s.Min = 2 },
	} {
		bad := good
		if change(&bad); orderly(&bad) == nil {
			t.Errorf("%s: passes", what)
		}
	}
}

// RC-041: few samples, whose nearest rank is known: delays of 10, 20, … ms.
func TestFewSamples(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, total := range []uint64{1, 2, 3, 10, 99} {
		for _, engine := range engines() {
			cases[fmt.Sprint(total, " ", engine)] = func(t *testing.T) {
				thrice(t, func() error { return fewSamples(t, engine, total) })
			}
		}
	}
	atOnce(t, cases)
}

func fewSamples(t *testing.T, engine string, total uint64) error {
	t.Helper()
	delay := func(n int) time.Duration { return 10 * time.Millisecond * time.Duration(n+1) }
	s := answersAfter(t, delay)
	scheduler := watch()
	run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", total, func(p *plan.Plan) { p.Timeout = plan.Seconds(20 * time.Second) }))
	late := 2*record.Seconds(scheduler.stoodStill()) + 0.01
	counts{replies: total}.want(t, run)
	row := &run.Summary.Time.Response
	if err := orderly(row); err != nil || row.Count != total {
		t.Errorf("%v; %+v", err, row)
	}
	if f := run.Verdict.Findings; len(f) == 0 || f[len(f)-1].Code != "few_samples" {
		t.Errorf("nothing said of %d samples: %+v", total, f)
	}
	var errs []error
	for q, got := range quantiles(row) {
		rank := max(int(math.Ceil(q*float64(total)-1e-9)), 1)
		want := record.Seconds(delay(rank - 1))
		errs = append(errs, within(name(q), got, want, want+late, 1e-4))
	}
	return errors.Join(errs...)
}

// RC-043: a tenth times out. They rank above all replies, and move nothing below.
func TestSomeTimeouts(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		thrice(t, func() error {
			s := answersAfter(t, func(n int) time.Duration {
				if n%10 == 9 {
					return 0
				}
				return 300*time.Millisecond + time.Duration(n%100)*time.Millisecond
			})
			scheduler := watch()
			run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", 200, func(p *plan.Plan) { p.Timeout = plan.Seconds(1500 * time.Millisecond) }))
			delay := scheduler.stoodStill()
			counts{replies: 180, class: record.ClientTimeout, errors: 20}.want(t, run)
			replies, everyone := &run.Summary.Time.Response, &run.Summary.Time.ResponseAll
			if err := orderly(replies); err != nil || replies.Count != 180 || everyone.Count != 200 {
				t.Errorf("%v; replies %+v, all %+v", err, replies, everyone)
			}
			if everyone.P95.Defined() || everyone.P99.Defined() || everyone.Max.Defined() || everyone.Mean.Defined() {
				t.Errorf("a value among the timeouts: %+v", everyone)
			}
			return within("p50", everyone.P50, 0.3, 0.4, 0.01+record.Seconds(delay))
		})
	})
}

// RC-044: rates are counts over spans that were measured, also in a run that lasts
// less than the interval of its series.
func TestShortRuns(t *testing.T) {
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			rate  string
			total uint64
		}{{"10000000", 20_000}, {"1000", 50}, {"1000000000", 3}, {"100", 1}} {
			s := start(t, testserver.Config{Delay: 20 * time.Millisecond})
			p := newPlan(t, engine, s.URL(), c.rate, c.total, func(p *plan.Plan) {
				p.Timeout, p.RequestsPerConnection, p.MaxConnections = plan.Seconds(1500*time.Millisecond), 0, 200
			})
			begun := time.Now()
			run := offer(t, t.Context(), p)
			took := record.Seconds(time.Since(begun))
			sum := &run.Summary
			if sum.Window != record.Seconds(p.Window()) || sum.OfferedRate != record.Number(p.Rate.PerSecond()) {
				t.Errorf("%s × %d: window %v, offered %v", c.rate, c.total, sum.Window, sum.OfferedRate)
			}
			if sum.Elapsed < 0.02 || sum.Elapsed > took || float64(sum.SentRate)*float64(sum.Window) > float64(c.total)*1.0001 {
				t.Errorf("%s × %d: elapsed %v of %v s, sent %v/s", c.rate, c.total, sum.Elapsed, took, sum.SentRate)
			}
			r := sum.ReplyRate
			if r.Samples != 0 || r.Min.Defined() || r.Max.Defined() || r.StdDev.Defined() || !r.Mean.Defined() || r.Mean < 0 {
				t.Errorf("%s × %d: reply rate %+v of a window of %v s", c.rate, c.total, r, sum.Window)
			}
			if err := errors.Join(orderly(&sum.Time.Response), orderly(&sum.Time.Service), orderly(&sum.Time.SendLag)); err != nil {
				t.Errorf("%s × %d: %v", c.rate, c.total, err)
			}
		}
	})
}

// RC-046: the histogram's range is that of the timeouts, so that no reply can lie
// beyond it; a longer timeout is refused, and a reply that comes too late all the
// same is counted, with its exact time.
func TestBeyondTheHistogram(t *testing.T) {
	p := plan.New()
	p.URL, p.Total, p.Timeout = forbidden, 1, plan.MaxTimeout+plan.Seconds(time.Second)
	p.Rate, _ = plan.ParseRate("1")
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "--timeout") {
		t.Errorf("a timeout of %v: %v", p.Timeout, err)
	}
	h := record.NewHistogram()
	if s := h.Stats(); orderly(&s) != nil || s.Count != 0 {
		t.Errorf("of none: %+v", s)
	}
	const longest = 10*time.Minute + time.Second
	for _, d := range []time.Duration{0, 0, longest, 2 * time.Hour} {
		h.Record(d)
	}
	s := h.Stats()
	if err := orderly(&s); err != nil || s.Count != 4 || s.Min != 0 || s.Max != 7200 || s.P50 > 64e-9 {
		t.Errorf("%v: %+v", err, s)
	}
}
