package record

import (
	"runtime"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// aReply is request n of p on a new connection, answered within 1.2 ms.
func aReply(p *plan.Plan, n uint64) Outcome {
	o := NewOutcome(n, p.Rate.At(n))
	o.Sent = o.Due + 20*time.Microsecond
	o.Connected = o.Sent + 60*time.Microsecond
	o.FirstByte = o.Connected + 10*time.Microsecond + time.Duration(n&0xffff)*17
	o.Done = o.FirstByte + 5*time.Microsecond
	o.ReceiveLag = 4 * time.Microsecond
	o.Status, o.BytesSent, o.HeaderBytes, o.ContentBytes = 200, 80, 200, 1024
	return o
}

// heap is what is reachable, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemory: the memory of a run does not grow with its requests.
func TestMemory(t *testing.T) {
	const limit = 64 << 20
	before := heap()
	p := mustPlan("100000", manyOutcomes)
	rec := New(p, 1, nil, nil)
	rec.Start(time.Now())
	s := rec.Shard(0)
	for n := range p.Total {
		o := aReply(p, n)
		s.Record(&o)
		if n%(manyOutcomes/4) == 0 {
			if grown := heap() - min(before, heap()); grown > limit {
				t.Fatalf("%d MiB after %d outcomes", grown>>20, n)
			}
		}
	}
	run := rec.Finish(p.Total, false)
	if grown := heap() - min(before, heap()); grown > limit {
		t.Errorf("%d MiB after the run", grown>>20)
	}
	if err := consistent(run); err != nil {
		t.Error(err)
	}
	if s := &run.Summary; s.Replies != manyOutcomes || s.ReplyRate.Samples != manyOutcomes/100_000 || s.OfferedRate != 100_000 {
		t.Errorf("%d replies, %d seconds, %v/s offered", s.Replies, s.ReplyRate.Samples, s.OfferedRate)
	}
	runtime.KeepAlive(rec)
}

// TestRecordAllocates: nothing is allocated for a request within a second.
func TestRecordAllocates(t *testing.T) {
	for _, arrivals := range []plan.Process{plan.Uniform, plan.Poisson} {
		p := mustPlan("100000", 1_000_000)
		p.Arrivals = arrivals
		rec := New(p, 1, nil, nil)
		rec.Start(time.Now())
		s, n := rec.Shard(0), uint64(0)
		one := func() {
			o := aReply(p, n)
			switch n % 8 {
			case 6:
				o.Class, o.Phase = ClientTimeout, Wait
			case 7:
				o.Class = Aborted
			}
			s.Record(&o)
			n++
		}
		one()
		if got := testing.AllocsPerRun(1000, one); got != 0 {
			t.Errorf("%s: %v allocations for an outcome", arrivals, got)
		}
	}
}

// BenchmarkRecord is the cost of one outcome, the making of which is some 10 ns of it.
func BenchmarkRecord(b *testing.B) {
	p := mustPlan("100000", 1<<40)
	rec := New(p, 1, nil, nil)
	rec.Start(time.Now())
	s := rec.Shard(0)
	b.ReportAllocs()
	for n := range uint64(b.N) {
		o := aReply(p, n)
		s.Record(&o)
	}
}
