package record

import (
	"testing"
	"time"

	"ratebench/attack/plan"
)

func TestClientOfAClosedLoopIsTheLimit(t *testing.T) {
	for _, c := range []struct {
		cores   Number
		threads int
		code    string
		status  Status
	}{
		{0.89, 1, "", ""}, {0.95, 1, "client_core", Invalid}, {0.95, 2, "", ""}, {1.85, 2, "client_core", Invalid},
		{0.95, 0, "client_core", Suspect}, {6, 1, "", ""},
	} {
		run := &Run{Client: Client{Cores: c.cores, Available: 8}, Method: Method{Loops: c.threads}}
		switch f := hadLimit(run); {
		case f == nil && c.code != "":
			t.Errorf("%+v: no finding", c)
		case f != nil && (f.Code != c.code || f.Status != c.status):
			t.Errorf("%+v: %+v", c, *f)
		}
	}
}

func TestTailOfAClosedLoop(t *testing.T) {
	p := &plan.Plan{Concurrency: 10}
	for _, c := range []struct {
		planned uint64
		drain   Number
		found   bool
	}{{1000, 5, true}, {1000, 0.4, false}, {20, 5, false}, {1000, 0.6, true}} {
		if f := tail(p, &Summary{Planned: c.planned, Elapsed: 6, drain: c.drain}); (f != nil) != c.found {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

func TestTurnOfAClosedLoop(t *testing.T) {
	for lag, found := range map[Number]bool{0.09: false, 0.11: true, Undefined(): false} {
		s := &Summary{Time: Times{SendLag: Stats{Mean: lag}, Response: Stats{Mean: 1}}}
		if f := turn(s); (f != nil) != found {
			t.Errorf("%v: %+v", lag, f)
		}
	}
}

// Processing is from the connection's opening to the last byte, of closed loops alone.
func TestProcessing(t *testing.T) {
	o := NewOutcome(0, 0)
	o.Class, o.Sent, o.Connected, o.FirstByte, o.Done = Reply, 0, 2*time.Second, 3*time.Second, 5*time.Second
	for concurrency, want := range map[int]Number{0: 0, 1: 3} {
		p := plan.New()
		p.Concurrency, p.Total = concurrency, 1
		if concurrency == 0 {
			p.Rate, _ = plan.ParseRate("1")
		}
		s := newShard(p, 0, 1, nil, nil)
		s.countReply(&o)
		times := s.times(0)
		if got := times.Processing; (got != nil) != (want > 0) || got != nil && got.Mean != want {
			t.Errorf("concurrency %d: %+v", concurrency, got)
		}
	}
}

// An end that is read late makes no more requests in flight than there are slots: the
// area is divided by the time that it covers.
func TestInFlightOfSlots(t *testing.T) {
	p := plan.New()
	p.Concurrency, p.Total = 1, 1
	s := newShard(p, 0, 1, nil, nil)
	s.Take(0)
	s.Tick(3 * time.Millisecond) // before it was read that it had ended
	o := NewOutcome(0, 0)
	o.Class, o.Sent, o.Connected, o.FirstByte, o.Done = Reply, 0, 0, time.Millisecond, 2*time.Millisecond
	s.Record(&o)
	if got := s.inFlight(); got.Mean != 1 || got.Peak != 1 {
		t.Errorf("%+v", got)
	}
}

// After a reply a slot goes on at once, after a refusal it rests.
func TestNextOfASlot(t *testing.T) {
	o := NewOutcome(0, 0)
	if o.Class, o.Done = Reply, time.Second; o.Next() != time.Second {
		t.Errorf("after a reply: %v", o.Next())
	}
	if o.Class = ConnectionRefused; o.Next() != time.Second+plan.SlotRest {
		t.Errorf("after a refusal: %v", o.Next())
	}
	if o.Class, o.Connected = ConnectionReset, 1; o.Next() != time.Second {
		t.Errorf("after a reset: %v", o.Next())
	}
}
