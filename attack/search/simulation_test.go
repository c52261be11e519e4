package search

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// queue is a simulated server: Poisson arrivals, one worker, exponential service
// times, first come first served (M/M/1), of which requests are given up after
// timeout.
type queue struct {
	capacity float64 // replies per second
	limit    float64 // objective p99<limit, seconds
	timeout  float64 // seconds
	spoilt   float64 // share of trials that a stall spoils
	invalid  float64 // share of trials that the client spoils
	random   *rand.Rand
}

// truth is the load whose 99th percentile is the limit: response times of M/M/1
// are exponential with rate capacity − load.
func (q *queue) truth() float64 { return q.capacity - math.Log(100)/q.limit }

// result is that of a trial with n requests, of which the shares slow and late miss
// the limit and the timeout.
func (q *queue) result(t Trial, slow, late, p50 float64) Result {
	n := float64(t.Rate.Before(t.Length.Std()))
	r := Result{
		Trial: t, Valid: q.random.Float64() >= q.invalid,
		Requests: uint64(n * (1 - late)), Response: record.Number(p50),
		CPU: record.Undefined(), CPUWithin: record.Undefined(),
		GoodputRate: record.Number(t.Rate.PerSecond() * (1 - late)),
	}
	r.GoodReplies = min(r.GoodputRate, record.Number(q.capacity))
	if slow > 0.01 {
		r.Missed = append(r.Missed, "p99<50ms")
	}
	if late > 0.001 {
		r.Missed = append(r.Missed, "errors<=0.1%")
	}
	return r
}

// requests simulates each request by Lindley's recursion. A spoilt trial has a
// service that takes a second.
func (q *queue) requests(t Trial) Result {
	if t.Purpose == Ceiling {
		return q.result(t, 0, 0, 0)
	}
	n := int(t.Rate.Before(t.Length.Std()))
	stall := -1
	if q.random.Float64() < q.spoilt {
		stall = q.random.IntN(n)
	}
	gap, wait, sum := 1/t.Rate.PerSecond(), 0.0, 0.0
	slow, late := 0, 0
	for i := range n {
		response := wait + q.random.ExpFloat64()/q.capacity
		if i == stall {
			response++
		}
		if response > q.limit {
			slow++
		}
		if response > q.timeout {
			late++
		}
		sum += min(response, q.timeout)
		wait = max(0, response-q.random.ExpFloat64()*gap)
	}
	return q.result(t, float64(slow)/float64(n), float64(late)/float64(n), sum/float64(n)*math.Ln2)
}

// figures draws a trial's figures without its requests: the percentile of a window
// of length T is off by 2.3·√(τ/T), where τ = 1/(capacity·(1−√load)²) is the
// relaxation time. Simulated queues at 60, 80 and 90 % of 500/s have 2.4, 2.3 and
// 1.8 for 2.3. Beyond the capacity the queue grows evenly.
func (q *queue) figures(t Trial) Result {
	if t.Purpose == Ceiling {
		return q.result(t, 0, 0, 0)
	}
	load, length := t.Rate.PerSecond(), t.Length.Std().Seconds()
	if q.random.Float64() < q.spoilt {
		return q.result(t, 0.02, 0.002, 0.01)
	}
	if load >= q.capacity {
		growth := load/q.capacity - 1 // seconds of response time per second
		late := 1 - min(1, q.timeout/(growth*length+1e-9))
		return q.result(t, 1, late, min(q.timeout, growth*length/2))
	}
	left := q.capacity - load
	relaxation := 1 / (q.capacity * math.Pow(1-math.Sqrt(load/q.capacity), 2))
	noise := math.Exp(2.3 * math.Sqrt(min(relaxation/length, 1)) * q.random.NormFloat64())
	p50 := math.Ln2 / left * math.Exp(1.44/math.Sqrt(load*length)*q.random.NormFloat64())
	slow := math.Exp(-left * q.limit / noise)
	return q.result(t, slow, math.Exp(-left*q.timeout/noise), p50)
}

// drive makes every trial of a search.
func drive(t *testing.T, g Goal, engine func(Trial) Result) *Search {
	t.Helper()
	s, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	for {
		trial, ok := s.Next()
		if !ok {
			return s
		}
		if err := s.Record(engine(trial)); err != nil {
			t.Fatal(err)
		}
		if len(s.Trials) > 1000 {
			t.Fatalf("no end after 1000 trials: %+v", s.Bracket)
		}
	}
}

