package record

import (
	"slices"
	"sync/atomic"
	"time"

	"ratebench/attack/plan"
)

// Recorder merges what the shards of a run count. Use New, hand out the shards,
// Start, let the engine work, then Finish.
type Recorder struct {
	plan     *plan.Plan
	shards   []*Shard
	closed   chan closedSecond
	merged   chan struct{} // closed when the merging goroutine has ended
	onSecond func(Interval)
	origin   time.Time
	usage    usage // of this process at the origin
	seconds  []mergedSecond

	head atomic.Pointer[ServerHead]
}

// ServerHead is what the first reply said of the server.
type ServerHead struct{ Software, Protocol string }

// mergedSecond is what is known of a second once every shard has closed it.
type mergedSecond struct {
	p50, p99, max Number
	cpu           Number // cores
}

// New is the recorder of a run of p with the given number of shards. onSecond
// and tap may be nil; tap is called by the goroutines that own the shards.
func New(p *plan.Plan, shards int, onSecond func(Interval), tap func(*Outcome)) *Recorder {
	r := &Recorder{
		plan: p, onSecond: onSecond,
		closed: make(chan closedSecond, 64),
		merged: make(chan struct{}),
	}
	for i := range shards {
		r.shards = append(r.shards, newShard(p, i, shards, r.closed, tap))
	}
	return r
}

// Shard is the i-th shard, for the goroutine that offers share i of the plan.
func (r *Recorder) Shard(i int) *Shard { return r.shards[i] }

// Start sets the origin and begins to merge. The engine calls it once, before
// the first request.
func (r *Recorder) Start(origin time.Time) {
	r.origin = origin
	go r.merge() // ends when Finish closes r.closed
}

// Origin is the instant from which the plan's due times count.
func (r *Recorder) Origin() time.Time { return r.origin }

// Now is the offset of the present from the origin.
func (r *Recorder) Now() time.Duration { return time.Since(r.origin) }

// Server notes what a reply says of the server; the first call counts.
func (r *Recorder) Server(software, protocol string) {
	if r.head.Load() == nil {
		r.head.CompareAndSwap(nil, &ServerHead{software, protocol})
	}
}

// merge joins the seconds that the shards close, in order, and passes them on.
func (r *Recorder) merge() {
	defer close(r.merged)
	time.Sleep(time.Until(r.origin))
	r.usage = readUsage()
	before := r.usage
	pending := map[int][]closedSecond{}
	for c := range r.closed {
		parts := append(pending[c.second], c)
		pending[c.second] = parts
		if len(parts) < len(r.shards) {
			continue
		}
		delete(pending, c.second)
		now := readUsage()
		r.mergeSecond(c.second, parts, now.cores(before))
		before = now
	}
}

func (r *Recorder) mergeSecond(second int, parts []closedSecond, cpu Number) {
	sum, inFlight, response := row{}, uint64(0), parts[0].response
	for i, part := range parts {
		sum.add(part.row)
		inFlight += part.inFlight
		if i > 0 {
			response.Merge(part.response)
		}
	}
	stats := response.Stats()
	r.seconds = append(r.seconds, mergedSecond{stats.P50, stats.P99, stats.Max, cpu})
	if r.onSecond != nil {
		live := sum.interval(second)
		live.InFlight = inFlight
		live.P50, live.P99, live.Max, live.ClientCPU = stats.P50, stats.P99, stats.Max, cpu
		r.onSecond(live)
	}
}

// Finish merges the shards when the engine is done with them and returns the
// run, judged. started is how many requests of the measurement the engine took
// up; the rest of the plan is unsent. It is called once, after Start.
func (r *Recorder) Finish(started uint64, interrupted bool) *Run {
	end := readUsage()
	for _, s := range r.shards {
		s.finish()
	}
	close(r.closed)
	<-r.merged
	total := r.total()
	run := &Run{
		StartedAt:   r.origin,
		Interrupted: interrupted,
		Summary:     r.summarize(total, started),
		Intervals:   r.intervals(),
		Histograms:  encode(total),
	}
	if head := r.head.Load(); head != nil {
		run.Software, run.Protocol = head.Software, head.Protocol
	}
	run.Client = end.client(r.usage)
	Judge(r.plan, run)
	return run
}

