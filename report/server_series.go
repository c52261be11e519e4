package report

import (
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// near is how far a reading may be from an instant that it is to stand for, such as
// the end of a second: readings lie milliseconds behind, or where a reading of many
// processes ends.
const near = 250 * time.Millisecond

// fillIntervals sets the servers' CPU in each second: the sum over all groups but
// those within others, not known where one of them is not.
func fillIntervals(d *Document, watched []*sampler.Record) {
	groups := 0
	sums := make([]record.Number, len(d.Intervals))
	for _, w := range watched {
		for i := range w.Groups {
			if w.Groups[i].Within != "" {
				continue
			}
			alive, _ := lifetime(w.Readings, i)
			addSeconds(sums, &w.Host, alive, i)
			groups++
		}
	}
	for k := range d.Intervals {
		if groups > 0 {
			d.Intervals[k].ServerCPU = sums[k]
		}
	}
}

// addSeconds adds what group i used in each second. It moves through the readings
// once: a run of a day has a hundred thousand.
func addSeconds(sums []record.Number, host *sampler.HostInfo, alive []sampler.Reading, i int) {
	next := 0 // the first reading that may end second k
	for k := range sums {
		end := time.Duration(k+1) * time.Second
		for next < len(alive) && alive[next].At < end-near {
			next++
		}
		a, b := secondEdges(alive, next, end)
		if a == nil || b == nil {
			sums[k] = record.Undefined()
			continue
		}
		sums[k] += coresUsed(b.Groups[i].CPU-a.Groups[i].CPU, elapsedBetween(host, a, b))
	}
}

// secondEdges are the readings around the second that ends at end: the one nearest
// to its end, and the last that is near its start or, after a gap, before it, but
// not long before the origin: what came then is not of the run. Either is nil if
// there is none. next is the first reading not long before end.
func secondEdges(alive []sampler.Reading, next int, end time.Duration) (a, b *sampler.Reading) {
	at := next
	for n := next; n < len(alive) && alive[n].At <= end+near; n++ {
		if b == nil || (alive[n].At-end).Abs() < (b.At-end).Abs() {
			at, b = n, &alive[n]
		}
	}
	for n := at - 1; b != nil && n >= 0 && alive[n].At >= -near; n-- {
		if alive[n].At <= end-time.Second+near {
			return &alive[n], b
		}
	}
	return nil, b
}
