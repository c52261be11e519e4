package record

import (
	"sync/atomic"
	"time"

	"ratebench/attack/plan"
)

// Recorder merges what the shards of a run count. Use New, hand out the shards,
// Start, let the engine work, then Finish.
type Recorder struct {
	plan      *plan.Plan
	shards    []*Shard
	closed    chan closedSecond
	started   chan struct{} // closed when Start has set the origin
	finishing chan struct{} // closed when Finish is called
	merged    chan struct{} // closed when the merging goroutine has ended
	onSecond  func(Interval)
	origin    time.Time
	usage     usage          // of this process at the origin
	seconds   []mergedSecond // the merging goroutine's until it has ended

	head   atomic.Pointer[ServerHead]
	method atomic.Pointer[Method]
}

// Method is how an engine measured: whose receive times it took and how its
// threads were scheduled.
type Method struct {
	Timestamps string `json:"timestamps"` // kernel or user
	Priority   string `json:"priority"`   // ordinary, nice -20 or SCHED_FIFO
	Loops      int    `json:"loops"`      // threads that sent and received; 0 for the vegeta engine's goroutines
}

// ServerHead is what the first reply said of the server.
type ServerHead struct{ Software, Protocol string }

// New is the recorder of a run of p with the given number of shards. onSecond
// and tap may be nil; tap is called by the goroutines that own the shards.
func New(p *plan.Plan, shards int, onSecond func(Interval), tap func(*Outcome)) *Recorder {
	r := &Recorder{
		plan: p, onSecond: onSecond,
		closed:    make(chan closedSecond, 64),
		started:   make(chan struct{}),
		finishing: make(chan struct{}),
		merged:    make(chan struct{}),
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
	close(r.started)
	go r.merge() // ends when Finish closes r.closed
}

// Started is closed when Start has been called; from then on Origin may be read by
// any goroutine.
func (r *Recorder) Started() <-chan struct{} { return r.started }

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

// Measured notes how the engine measured, for the report; the first call counts.
func (r *Recorder) Measured(m Method) { r.method.CompareAndSwap(nil, &m) }

// merge joins the seconds that the shards close and passes them on. Each shard
// closes its seconds in order, so they are complete in order too.
func (r *Recorder) merge() {
	defer close(r.merged)
	r.awaitOrigin()
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

// awaitOrigin returns at the origin, or before it when the run is finished in
// its warm-up.
func (r *Recorder) awaitOrigin() {
	timer := time.NewTimer(time.Until(r.origin))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.finishing:
	}
}

func (r *Recorder) mergeSecond(second int, parts []closedSecond, cpu Number) {
	sum, inFlight, response := row{}, uint64(0), parts[0].response
	for i := range parts {
		sum.add(&parts[i].row)
		inFlight += parts[i].inFlight
		if i > 0 {
			response.Merge(parts[i].response)
		}
	}
	merged := mergedSecond{response.Quantile(0.50), response.Quantile(0.99), response.Quantile(1), cpu}
	r.seconds = append(r.seconds, merged)
	if r.onSecond != nil {
		live := sum.interval(second)
		live.InFlight = inFlight
		merged.fill(&live)
		r.onSecond(live)
	}
}

// Finish merges the shards when the engine is done with them and returns the
// run, judged. started is how many requests of the measurement the engine took
// up; the rest of the plan is unsent. told says that the run was told to stop: it
// was interrupted if that left requests unsent or in flight. It is called once,
// after Start.
func (r *Recorder) Finish(started uint64, told bool) *Run {
	end := readUsage()
	close(r.finishing)
	if !r.plan.Closed() {
		r.endPlan(told && started < r.plan.Planned())
	}
	for _, s := range r.shards {
		s.closeAll(r.length())
	}
	close(r.closed)
	<-r.merged
	total := r.total()
	run := &Run{
		StartedAt:   r.origin,
		Interrupted: told && (r.unfinished(started) || total.classes[Aborted] > 0),
		Summary:     r.summarize(total, started),
		Intervals:   r.intervals(),
		Histograms:  encode(total),
		Client:      end.client(r.usage),
	}
	if head := r.head.Load(); head != nil {
		run.Software, run.Protocol = head.Software, head.Protocol
	}
	if method := r.method.Load(); method != nil {
		run.Method = *method
	}
	Judge(r.plan, run)
	return run
}

// endPlan lets all that was due until the end count as due: the whole plan, or
// what came before an interrupt, of which a shard need not have heard.
func (r *Recorder) endPlan(interrupted bool) {
	last := Never
	for _, s := range r.shards {
		last = max(last, s.clock)
	}
	for _, s := range r.shards {
		if interrupted {
			s.Stop(last)
		} else if s.hasNext {
			s.advance(s.window)
		}
	}
}

// total is the sum of the shards' tallies.
func (r *Recorder) total() *tally {
	sum := &r.shards[0].tally
	for _, s := range r.shards[1:] {
		sum.merge(&s.tally)
	}
	return sum
}

func encode(t *tally) map[string]string {
	texts := map[string]string{}
	for m, h := range t.histograms {
		if metric(m) == processing || h.Count() == 0 {
			continue // wait and transfer have what processing is made of
		}
		// Encoding into memory fails only for unknown formats.
		if text, err := h.Encode(); err == nil {
			texts[metricKeys[m]] = text
		}
	}
	return texts
}
