package record

import "time"

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
	processing // of a closed loop only
	metrics
)

var metricKeys = [metrics]string{"response", "service", "send_lag", "receive_lag", "connect", "tls", "wait", "transfer", "processing"}

// tally is what a shard adds up over the whole run. Tallies merge by addition.
type tally struct {
	due, ended, peakInFlight uint64
	inFlightArea             float64       // ns × requests, integrated event by event
	inFlightUntil            time.Duration // end of that area, after the latest end if that was read late
	timeInSystem             float64       // ns, Σ (end − due)
	last                     time.Duration // latest end
	lastDue                  time.Duration // of a closed loop, the latest due time

	sent, sentInWindow    uint64
	sentInTime            uint64 // in the window, or so little after it as a request may be late
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

// count adds an outcome to the tally and to the rows of its seconds.
func (s *Shard) count(o *Outcome) {
	s.ended++
	s.timeInSystem += float64(o.Response())
	s.last = max(s.last, o.Done)
	s.classes[o.Class]++
	s.countStart(o)
	switch o.Class {
	case Reply:
		s.countReply(o)
	case Aborted:
		s.row(o.Done).aborted++
	default:
		s.countError(o)
	}
}

// countStart counts the beginnings that every outcome may have.
func (s *Shard) countStart(o *Outcome) {
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
	if o.Sent-sendLagFloor < s.window {
		s.sentInTime++
	}
	s.noteStart(o)
	s.histograms[sendLag].Record(o.SendLag())
	s.bytes.Sent += uint64(o.BytesSent)
	if o.Connected != Never {
		s.histograms[connect].Record(o.Connected - o.Sent)
	}
	if o.Secured != Never {
		s.histograms[tlsHandshake].Record(o.Secured - o.Connected)
	}
}

func (s *Shard) countReply(o *Outcome) {
	r := s.row(o.Done)
	r.replies++
	if o.Done < s.window {
		s.repliesInWindow++
	}
	if o.Response() <= s.goodWithin && s.plan.Expect.Has(int(o.Status)) {
		s.good++
		r.good++
		s.row(o.Due).goodDue++
	}
	s.statuses[o.Status%1000]++
	s.bytes.Header += uint64(o.HeaderBytes)
	s.bytes.Content += o.ContentBytes
	s.histograms[response].Record(o.Response())
	s.histograms[service].Record(o.Service())
	s.histograms[wait].Record(o.FirstByte - o.requestStart())
	s.histograms[transfer].Record(o.Done - o.FirstByte)
	if h := s.histograms[processing]; h != nil {
		h.Record(o.Done - o.requestStart())
	}
	if o.ReceiveLag != Never {
		s.histograms[receiveLag].Record(o.ReceiveLag)
	}
	s.countSecond(o)
}

// countSecond adds a reply to its second's percentiles while that is open.
func (s *Shard) countSecond(o *Outcome) {
	if i := secondOf(o.Done) - s.open[0].second; i == 0 || i == 1 {
		s.open[i].response.Record(o.Response())
	}
}

func (s *Shard) countError(o *Outcome) {
	s.row(o.Done).classes[o.Class]++
	if o.Class == ClientTimeout {
		s.timeoutPhases[o.Phase]++
	}
	if s.reasons[o.Class] == "" {
		s.reasons[o.Class] = o.Reason
	}
}

// merge adds other to t.
func (t *tally) merge(other *tally) {
	t.due += other.due
	t.ended += other.ended
	t.peakInFlight += other.peakInFlight
	t.inFlightArea += other.inFlightArea
	t.inFlightUntil = max(t.inFlightUntil, other.inFlightUntil)
	t.timeInSystem += other.timeInSystem
	t.last = max(t.last, other.last)
	t.lastDue = max(t.lastDue, other.lastDue)
	t.sent += other.sent
	t.sentInWindow += other.sentInWindow
	t.sentInTime += other.sentInTime
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
		if h != nil {
			t.histograms[m].Merge(h)
		}
	}
}

func addTo(sum, other []uint64) {
	for i, n := range other {
		sum[i] += n
	}
}
