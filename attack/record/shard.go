package record

import (
	"time"

	"ratebench/attack/plan"
)

// metric is one of the distributions of Times that histograms hold.
type metric uint8

const (
	response metric = iota
	service
	sendLag
	receiveLag
	connect
	tlsHandshake
	wait
	transfer
	metrics
)

var metricKeys = [metrics]string{"response", "service", "send_lag", "receive_lag", "connect", "tls", "wait", "transfer"}

// grace is how long a second stays open after its end for replies that the
// client reads late. A reply read later still is counted in its second; only
// that second's percentiles lack it.
const grace = 100 * time.Millisecond

// Shard counts the outcomes of one share of the plan. One goroutine owns it: it
// takes no lock and, once warm, allocates only for each new second.
type Shard struct {
	plan    *plan.Plan
	closed  chan<- closedSecond
	tap     func(*Outcome) // sees every measured outcome; may be nil
	number  int
	timeout time.Duration
	window  time.Duration

	dues    *plan.Arrivals // this share of the plan, as far as it is due
	nextDue plan.Arrival
	hasNext bool

	tally
	rows []row
	open [2]openSecond // the oldest second not yet closed and the one after it
}

// tally is what a shard adds up over the whole run. Tallies merge by addition.
type tally struct {
	due, ended, peakInFlight uint64
	inFlightArea             float64       // ns × requests, integrated event by event
	areaUntil                time.Duration // up to here
	timeInSystem             float64       // ns, Σ (end − due)
	last                     time.Duration // latest end

	sent, sentInWindow    uint64
	repliesInWindow, good uint64
	waited                uint64
	classes               [Classes + 1]uint64
	timeoutPhases         [Phases]uint64
	reasons               [Classes]string
	statuses              [1000]uint64
	bytes                 Bytes
	connections           Connections
	histograms            [metrics]*Histogram
}

// row is one second of one shard; see Interval.
type row struct {
	due, sent, replies, good, aborted uint64
	classes                           [Classes]uint32
}

// openSecond collects the response times of the replies that end in one second.
type openSecond struct {
	second   int
	response *Histogram
}

// closedSecond is a second of one shard in which nothing happens any more.
type closedSecond struct {
	shard    int
	second   int
	row      row
	inFlight uint64
	response *Histogram
}

func newShard(p *plan.Plan, i, k int, closed chan<- closedSecond, tap func(*Outcome)) *Shard {
	s := &Shard{
		plan: p, closed: closed, tap: tap, number: i,
		timeout: p.Timeout.Std(), window: p.Window(),
		dues: p.Share(i, k),
	}
	for m := range s.histograms {
		s.histograms[m] = NewHistogram()
	}
	for i := range s.open {
		s.open[i] = openSecond{i, NewHistogram()}
	}
	s.skipWarmup()
	return s
}

func (s *Shard) skipWarmup() {
	s.nextDue, s.hasNext = s.dues.Next()
	for s.hasNext && s.nextDue.Due < 0 {
		s.nextDue, s.hasNext = s.dues.Next()
	}
}

// Tick tells the shard the time: seconds that are over are closed. An engine
// calls it at least some times a second, also when nothing comes back.
func (s *Shard) Tick(now time.Duration) {
	s.advance(now)
	for now >= time.Duration(s.open[0].second+1)*time.Second+grace {
		s.closeSecond()
	}
}

// Stop tells the shard that no request due after now will be started: the
// arrival window ends here.
func (s *Shard) Stop(now time.Duration) {
	s.advance(now)
	s.hasNext = false
	s.window = min(s.window, max(now, 0))
}

// SetConnections sets what the engine counted of its connections.
func (s *Shard) SetConnections(c Connections) { s.connections = c }

