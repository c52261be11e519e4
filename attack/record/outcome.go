// Package record counts what came back.
//
// An engine hands each request's Outcome to a Shard, which one goroutine owns;
// the Recorder merges the shards into one-second Intervals, a Summary and the
// Histograms, and the Verdict says how far they can be trusted.
//
// Instants are offsets from the run's origin on the monotonic clock, the due
// time of the first measured request; requests of the warm-up lie before it and
// are left out of every figure. Exported figures are in seconds and bytes.
package record

import (
	"math"
	"time"

	"ratebench/attack/plan"
)

// Never is the instant of an event that did not happen.
const Never time.Duration = math.MinInt64

// Phase is the part of a request's life in which it was, or in which it ended.
type Phase uint8

const (
	Queued   Phase = iota // due, waiting for a free connection
	Connect               // TCP connect
	TLS                   // TLS handshake
	Wait                  // request written or being written, no byte of the reply yet
	Transfer              // first byte of the reply seen
	Phases                // number of phases
)

var phaseNames = [Phases]string{"queued", "connect", "tls", "wait", "transfer"}

// String is the phase as reports name it.
func (p Phase) String() string { return phaseNames[p] }

// Outcome is one request from its due time to its end. Instants that did not
// happen are Never; NewOutcome sets them so. A reply has at least Sent, FirstByte
// and Done.
type Outcome struct {
	Seq uint64        // the request's number in the plan
	Due time.Duration // when the plan says it starts

	Sent      time.Duration // connect begun, or first byte handed to the kernel on a kept connection
	Connected time.Duration // TCP connection up; Never on a kept connection
	Secured   time.Duration // TLS handshake done; Never without one
	FirstByte time.Duration // first byte of the reply received, interim replies included
	Done      time.Duration // last byte received, or the end by error; always set

	Queued     time.Duration // span waited for a free connection, 0 if none
	ReceiveLag time.Duration // read by the client − received by the kernel; Never where the kernel does not say

	Class  Class  // Reply, or why there is none
	Phase  Phase  // where an error struck
	Status uint16 // of a reply, 0 to 999
	Reused bool   // on a kept connection
	Target uint32 // index of the plan's target

	BytesSent    uint32 // request head and body
	HeaderBytes  uint32 // status lines and header blocks of the reply, interim ones included
	ContentBytes uint64 // body without chunk framing, as it was on the wire

	Reason string // of an error: the failed operation and its cause, without addresses
}

// NewOutcome is the outcome of a request of which nothing has happened yet.
func NewOutcome(seq uint64, due time.Duration) Outcome {
	return Outcome{
		Seq: seq, Due: due,
		Sent: Never, Connected: Never, Secured: Never, FirstByte: Never,
		ReceiveLag: Never,
	}
}

// Unstarted is the outcome of a request that was due and that nothing will start any
// more, from at on. Its Target is the plan's to say.
func Unstarted(a plan.Arrival, at time.Duration) Outcome {
	o := NewOutcome(a.Seq, a.Due)
	o.Class, o.Phase, o.Done, o.Reason = Aborted, Queued, max(at, a.Due), "aborted"
	return o
}

// Response is the response time: last byte − due. What a user of the server feels.
func (o *Outcome) Response() time.Duration { return o.Done - o.Due }

// Service is the service time: last byte − sent. What closed-loop tools call latency.
func (o *Outcome) Service() time.Duration { return o.Done - o.Sent }

// SendLag is the client's own lateness at the start: sent − due, without the
// span for which the connection limit held the request back.
func (o *Outcome) SendLag() time.Duration { return max(o.Sent-o.Due-o.Queued, 0) }

// requestStart is when the connection was ready for the request.
func (o *Outcome) requestStart() time.Duration {
	switch {
	case o.Secured != Never:
		return o.Secured
	case o.Connected != Never:
		return o.Connected
	}
	return o.Sent
}

// phaseAt is the phase in which the request was at an instant after its due time.
func (o *Outcome) phaseAt(at time.Duration) Phase {
	happened := func(event time.Duration) bool { return event != Never && event <= at }
	switch {
	case happened(o.FirstByte):
		return Transfer
	case happened(o.requestStart()):
		return Wait
	case happened(o.Connected):
		return TLS
	case happened(o.Sent):
		return Connect
	}
	return Queued
}