// total is the sum of the shards' tallies.
func (r *Recorder) total() *tally {
	sum := &r.shards[0].tally
	for _, s := range r.shards[1:] {
		sum.merge(&s.tally)
	}
	return sum
}

// intervals sums the shards' rows second by second.
func (r *Recorder) intervals() []Interval {
	seconds := 0
	for _, s := range r.shards {
		seconds = max(seconds, len(s.rows))
	}
	all := make([]Interval, seconds)
	var inFlight uint64
	for i := range all {
		var sum row
		for _, s := range r.shards {
			if i < len(s.rows) {
				sum.add(s.rows[i])
			}
		}
		all[i] = sum.interval(i)
		inFlight += all[i].Due - all[i].Replies - all[i].Errors - all[i].Aborted
		all[i].InFlight = inFlight
	}
	r.settle(all, inFlight)
	return all
}

// settle writes what is left in flight at the end, requests due and never
// started, into the last second, and the merged percentiles into each.
func (r *Recorder) settle(all []Interval, unsent uint64) {
	for i := range all {
		if i < len(r.seconds) {
			m := r.seconds[i]
			all[i].P50, all[i].P99, all[i].Max, all[i].ClientCPU = m.p50, m.p99, m.max, m.cpu
		}
	}
	if n := len(all); n > 0 {
		all[n-1].Unsent = unsent
		all[n-1].InFlight -= unsent
	}
}

func (r *row) add(other row) {
	r.due += other.due
	r.sent += other.sent
	r.replies += other.replies
	r.good += other.good
	r.aborted += other.aborted
	for c := range r.classes {
		r.classes[c] += other.classes[c]
	}
}

func (r *row) interval(second int) Interval {
	u := Undefined()
	v := Interval{
		T: Number(second), Due: r.due, Sent: r.sent, Replies: r.replies, Good: r.good, Aborted: r.aborted,
		Timeouts: uint64(r.classes[ClientTimeout]),
		P50:      u, P99: u, Max: u, ClientCPU: u,
	}
	for c, n := range r.classes {
		if n > 0 {
			v.Errors += uint64(n)
			if v.ByClass == nil {
				v.ByClass = map[string]uint64{}
			}
			v.ByClass[Class(c).Key()] = uint64(n)
		}
	}
	return v
}

// merge adds other to t.
func (t *tally) merge(other *tally) {
	t.due += other.due
	t.ended += other.ended
	t.peakInFlight += other.peakInFlight
	t.inFlightArea += other.inFlightArea
	t.timeInSystem += other.timeInSystem
	t.last = max(t.last, other.last)
	t.sent += other.sent
	t.sentInWindow += other.sentInWindow
	t.repliesInWindow += other.repliesInWindow
	t.good += other.good
	t.waited += other.waited
	t.connections.Opened += other.connections.Opened
	t.connections.Peak += other.connections.Peak
	t.bytes.Sent += other.bytes.Sent
	t.bytes.Header += other.bytes.Header
	t.bytes.Content += other.bytes.Content
	addTo(t.classes[:], other.classes[:])
	addTo(t.timeoutPhases[:], other.timeoutPhases[:])
	addTo(t.statuses[:], other.statuses[:])
	for c, reason := range other.reasons {
		if t.reasons[c] == "" {
			t.reasons[c] = reason
		}
	}
	for m, h := range other.histograms {
		t.histograms[m].Merge(h)
	}
}

func addTo(sum, other []uint64) {
	for i, n := range other {
		sum[i] += n
	}
}

func encode(t *tally) map[string]string {
	texts := map[string]string{}
	for m, h := range t.histograms {
		if h.Count() == 0 {
			continue
		}
		// Encoding into memory fails only for unknown formats.
		if text, err := h.Encode(); err == nil {
			texts[metricKeys[m]] = text
		}
	}
	return texts
}

// Keys are the names of the histograms that a run may hold.
func Keys() []string { return slices.Clone(metricKeys[:]) }