// Record counts one ended request. Requests of the warm-up are passed over. A
// reply that came later than the plan's timeout is made the client timeout that
// it is, whatever the engine's timers did.
func (s *Shard) Record(o *Outcome) {
	if o.Due < 0 {
		return
	}
	if o.Class == Reply && o.Response() > s.timeout {
		o.Class, o.Phase = ClientTimeout, Transfer
	}
	s.advance(o.Done)
	s.ended++
	s.timeInSystem += float64(o.Response())
	s.last = max(s.last, o.Done)
	s.classes[o.Class]++
	s.recordStart(o)
	r := s.row(o.Done)
	switch o.Class {
	case Reply:
		s.recordReply(o, r)
	case Aborted:
		r.aborted++
	default:
		s.recordError(o, r)
	}
	if s.tap != nil {
		s.tap(o)
	}
}

// recordStart counts the beginnings that every outcome may have.
func (s *Shard) recordStart(o *Outcome) {
	if o.Queued > 0 {
		s.waited++
	}
	if o.Sent == Never {
		return
	}
	s.sent++
	if o.Sent < s.window {
		s.sentInWindow++
	}
	s.row(o.Sent).sent++
	s.histograms[sendLag].Record(o.SendLag())
	s.bytes.Sent += uint64(o.BytesSent)
	if o.Connected != Never {
		s.histograms[connect].Record(o.Connected - o.Sent)
	}
	if o.Secured != Never {
		s.histograms[tlsHandshake].Record(o.Secured - o.Connected)
	}
}

func (s *Shard) recordReply(o *Outcome, r *row) {
	r.replies++
	if o.Done < s.window {
		s.repliesInWindow++
	}
	if o.Response() <= s.plan.GoodWithin() && s.plan.Expect.Has(int(o.Status)) {
		s.good++
		r.good++
	}
	s.statuses[o.Status%1000]++
	s.bytes.Header += uint64(o.HeaderBytes)
	s.bytes.Content += o.ContentBytes
	s.histograms[response].Record(o.Response())
	s.histograms[service].Record(o.Service())
	s.histograms[wait].Record(o.FirstByte - o.requestStart())
	s.histograms[transfer].Record(o.Done - o.FirstByte)
	if o.ReceiveLag != Never {
		s.histograms[receiveLag].Record(o.ReceiveLag)
	}
	s.recordSecond(o)
}

// recordSecond adds a reply to its second's percentiles while that is open.
func (s *Shard) recordSecond(o *Outcome) {
	second := secondOf(o.Done)
	for i := range s.open {
		if s.open[i].second == second {
			s.open[i].response.Record(o.Response())
		}
	}
}

func (s *Shard) recordError(o *Outcome, r *row) {
	r.classes[o.Class]++
	if o.Class == ClientTimeout {
		s.timeoutPhases[o.Phase]++
	}
	if s.reasons[o.Class] == "" {
		s.reasons[o.Class] = o.Reason
	}
}

// advance moves the plan on to now, so that requests count as due and in flight
// whether or not the engine has taken them up.
func (s *Shard) advance(now time.Duration) {
	for s.hasNext && s.nextDue.Due <= now {
		s.integrate(s.nextDue.Due)
		s.due++
		s.peakInFlight = max(s.peakInFlight, s.due-s.ended)
		s.row(s.nextDue.Due).due++
		s.nextDue, s.hasNext = s.dues.Next()
	}
	s.integrate(now)
}

// integrate adds the requests in flight up to now to their area under time.
func (s *Shard) integrate(now time.Duration) {
	if now > s.areaUntil {
		s.inFlightArea += float64(now-s.areaUntil) * float64(s.due-s.ended)
		s.areaUntil = now
	}
}

func (s *Shard) row(at time.Duration) *row {
	i := secondOf(at)
	for len(s.rows) <= i {
		s.rows = append(s.rows, row{})
	}
	return &s.rows[i]
}

func secondOf(at time.Duration) int { return int(max(at, 0) / time.Second) }

func (s *Shard) closeSecond() {
	oldest := s.open[0]
	s.row(time.Duration(oldest.second) * time.Second)
	s.closed <- closedSecond{s.number, oldest.second, s.rows[oldest.second], s.due - s.ended, oldest.response}
	s.open[0] = s.open[1]
	s.open[1] = openSecond{oldest.second + 2, NewHistogram()}
}

// finish closes every second up to the last event.
func (s *Shard) finish() {
	for s.open[0].second < len(s.rows) {
		s.closeSecond()
	}
}
