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

// A server is offered more than it can do. What becomes of the surplus follows from
// its discipline, in numbers that can be reckoned beforehand.

// overload is one run beyond the capacity of one worker. Rates are a tenth of
// what is offered at scale 10, and spans ten times as long: the same queue.
type overload struct {
	name     string
	rate     int // requests a second at scale 10
	capacity int // the same of the server
	seconds  int // of load
	timeout  time.Duration
	queue    int // limit at scale 10; 0 for endless
	drop     bool
	until    int // seconds in which the server's whole work counts as good
	grows    int // in flight, per second at scale 10; 0 for not at all
}

// overloads. Request n of an endless queue is answered (n+1)/capacity − n/rate
// after it was due: 2995 requests of 600/s to 500/s within a second, and none
// after them. A queue of K takes what the worker can do and K more. A server that
// drops closed clients loses what exceeds its capacity, once the queue is as long
// as its clients' patience. The timeouts lie off the boundary that a request would
// else hit exactly.
func overloads() []overload {
	return []overload{
		{"endless 600 to 500", 600, 500, 8, time.Second, 0, false, 4, 100},
		{"limit 600 to 500", 600, 500, 8, time.Second, 50, false, 8, 0},
		{"closed 600 to 500", 600, 500, 10, time.Second, 0, true, 10, 100},
		{"endless 400 to 200", 400, 200, 6, 4 * time.Second, 0, false, 3, 200},
		{"endless 300 to 200", 300, 200, 6, 4 * time.Second, 0, false, 6, 100},
	}
}

// scaleOf is 10 for the full rates. The vegeta engine is offered a tenth: at
// 2500 new connections a second it needs the two cores that the server needs too.
func scaleOf(engine string) int {
	if engine == plan.EngineVegeta || underRace {
		return 1
	}
	return 10
}

func TestOverload(t *testing.T) {
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		for _, c := range overloads() {
			cases[engine+" "+c.name] = func(t *testing.T) {
				thrice(t, func() error { return c.play(t, engine, scaleOf(engine)) })
			}
		}
	}
	atOnce(t, cases)
}

// expected are the counts of a run, by simulation request by request.
type expected struct{ replies, rejected, timeouts float64 }

// expects plays the queue in exact time. A client leaves when its timeout is over; the
// server then works for nobody, or, if it drops, gives the slot to the next.
func (c *overload) expects(scale int, timeout time.Duration) expected {
	var e expected
	n, service := c.rate*scale/10*c.seconds, 1e4/float64(c.capacity*scale)
	var inside []float64 // instants of departure
	free := 0.0
	for i := range n {
		due := float64(i) * 1e4 / float64(c.rate*scale)
		for len(inside) > 0 && inside[0] <= due {
			inside = inside[1:]
		}
		if c.queue > 0 && len(inside) >= c.queue*scale/10 {
			e.rejected++
			continue
		}
		departure := max(free, due) + service
		if departure > due+timeout.Seconds()*1e3 {
			e.timeouts++
			if c.drop {
				continue
			}
		} else {
			e.replies++
		}
		free = departure
		inside = append(inside, departure)
	}
	return e
}

// play makes the run. Errors of another class are t's, wrong numbers are returned.
func (c *overload) play(t *testing.T, engine string, scale int) error {
	t.Helper()
	service := 10 * time.Second / time.Duration(c.capacity*scale)
	s := start(t, testserver.Config{Workers: 1, ServiceTime: service, Queue: c.queue * scale / 10, DropClosed: c.drop})
	timeout := c.timeout + service/12
	p := newPlan(t, engine, s.URL(), fmt.Sprint(c.rate*scale/10), 0, func(p *plan.Plan) {
		p.Duration, p.Timeout = plan.Seconds(time.Duration(c.seconds)*time.Second), plan.Seconds(timeout)
	})
	run := offer(t, t.Context(), p)
	sum, server := &run.Summary, s.Stats()
	if n := uint64(c.rate * scale / 10 * c.seconds); sum.Planned != n || sum.Errors.Total != sum.Errors.ClientTimeout {
		t.Errorf("planned %d errors %+v %v, want %d and timeouts only", sum.Planned, sum.Errors, sum.Reasons, n)
	}
	if c.queue > 0 && sum.Errors.ClientTimeout == 0 && sum.Status["503"] != server.Rejected {
		t.Errorf("%d × 503, the server says %d", sum.Status["503"], server.Rejected)
	}
	// Each moment of lateness, of the client or the server, moves the point from
	// which requests time out by one request for each step that responses grow by.
	held := server.MaxLate.Seconds() + max(0, float64(sum.Time.SendLag.Max))
	late := held / (service.Seconds() - 1/p.Rate.PerSecond())
	// A server with a short queue works on for half of it or so, then stands idle.
	idle := max(0, held/service.Seconds()-float64(c.queue*scale/10)/2)
	return errors.Join(
		c.counts(sum, c.expects(scale, timeout), late, idle),
		c.completions(run.Intervals, scale, late),
		c.growth(run.Verdict, scale))
}