// tally counts how searches of one queue ended.
type tally struct {
	searches, found, near, trials int
	load                          time.Duration
	least, most                   float64 // passing rate ÷ truth
}

// near is how far the passing rate may lie from the truth: −5 % to +2.5 %.
func near(share float64) bool { return share >= 0.95 && share <= 1.025 }

func (c *tally) add(s *Search, truth float64) {
	c.searches++
	c.trials += len(s.Trials)
	for i := range s.Trials {
		c.load += s.Trials[i].Trial.Length.Std()
	}
	a := s.Answer()
	if a.Outcome != Found {
		return
	}
	c.found++
	share := float64(a.Passes) / truth
	c.least, c.most = min(c.least, share), max(c.most, share)
	if near(share) {
		c.near++
	}
}

func (c *tally) share() float64 { return float64(c.near) / float64(c.searches) }

// simulate makes seeded searches of one queue, by its requests or its figures.
func simulate(t *testing.T, g Goal, q queue, searches int, requests bool) tally {
	t.Helper()
	c := tally{least: math.Inf(1)}
	for i := range searches {
		q.random = rand.New(rand.NewPCG(uint64(i), 7))
		engine := q.figures
		if requests {
			engine = q.requests
		}
		c.add(drive(t, g, engine), q.truth())
	}
	t.Logf("%d of %d found, %d within −5 %%/+2.5 %%, from %.3f to %.3f of the truth; %.1f trials and %v of load each",
		c.found, c.searches, c.near, c.least, c.most,
		float64(c.trials)/float64(c.searches), (c.load / time.Duration(c.searches)).Round(time.Second))
	return c
}

func thorough(t *testing.T) Goal {
	g := Thorough()
	g.From = rateFrom(t, "25")
	return g
}

func rateFrom(t *testing.T, text string) plan.Rate {
	t.Helper()
	r, err := plan.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// 200 searches of a server of 500/s that may answer within 50 ms for 99 % up to
// 408/s: nine in ten must come near, with one trial in ten spoilt.
func TestSearchesFindTheCapacity(t *testing.T) {
	for name, q := range map[string]queue{
		"clean":              {},
		"a tenth spoilt":     {spoilt: 0.1},
		"and the client too": {spoilt: 0.1, invalid: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			q.capacity, q.limit, q.timeout = 500, 0.05, 1
			c := simulate(t, thorough(t), q, 200, false)
			if c.share() < 0.9 || c.found < 195 {
				t.Errorf("%d of %d within −5 %%/+2.5 %%, %d found", c.near, c.searches, c.found)
			}
		})
	}
}

// The same with every request simulated, fewer times.
func TestSearchesOfSimulatedRequests(t *testing.T) {
	q := queue{capacity: 500, limit: 0.05, timeout: 1, spoilt: 0.1}
	if c := simulate(t, thorough(t), q, 10, true); c.share() < 0.9 {
		t.Errorf("%d of %d within −5 %%/+2.5 %%", c.near, c.searches)
	}
}

// Without votes a tenth of the trials spoils the search: what the test above asks
// is not had for nothing.
func TestPlainBisectionIsSpoilt(t *testing.T) {
	g := thorough(t)
	g.BestNarrow, g.BestDecide = 1, 1
	q := queue{capacity: 500, limit: 0.05, timeout: 1, spoilt: 0.1}
	if c := simulate(t, g, q, 100, false); c.share() >= 0.9 {
		t.Errorf("%d of %d within −5 %%/+2.5 %% with one trial for each rate", c.near, c.searches)
	}
	if near(0.949) || near(1.026) || !near(1) {
		t.Error("near takes what is far, or not what is near")
	}
}

// A quick search takes about a minute of load and is right to a fifth.
func TestQuickIsQuickAndRough(t *testing.T) {
	g := Quick()
	g.From = rateFrom(t, "25")
	q := queue{capacity: 500, limit: 0.05, timeout: 1}
	c := simulate(t, g, q, 100, false)
	if each := c.load / time.Duration(c.searches); each > 75*time.Second {
		t.Errorf("%v of load for a search", each)
	}
	if c.found != c.searches || c.least < 0.8 || c.most > 1.2 {
		t.Errorf("%d of %d found, from %.3f to %.3f of the truth", c.found, c.searches, c.least, c.most)
	}
}
