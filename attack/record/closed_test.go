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
