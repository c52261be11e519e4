package testserver

import "math"

// forever is the instant that never comes.
const forever = int64(math.MaxInt64)

// A stall is a span of virtual time, [from, from+length), in which nothing departs
// and no work is done. The zero length is no stall.
type stall struct{ from, length int64 }

// end is the instant at which work of the given length is done, begun at begin:
// what would fall into the stall or across it waits until the stall is over.
func (s stall) end(begin, work int64) int64 {
	if begin >= s.from { // not begun before the stall: held until its end
		return max(begin, s.from+s.length) + work
	}
	if begin+work < s.from {
		return begin + work
	}
	return begin + work + s.length
}

// A departure is an entry in the schedule: the instant and the request that will have it.
type departure struct {
	at    int64
	seq   uint64 // order among equal instants
	job   *job
	index int // in departures
}

// departures is the schedule, a container/heap with the earliest first.
type departures []*departure

func (d departures) Len() int { return len(d) }

func (d departures) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].seq < d[j].seq
}

func (d departures) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

// Push is for container/heap.
func (d *departures) Push(x any) {
	entry := x.(*departure)
	entry.index = len(*d)
	*d = append(*d, entry)
}

// Pop is for container/heap.
func (d *departures) Pop() any {
	last := len(*d) - 1
	entry := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return entry
}

// A fifo is the waiting line. Jobs that were closed stay in it until they come to
// the front, so that closing one costs nothing.
type fifo struct{ jobs ring[*job] }

func (f *fifo) push(j *job) { f.jobs.push(j) }

// pop takes the job that has waited longest; nil if none waits.
func (f *fifo) pop() *job {
	for {
		if j, ok := f.jobs.pop(); !ok || j.place == waiting {
			return j
		}
	}
}
