// Package nethttp is the vegeta engine: vegeta.Attacker deals the requests,
// net/http's codec reads the replies.
//
// Vegeta's loop asks the pacer for each hit and gives it to an idle worker. The
// pacer blocks until the request is due, so the schedule is the plan's own; the
// RoundTripper carries out the whole exchange on connections of its own pool and
// stamps it, so that vegeta's clock, its error texts and the re-sending and
// background dialling of http.Transport play no part. A worker joins its request
// by the sequence number that vegeta puts on it; nothing of vegeta's reaches the
// wire.
package nethttp

import (
	"context"
	"net/http"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// lead is how long before the first due time an engine starts its clock.
const lead = 20 * time.Millisecond

// maxWaiting is how many requests may wait for a connection inside the engine,
// beyond those that have one; each costs a goroutine of some 10 KiB. Further ones
// wait in the pacer, and what they lose there is send lag.
const maxWaiting = 10_000

// Run offers p and returns when every request that it started has ended: those
// in flight when abandon is done are aborted. When stop is done no more are
// started. It returns how many requests of the measurement it started. An error
// means that none was. The plan is resolved and its addresses are known.
func Run(stop, abandon context.Context, p *plan.Plan, rec *record.Recorder) (started uint64, err error) {
	send, err := newClient(abandon, p, rec)
	if err != nil {
		return 0, err
	}
	rec.Measured(record.Method{Timestamps: plan.TimestampsUser, Priority: "ordinary"})
	rec.Start(time.Now().Add(lead + p.WarmupLength()))
	c := &counter{plan: p, rec: rec, shard: rec.Shard(0), stop: stop}
	if p.Closed() {
		c.slots = newSlots(p)
		for range p.Concurrency {
			c.slots.deal(c.shard, -p.WarmupLength())
		}
	}
	pace := &pacer{slots: c.slots, stop: stop, abandon: abandon, clock: rec, arrivals: p.Schedule(), due: map[uint64]plan.Arrival{}}
	outcomes := make(chan record.Outcome, 1024)
	var counting sync.WaitGroup
	counting.Go(func() { c.count(outcomes) }) // ends when outcomes is closed

	attacker := vegeta.NewAttacker(
		vegeta.Client(&http.Client{Transport: &tripper{pace, send, outcomes}}),
		vegeta.Workers(uint64(min(p.MaxConnections, 64))),
		vegeta.MaxWorkers(uint64(p.MaxConnections+maxWaiting)),
		vegeta.MaxBody(0),
	)
	for range attacker.Attack(placeholder, pace, 0, "") {
		// The tripper has recorded it; vegeta's result repeats it less exactly.
	}
	close(outcomes)
	counting.Wait()
	rec.Shard(0).SetConnections(send.close())
	return pace.measured + c.unstarted, nil
}

// client carries out requests, for all workers at once. There is one for HTTP/1
// and one for HTTP/2.
type client interface {
	send(plan.Arrival) record.Outcome // returns when the request has ended
	close() record.Connections        // after the last request; what was counted
}

func newClient(abandon context.Context, p *plan.Plan, rec *record.Recorder) (client, error) {
	d, err := newDialer(p)
	if err != nil {
		return nil, err
	}
	if p.HTTP2 {
		return newHTTP2Client(abandon, p, rec, d)
	}
	return newSender(abandon, p, rec, d), nil
}

// placeholder is the target that vegeta sees; the tripper sends the plan's.
func placeholder(t *vegeta.Target) error {
	t.Method, t.URL = http.MethodGet, "http://target.invalid/"
	return nil
}

// counter owns the recorder's only shard, and a closed loop's slots.
type counter struct {
	plan      *plan.Plan
	rec       *record.Recorder
	shard     *record.Shard
	stop      context.Context
	slots     *slots // nil for an open loop
	halted    bool
	unstarted uint64 // requests of the measurement that slots had in hand at the end
}

// count takes outcomes until their channel is closed.
func (c *counter) count(outcomes <-chan record.Outcome) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	stopped := c.stop.Done()
	for {
		select {
		case o, open := <-outcomes:
			if !open {
				c.finish()
				return
			}
			c.record(&o)
		case <-c.slots.rests(c.rec.Origin()):
			c.slots.rested(c.shard, c.rec.Now())
		case <-tick.C:
			c.shard.Tick(c.rec.Now())
		case <-stopped:
			c.halt()
			stopped = nil
		}
	}
}

func (c *counter) record(o *record.Outcome) {
	c.shard.Record(o)
	if c.slots != nil {
		c.slots.ended(c.shard, o)
	}
}

// halt tells that no more requests begin.
func (c *counter) halt() {
	c.halted = true
	if c.slots == nil {
		c.shard.Stop(c.rec.Now())
		return
	}
	c.slots.end()
	if !c.slots.dealer.Exhausted() {
		c.shard.Stop(c.rec.Now())
	}
}

// finish accounts for what a closed loop's slots still hold. All outcomes may be in
// before it was noticed that the run was to stop.
func (c *counter) finish() {
	if c.slots != nil {
		if c.stop.Err() != nil && !c.halted {
			c.halt()
		}
		c.unstarted = c.slots.abort(c.plan, c.rec)
	}
}

// tripper is the http.RoundTripper that vegeta's workers call.
type tripper struct {
	pacer    *pacer
	client   client
	outcomes chan<- record.Outcome
}

// sequence is the header field in which vegeta numbers its hits.
const sequence = "X-Vegeta-Seq"

// RoundTrip carries out the planned request that belongs to vegeta's hit. The
// response is a formality: what happened is in the outcome.
func (t *tripper) RoundTrip(hit *http.Request) (*http.Response, error) {
	o := t.client.send(t.pacer.take(hit.Header.Get(sequence)))
	t.outcomes <- o
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: hit}, nil
}
