package record

// row is one second of one shard, or of several added up; see Interval.
type row struct {
	due, sent, replies, good, goodDue, aborted uint64

	starts  uint64 // bit i is set if a request was sent in part i of the second, see slotOf
	classes [Classes]uint32
}

// openSecond collects the response times of the replies that end in one second.
type openSecond struct {
	second   int
	response *Histogram
}

// closedSecond is a second of one shard in which nothing happens any more, but
// for what comes later than the grace.
type closedSecond struct {
	second   int
	row      row
	inFlight uint64
	response *Histogram
}

// mergedSecond is what is known of a second once every shard has closed it.
type mergedSecond struct {
	p50, p99, max Number
	cpu           Number // cores
}

func (m mergedSecond) fill(v *Interval) {
	v.P50, v.P99, v.Max, v.ClientCPU = m.p50, m.p99, m.max, m.cpu
}

func (r *row) add(other *row) {
	r.due += other.due
	r.sent += other.sent
	r.replies += other.replies
	r.good += other.good
	r.goodDue += other.goodDue
	r.aborted += other.aborted
	r.starts |= other.starts
	for c := range r.classes {
		r.classes[c] += other.classes[c]
	}
}

// errors is the number of requests that failed in the second.
func (r *row) errors() uint64 {
	var sum uint64
	for _, n := range r.classes {
		sum += uint64(n)
	}
	return sum
}

// ended is the number of requests that ended in the second.
func (r *row) ended() uint64 { return r.replies + r.aborted + r.errors() }

// interval is the row as the document shows it, but for the number in flight
// and what mergedSecond holds.
func (r *row) interval(second int) Interval {
	v := Interval{
		T: Number(second), Due: r.due, Sent: r.sent, Replies: r.replies, Good: r.good, goodDue: r.goodDue,
		Errors: r.errors(), Timeouts: uint64(r.classes[ClientTimeout]), Aborted: r.aborted,
		ServerCPU: Undefined(), // the recorder does not see it
	}
	mergedSecond{Undefined(), Undefined(), Undefined(), Undefined()}.fill(&v)
	for c, n := range r.classes {
		if n == 0 {
			continue
		}
		if v.ByClass == nil {
			v.ByClass = map[string]uint64{}
		}
		v.ByClass[Class(c).Key()] = uint64(n)
	}
	return v
}

// intervals sums the shards' rows second by second, up to the last event.
// Requests that were due and have not ended then were never started: the last
// second counts them as unsent.
func (r *Recorder) intervals() []Interval {
	all := make([]Interval, r.length())
	var inFlight uint64
	for i := range all {
		var sum row
		for _, s := range r.shards {
			if i < len(s.rows) {
				sum.add(&s.rows[i])
			}
		}
		all[i] = sum.interval(i)
		inFlight += sum.due - sum.ended()
		all[i].InFlight = inFlight
		if i < len(r.seconds) {
			r.seconds[i].fill(&all[i])
		}
	}
	if n := len(all); n > 0 {
		all[n-1].Unsent, all[n-1].InFlight = inFlight, 0
	}
	return all
}

// length is the number of seconds in which anything happened, or might have.
func (r *Recorder) length() int {
	seconds := 0
	for _, s := range r.shards {
		seconds = max(seconds, len(s.rows))
	}
	return seconds
}