// counts compares within one per cent, rejections within four per mille, and what
// lateness explains.
func (c *overload) counts(s *record.Summary, want expected, late, idle float64) error {
	near := func(what string, got uint64, want, tolerance float64) error {
		return within(what, record.Number(got), record.Number(want), record.Number(want), record.Number(tolerance))
	}
	all := float64(s.Planned)
	percent, permille := 0.01*all+late+1, 0.004*all+idle+2
	if c.drop { // a reply that leaves within the client's last moments is lost
		percent += 0.1 * want.replies
	}
	return errors.Join(
		near("replies", s.Status["200"], want.replies, percent),
		near("rejections", s.Status["503"], want.rejected, permille),
		near("timeouts", s.Errors.ClientTimeout, want.timeouts, percent))
}

// completions compares the rate of good replies, while the clients wait for them, with
// the server's capacity: within a per cent.
func (c *overload) completions(all []record.Interval, scale int, late float64) error {
	good := 0.0
	for i := range all[:min(c.until, len(all))] {
		good += float64(all[i].Good)
	}
	full := float64(c.capacity * scale / 10 * c.until)
	missing := 0.01*full + late + 1
	if c.drop {
		missing += 0.1 * full
	}
	if good < full-missing || good > full*1.01+1 {
		return fmt.Errorf("%v good replies in %d s, want %v", good, c.until, full)
	}
	return nil
}

// growth looks for the finding, and for its figure: what is offered above capacity.
// A queue that stops growing, because clients are dropped, has a smaller mean.
func (c *overload) growth(v record.Verdict, scale int) error {
	want := float64(c.grows * scale / 10)
	for _, f := range v.Findings {
		switch {
		case f.Code != "not_steady":
		case want == 0:
			return fmt.Errorf("said of a queue of limited length: %s", f.Text)
		case float64(f.Value) > 1.1*want || float64(f.Value) < 0.85*want && !c.drop || float64(f.Value) < 0.4*want:
			return fmt.Errorf("said %q, want about %v/s", f.Text, want)
		default:
			return nil
		}
	}
	if want > 0 {
		return fmt.Errorf("%v: nothing said of a queue that grows by %v/s", v, want)
	}
	return nil
}

// The simulation gives the numbers that can be reckoned by hand.
func TestOverloadArithmetic(t *testing.T) {
	const off = 100 * time.Microsecond
	for _, c := range []struct {
		overload
		timeout time.Duration
		want    expected
	}{
		{overload{rate: 600, capacity: 500, seconds: 60}, time.Second + off, expected{2995, 0, 33_005}},
		{overload{rate: 600, capacity: 500, seconds: 60}, 5*time.Second + off, expected{14_995, 0, 21_005}},
		{overload{rate: 600, capacity: 500, seconds: 60, queue: 50}, time.Second + off, expected{30_049, 5951, 0}},
		{overload{rate: 600, capacity: 500, seconds: 60, queue: 128}, time.Second + off, expected{30_127, 5873, 0}},
		{overload{rate: 400, capacity: 200, seconds: 6}, time.Second + off, expected{399, 0, 2001}},
		{overload{rate: 300, capacity: 200, seconds: 6}, time.Second + off, expected{598, 0, 1202}},
		{overload{rate: 600, capacity: 500, seconds: 60, drop: true}, time.Second + off, expected{30_499, 0, 5501}},
	} {
		got := c.expects(10, c.timeout)
		if math.Abs(got.replies-c.want.replies) > 1 || math.Abs(got.rejected-c.want.rejected) > 1 || math.Abs(got.timeouts-c.want.timeouts) > 1 {
			t.Errorf("%+v: %+v, want %+v", c.overload, got, c.want)
		}
	}
}

func TestOverloadRefusesWrongAnswers(t *testing.T) {
	c := overloads()[0]
	want := c.expects(10, c.timeout+100*time.Microsecond)
	right := record.Summary{Planned: 4800, Status: map[string]uint64{"200": 2995}, Errors: record.Errors{ClientTimeout: 1805}}
	if err := c.counts(&right, want, 0, 0); err != nil {
		t.Error("the right answer is refused:", err)
	}
	wrong := right
	wrong.Status = map[string]uint64{"200": 2900, "503": 95}
	if c.counts(&wrong, want, 0, 0) == nil {
		t.Error("wrong counts pass")
	}
	good := func(n uint64) []record.Interval { return slices.Repeat([]record.Interval{{Good: n}}, 8) }
	if err := c.completions(good(499), 10, 0); err != nil {
		t.Error(err)
	}
	if c.completions(good(490), 10, 0) == nil || c.completions(good(510), 10, 0) == nil {
		t.Error("a wrong completion rate passes")
	}
	says := func(n record.Number) record.Verdict {
		return record.Verdict{Findings: []record.Finding{{Code: "other"}, {Code: "not_steady", Value: n}}}
	}
	if err := c.growth(says(100), 10); err != nil {
		t.Error(err)
	}
	if c.growth(says(60), 10) == nil || c.growth(record.Verdict{}, 10) == nil {
		t.Error("a wrong growth passes")
	}
}
