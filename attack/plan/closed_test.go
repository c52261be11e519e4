package plan

import (
	"testing"
	"time"
)

func TestDealer(t *testing.T) {
	p := New()
	p.Concurrency, p.Total, p.Duration = 2, 3, Seconds(time.Second)
	d := p.NewDealer()
	for i, c := range []struct {
		due time.Duration
		seq uint64
		ok  bool
	}{{-5, 0, true}, {-4, 1, true}, {0, 0, true}, {7, 1, true}, {time.Second, 0, false}, {8, 2, true}, {9, 0, false}, {-1, 2, true}} {
		if a, ok := d.Next(c.due); ok != c.ok || ok && (a.Seq != c.seq || a.Due != c.due) {
			t.Errorf("%d: %+v %v, want %+v", i, a, ok, c)
		}
	}
	if !d.Exhausted() || p.NewDealer().Exhausted() {
		t.Error("exhausted before the total or not after it")
	}
	if _, ok := p.Schedule().Next(); ok || p.Planned() != 3 || p.WarmupRequests() != 0 {
		t.Error("a closed loop has a schedule")
	}
}

func TestClosedWindow(t *testing.T) {
	for _, c := range []struct {
		total    uint64
		duration time.Duration
		want     time.Duration
	}{{20, 0, 2 * (5*time.Second + SlotRest)}, {21, 0, 3 * (5*time.Second + SlotRest)}, {20, time.Second, time.Second}, {0, time.Minute, time.Minute}, {1 << 62, 0, 1<<63 - 1}} {
		p := New()
		p.Concurrency, p.Total, p.Duration = 10, c.total, Seconds(c.duration)
		if got := p.Window(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
