package testserver

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Overload: 600/s for 60 s offered to 500/s.
const (
	overload       = 600
	overloadTotal  = 36_000
	overloadWindow = 60 * second
)

func fiveHundredPerSecond() Config { return Config{Workers: 1, ServiceTime: 2 * time.Millisecond} }

func TestOverloadEndlessQueue(t *testing.T) {
	visits := simulate(fiveHundredPerSecond(), overload, overloadTotal, 0, forever)
	if n := count(visits, func(v *visit) bool { return v.departure < overloadWindow }); n != 29_999 {
		t.Errorf("%d departures within the window, want 29999", n)
	}
	for limit, want := range map[int64]int{1 * second: 2_995, 2 * second: 5_995, 5 * second: 14_995} {
		if n := count(visits, func(v *visit) bool { return v.response() <= limit }); n != want {
			t.Errorf("%d responses within %d s, want %d", n, limit/second, want)
		}
	}
	for n := range visits { // the k-th departs at exactly (k+1) service times
		if want := int64(n+1) * 2 * ms; visits[n].departure != want {
			t.Fatalf("departure %d at %d, want %d", n, visits[n].departure, want)
		}
	}
}

func TestOverloadQueueLimit(t *testing.T) {
	for limit, want := range map[int]int{50: 5_951, 128: 5_873, 511: 5_490} {
		c := fiveHundredPerSecond()
		c.Queue = limit
		visits := simulate(c, overload, overloadTotal, 0, forever)
		if n := count(visits, func(v *visit) bool { return v.rejected }); n != want {
			t.Errorf("queue of %d: %d rejected, want %d", limit, n, want)
		}
		longest := int64(0)
		for i := range visits {
			switch v := &visits[i]; {
			case !v.left:
				t.Fatalf("queue of %d: request %d never left", limit, i)
			case v.rejected && v.response() != 0:
				t.Fatalf("queue of %d: request %d rejected after %d ns, want at once", limit, i, v.response())
			default:
				longest = max(longest, v.response())
			}
		}
		if want := int64(limit) * 2 * ms; longest > want || longest < want-2*ms {
			t.Errorf("queue of %d: longest response %d ns, want up to %d", limit, longest, want)
		}
	}
}

func TestOverloadDropClosed(t *testing.T) {
	const patience = 1 * second
	c := fiveHundredPerSecond()
	c.DropClosed = true
	visits := simulate(c, overload, overloadTotal, patience, overloadWindow)
	if n := count(visits, func(v *visit) bool { return v.left }); n != 29_999 {
		t.Errorf("%d departures within the window, want every slot used: 29999", n)
	}
	for i := range visits {
		if v := &visits[i]; v.left && v.response() > patience {
			t.Fatalf("request %d left after %d ns, when its client was gone", i, v.response())
		}
	}
	const from, to = 12_000, 30_000 // 20 s to 50 s: the steady part
	lost := count(visits[from:to], func(v *visit) bool { return v.gaveUp })
	if want := (to - from) / 6; lost < want-1 || lost > want+1 {
		t.Errorf("%d of %d lost, want a sixth: %d", lost, to-from, want)
	}
}

// The reason for queue.close: a server that looks for closed clients only when it
// takes a new request spends nearly every slot on one that gives up during its service.
func TestOverloadLookingOnlyBetweenRequests(t *testing.T) {
	const patience, service = 1 * second, 2 * ms
	answered, next := 0, 0
	due := func(n int) int64 { return int64(n) * 5 * ms / 3 }
	for now := int64(0); now < overloadWindow; now += service {
		for due(next)+patience < now {
			next++
		}
		if due(next)+patience >= now+service {
			answered++
		}
		next++
	}
	if steady := answered - 3_000; steady > 1_000 { // some 3000 before the queue is a patience long
		t.Errorf("%d answered after the queue had filled, want next to none of 27000", steady)
	}
}

func TestStall(t *testing.T) {
	type column struct {
		name             string
		config           Config
		base             int64
		affected         int
		p50, p90, p95    int64
		p99, p99_9, last int64
		mean             float64 // ms
	}
	stalled := Config{StallAt: 4 * time.Second, StallFor: time.Second}
	worker := stalled
	worker.Workers, worker.ServiceTime = 1, 200*time.Microsecond
	for _, c := range []column{
		{"infinite server", stalled, 0, 1000, 0, 0, 500 * ms, 900 * ms, 990 * ms, 1000 * ms, 50.05},
		{"one worker", worker, 200 * us, 1250, 200 * us, 200*ms + 200*us, 600*ms + 200*us, 920*ms + 200*us,
			992*ms + 200*us, 1000*ms + 200*us, 62.75},
	} {
		visits := simulate(c.config, 1000, 10_000, 0, forever)
		var sorted []int64
		sum := int64(0)
		for i := range visits {
			sorted = append(sorted, visits[i].response())
			sum += visits[i].response()
		}
		slices.Sort(sorted)
		for q, want := range map[float64]int64{0.5: c.p50, 0.9: c.p90, 0.95: c.p95, 0.99: c.p99, 0.999: c.p99_9, 1: c.last} {
			if got := nearestRank(sorted, q); got != want {
				t.Errorf("%s: p%g = %d ns, want %d", c.name, 100*q, got, want)
			}
		}
		if n := count(visits, func(v *visit) bool { return v.response() > c.base }); n != c.affected {
			t.Errorf("%s: %d affected, want %d", c.name, n, c.affected)
		}
		if mean := float64(sum) / float64(len(sorted)*int(ms)); math.Abs(mean-c.mean) > 0.005 {
			t.Errorf("%s: mean %.4f ms, want %.2f", c.name, mean, c.mean)
		}
		if n := count(visits, func(v *visit) bool { return v.departure >= 4*second && v.departure < 5*second }); n != 0 {
			t.Errorf("%s: %d departures during the stall", c.name, n)
		}
	}
}
