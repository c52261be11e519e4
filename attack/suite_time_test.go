package attack_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// atOnce runs subtests side by side, whatever the number of cores: cases that
// mostly wait. Each reports under its own name.
func atOnce(t *testing.T, cases map[string]func(*testing.T)) {
	t.Helper()
	var running sync.WaitGroup
	for name, f := range cases {
		running.Go(func() { t.Run(name, f) }) // ends with the subtest
	}
	running.Wait()
}

// enginesAtOnce is eachEngine with the engines side by side.
func enginesAtOnce(t *testing.T, f func(t *testing.T, engine string)) {
	t.Helper()
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		cases[engine] = func(t *testing.T) { f(t, engine) }
	}
	atOnce(t, cases)
}

// thrice plays a case of timing up to three times: the machine may stand still,
// and what it stood in the way of once says nothing. f returns what was wrong with
// the times; counts, which no delay excuses, it reports to t itself.
func thrice(t *testing.T, f func() error) {
	t.Helper()
	var all []error
	for range 3 {
		err := f()
		if err == nil || t.Failed() {
			return
		}
		t.Logf("once more: %v", err)
		all = append(all, err)
	}
	t.Errorf("three times out of three:\n%v", errors.Join(all...))
}

// sentinel watches how late this process gets to run: a goroutine that sleeps a
// millisecond at a time and notes the longest that it overslept. What an engine
// that reads in goroutines measures is off by that and its like.
type sentinel struct {
	stop  chan struct{}
	worst chan time.Duration
}

func watch() *sentinel {
	s := &sentinel{make(chan struct{}), make(chan time.Duration, 1)}
	go s.run() // ends with done
	return s
}

func (s *sentinel) run() {
	worst := time.Duration(0)
	for {
		before := time.Now()
		select {
		case <-s.stop:
			s.worst <- worst
			return
		case <-time.After(time.Millisecond):
		}
		worst = max(worst, time.Since(before)-time.Millisecond)
	}
}

// done ends the watch and returns the longest delay.
func (s *sentinel) done() time.Duration {
	close(s.stop)
	return <-s.worst
}

// stoodStill is how long one thing after the other may have been held up meanwhile:
// a server's goroutine, then a client's.
func (s *sentinel) stoodStill() time.Duration { return 2 * s.done() }

// numbered makes p's requests ask for /0, /1, … so that the server's log says
// which is which.
func numbered(t *testing.T, p *plan.Plan) {
	t.Helper()
	base := strings.TrimSuffix(p.URL, "/")
	for i := range p.Total {
		u, err := plan.ParseURL(base + "/" + strconv.FormatUint(i, 10))
		if err != nil {
			t.Fatal(err)
		}
		p.Targets = append(p.Targets, plan.Target{URL: u})
	}
	p.URL, p.TargetsFile = "", "numbered"
}

// truth is what the server itself knows of a run of numbered requests: between
// which two bounds the response time of each lies. The reply was handed to the
// kernel between them.
type truth struct{ lower, upper []time.Duration }

// unanswered is the response time of a request that the server did not answer.
const unanswered = time.Duration(math.MaxInt64)

// truthOf reads the server's log, after the run. warmup is the number of requests
// before the measurement.
func truthOf(t *testing.T, s *testserver.Server, p *plan.Plan, run *record.Run) truth {
	t.Helper()
	origin := originOn(s, run.StartedAt)
	v := truth{slices.Repeat([]time.Duration{unanswered}, int(p.Total)), slices.Repeat([]time.Duration{unanswered}, int(p.Total))}
	for _, d := range s.Departures() {
		n, err := strconv.Atoi(strings.TrimPrefix(d.Target, "/"))
		if err != nil || n >= len(v.lower) {
			t.Fatalf("the server was asked for %q", d.Target)
		}
		due := origin + int64(p.Rate.At(uint64(n)))
		v.lower[n], v.upper[n] = time.Duration(d.Begun-due), time.Duration(d.Done-due)
	}
	return v
}

// originOn is an instant of this process on the server's clock.
func originOn(s *testserver.Server, at time.Time) int64 {
	best, origin := int64(math.MaxInt64), int64(0)
	for range 10 {
		before := s.Now()
		since := int64(time.Since(at))
		after := s.Now()
		if after-before < best {
			best, origin = after-before, (before+after)/2-since
		}
	}
	return origin
}

// ranked is the value of nearest rank q of all, in seconds; undefined if the
// request there took longer than the timeout.
func ranked(all []time.Duration, q float64, timeout time.Duration) record.Number {
	sorted := slices.Sorted(slices.Values(all))
	k := max(int(math.Ceil(q*float64(len(sorted))-1e-9)), 1)
	if sorted[k-1] > timeout {
		return record.Undefined()
	}
	return record.Seconds(sorted[k-1])
}

// quantiles are those of a time table's row.
func quantiles(s *record.Stats) map[float64]record.Number {
	return map[float64]record.Number{0.5: s.P50, 0.9: s.P90, 0.95: s.P95, 0.99: s.P99, 0.999: s.P999}
}

// within says what is wrong with a figure that should lie between two bounds, either
// of which may be undefined: then so may the figure, beyond the bound that is not.
func within(name string, got, low, high, tolerance record.Number) error {
	switch {
	case !low.Defined() && !got.Defined():
		return nil
	case !got.Defined() && !high.Defined():
		return nil // the bound lies on either side of the timeout
	case low.Defined() && got >= low-tolerance && (!high.Defined() || got <= high+tolerance):
		return nil
	}
	return fmt.Errorf("%s = %v s, want %v to %v", name, got, low-tolerance, high+tolerance)
}

func TestWithinTellsWhatIsOff(t *testing.T) {
	null := record.Undefined()
	for _, c := range []struct {
		got, low, high record.Number
		ok             bool
	}{
		{1, 1, 1, true}, {0.9, 1, 2, true}, {2.1, 1, 2, true}, {null, null, null, true}, {null, 1, null, true}, {1.5, 1, null, true},
		{0.8, 1, 2, false}, {2.2, 1, 2, false}, {null, 1, 2, false}, {1, null, null, false}, {0.5, 1, null, false},
	} {
		if err := within("x", c.got, c.low, c.high, 0.11); (err == nil) != c.ok {
			t.Errorf("%v between %v and %v: %v", c.got, c.low, c.high, err)
		}
	}
}
