package testserver

import (
	"math"
	"slices"
	"testing"
	"time"
)

const (
	us     = int64(time.Microsecond)
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

// A visit is what became of one request of a simulated run.
type visit struct {
	job
	left   bool // departed
	gaveUp bool // closed before it departed
}

func (v *visit) response() int64 { return v.departure - v.arrival }

// simulate offers requests to a queue in virtual time, uniformly, and returns what
// became of each by the instant until. Each client gives up patience after its
// arrival; 0 is never.
func simulate(c Config, rate int64, total int, patience, until int64) []visit {
	due := func(n int) int64 { return int64(n) * second / rate }
	q, visits, index := newQueue(&c), make([]visit, total), map[*job]int{}
	for arrived, closed := 0, 0; ; {
		arrival, giveUp := forever, forever
		if arrived < total {
			arrival = due(arrived)
		}
		if patience > 0 && closed < arrived {
			giveUp = due(closed) + patience
		}
		_, departure := q.head()
		switch at := min(departure, arrival, giveUp); {
		case at >= until:
			return visits
		case at == departure:
			if j := q.step(); j != nil {
				visits[index[j]].left = true
			}
		case at == giveUp:
			if v := &visits[closed]; !v.left {
				v.gaveUp = true
				q.close(&v.job, at)
			}
			closed++
		default:
			index[&visits[arrived].job] = arrived
			q.arrive(&visits[arrived].job, at)
			arrived++
		}
	}
}

func count(visits []visit, what func(v *visit) bool) int {
	n := 0
	for i := range visits {
		if what(&visits[i]) {
			n++
		}
	}
	return n
}

// nearestRank is the q-quantile by nearest rank.
func nearestRank(sorted []int64, q float64) int64 {
	return sorted[max(int(math.Ceil(q*float64(len(sorted))-1e-9)), 1)-1]
}

func TestNearestRank(t *testing.T) {
	sorted := []int64{10, 20, 30, 40}
	for q, want := range map[float64]int64{0: 10, 0.25: 10, 0.26: 20, 0.5: 20, 0.75: 30, 0.76: 40, 1: 40} {
		if got := nearestRank(sorted, q); got != want {
			t.Errorf("nearestRank(%v) = %d, want %d", q, got, want)
		}
	}
}

func TestStallEnd(t *testing.T) {
	s := stall{from: 100, length: 50}
	check := func(begin, work, want int64) {
		t.Helper()
		if got := s.end(begin, work); got != want {
			t.Errorf("end(%d, %d) = %d, want %d", begin, work, got, want)
		}
	}
	check(0, 99, 99)     // over before
	check(0, 100, 150)   // would end as the stall begins
	check(90, 20, 160)   // half done, half after
	check(100, 0, 150)   // begun with the stall
	check(120, 7, 157)   // begun in it
	check(149, 0, 150)   // at its last moment
	check(150, 7, 157)   // begun as it ends
	check(1000, 7, 1007) // long after
	s = stall{from: 100}
	check(90, 20, 110) // no stall
	check(100, 0, 100)
}

// oracle is Lindley's recursion for any number of workers: it keeps when each
// becomes free, and knows nothing of heaps and lines.
func oracle(arrivals, services []int64, workers int) []int64 {
	free := make([]int64, workers)
	var out []int64
	for i, at := range arrivals {
		w := 0
		for k := range free {
			if free[k] < free[w] {
				w = k
			}
		}
		free[w] = max(at, free[w]) + services[i]
		out = append(out, free[w])
	}
	return out
}

func TestQueueAgainstLindley(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		c := Config{Workers: workers, ServiceTime: time.Duration(workers) * 2 * time.Millisecond, Service: Exponential, Seed: 11}
		visits := simulate(c, 450, 20_000, 0, forever)
		var arrivals, services []int64
		draw := serviceTimes(&c)
		for i := range visits {
			arrivals, services = append(arrivals, visits[i].arrival), append(services, draw())
		}
		for i, want := range oracle(arrivals, services, workers) {
			if got := visits[i].departure; got != want {
				t.Fatalf("%d workers: request %d leaves at %d, the oracle says %d", workers, i, got, want)
			}
		}
	}
	if got := oracle([]int64{0, 1}, []int64{5, 5}, 1); !slices.Equal(got, []int64{5, 10}) { // and the oracle itself
		t.Errorf("oracle = %v, want [5 10]", got)
	}
}

func TestExponentialMean(t *testing.T) {
	c := Config{Workers: 1, ServiceTime: 2 * time.Millisecond, Service: Exponential, Seed: 3}
	first, again := serviceTimes(&c), serviceTimes(&c)
	c.Seed = 4
	other := serviceTimes(&c)
	const n = 100_000
	sum, same := 0.0, 0
	for range n {
		s := first()
		sum += float64(s)
		if s != again() {
			t.Fatal("the same seed drew another sequence")
		}
		if s == other() {
			same++
		}
	}
	if mean := sum / n / float64(ms); math.Abs(mean-2) > 5*2/math.Sqrt(n) {
		t.Errorf("mean %.4f ms, want 2", mean)
	}
	if same > n/100 {
		t.Errorf("%d of %d draws are the same with another seed", same, n)
	}
}

func TestDelayOccupiesNoWorker(t *testing.T) {
	c := Config{Workers: 1, ServiceTime: 2 * time.Millisecond, Delay: 30 * time.Millisecond}
	visits := simulate(c, 500, 1000, 0, forever)
	for i := range visits {
		if got := visits[i].response(); got != 32*ms {
			t.Fatalf("request %d took %d ns, want 32 ms", i, got)
		}
	}
}

func TestLateReportedArrival(t *testing.T) {
	// The departure at 2 ms has been taken when an arrival of 1 ms is reported: it
	// is served from 2 ms on, as if it had been reported in time.
	c := fiveHundredPerSecond()
	q := newQueue(&c)
	var a, b job
	q.arrive(&a, 0)
	q.step()
	q.arrive(&b, 1*ms)
	if _, at := q.head(); at != 4*ms {
		t.Errorf("departure at %d, want 4 ms", at)
	}
}

func TestCloseInEveryPlace(t *testing.T) {
	c := fiveHundredPerSecond()
	c.DropClosed = true
	q := newQueue(&c)
	jobs := make([]job, 5)
	for i := range jobs {
		q.arrive(&jobs[i], 0)
	}
	expect := func(want *job, wantAt int64) {
		t.Helper()
		if j, at := q.head(); j != want || at != wantAt {
			t.Errorf("head is %p at %d, want %p at %d", j, at, want, wantAt)
		}
	}
	expect(&jobs[0], 2*ms)
	q.close(&jobs[1], 1*ms) // waiting
	q.close(&jobs[0], 1*ms) // in service: the departure is handed on, past the one that has gone
	expect(&jobs[2], 2*ms)
	q.close(&jobs[2], 1*ms)
	expect(&jobs[3], 2*ms)
	if j := q.step(); j != &jobs[3] {
		t.Errorf("step gave %p, want %p", j, &jobs[3])
	}
	expect(&jobs[4], 4*ms)
	q.close(&jobs[4], 3*ms) // the last: the worker becomes free
	expect(nil, forever)
	q.close(&jobs[4], 3*ms) // outside already: nothing happens
	if q.inside != 0 || q.free.size != 1 {
		t.Errorf("inside %d, %d workers free, want 0 and 1", q.inside, q.free.size)
	}
	q.arrive(&jobs[0], 3*ms)
	expect(&jobs[0], 5*ms)
}
