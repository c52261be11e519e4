package epoll

import (
	"testing"
	"time"
)

// One request that hangs at the head must not keep the deadlines of all that
// ended behind it.
func TestDeadlinesForgetWhatEnded(t *testing.T) {
	var q deadlines
	hanging := &conn{phase: exchanging, request: 1}
	q.push(deadline{hanging, 1, time.Second})
	other := &conn{phase: exchanging}
	for n := range 1_000_000 {
		other.request++
		q.push(deadline{other, other.request, time.Second + time.Duration(n)})
	}
	if len(q.ring) > 128 {
		t.Errorf("the ring holds %d for 2 requests in flight", len(q.ring))
	}
	if d, ok := q.first(); !ok || d.conn != hanging {
		t.Errorf("first is %+v %v, want the hanging request", d, ok)
	}
	hanging.phase = idle
	if d, ok := q.first(); !ok || d.conn != other || d.request != other.request {
		t.Errorf("first is %+v %v, want the request in flight", d, ok)
	}
	other.phase = closed
	if d, ok := q.first(); ok {
		t.Errorf("first is %+v, want none", d)
	}
}

// What is in flight stays, in order, however often the ring grows.
func TestDeadlinesKeepTheirOrder(t *testing.T) {
	var q deadlines
	conns := make([]conn, 1000)
	for i := range conns {
		conns[i].phase, conns[i].request = exchanging, 1
		q.push(deadline{&conns[i], 1, time.Duration(i)})
	}
	for i := range conns {
		d, ok := q.first()
		if !ok || d.at != time.Duration(i) {
			t.Fatalf("deadline %d is %v %v", i, d.at, ok)
		}
		conns[i].phase = idle
	}
}

func TestSharesOfALimitAddUp(t *testing.T) {
	for _, n := range []int{1, 7, 100, 10_000} {
		for _, k := range []int{1, 2, 3, 7} {
			sum := 0
			for i := range k {
				sum += shareOf(n, i, k)
			}
			if sum != n {
				t.Errorf("%d in %d shares add up to %d", n, k, sum)
			}
		}
	}
}
