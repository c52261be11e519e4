package record

import (
	"testing"
	"time"

	"ratebench/attack/plan"
)

func BenchmarkRecord(b *testing.B) {
	p := plan.New()
	p.Rate, _ = plan.ParseRate("100000")
	p.Total = 1 << 40
	r := New(p, 1, nil, nil)
	r.Start(time.Now().Add(-time.Hour))
	s := r.Shard(0)
	o := NewOutcome(0, 0)
	o.Status = 200
	b.ReportAllocs()
	for i := range b.N {
		o.Due = p.Rate.At(uint64(i))
		o.Sent = o.Due + 20*time.Microsecond
		o.Connected = o.Sent + 60*time.Microsecond
		o.Written = o.Connected + 10*time.Microsecond
		o.FirstByte = o.Written + time.Duration(i&0xffff)*17
		o.Done = o.FirstByte + 5000
		o.ReceiveLag = 4000
		o.Class = Reply
		s.Record(&o)
		if i%1024 == 0 {
			s.Tick(o.Done)
		}
	}
}
