package nethttp

import (
	"context"
	"net/http"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// sender carries out requests. It is shared by all workers.
type sender struct {
	plan     *plan.Plan
	rec      *record.Recorder
	abandon  context.Context
	dialer   *dialer
	pool     *pool
	requests []request
	deaf     func() bool // ends the listening to abandon
}

// request is a target made ready: its bytes and what the codec must know of it.
type request struct {
	server plan.Server
	bytes  []byte
	codec  *http.Request // for http.ReadResponse, which wants the method
}

func newSender(abandon context.Context, p *plan.Plan, rec *record.Recorder, d *dialer) *sender {
	s := &sender{plan: p, rec: rec, abandon: abandon, dialer: d}
	s.pool = newPool(p.MaxConnections, func() bool { return rec.Now() >= 0 })
	for i := range p.Targets {
		t := &p.Targets[i]
		s.requests = append(s.requests, request{
			t.URL.Server, wire.AppendRequest(nil, t), &http.Request{Method: t.Method},
		})
	}
	s.deaf = context.AfterFunc(abandon, s.pool.cutOff)
	return s
}

func (s *sender) close() record.Connections {
	s.deaf()
	return s.pool.close()
}

// exchange is one request on its way.
type exchange struct {
	*sender
	*request
	o        record.Outcome
	deadline time.Time
	c        *conn
	writing  writing
	toClose  bool // only the end of the connection ended the reply
}

// send carries out planned request a and returns when it has ended: by a reply,
// an error, its timeout, or because the run is abandoned.
func (s *sender) send(a plan.Arrival) record.Outcome {
	x := exchange{
		sender:   s,
		o:        record.NewOutcome(a.Seq, a.Due),
		deadline: s.rec.Origin().Add(a.Due + s.plan.Timeout.Std()),
	}
	x.o.Target = s.plan.TargetOf(a.Seq)
	x.request = &s.requests[x.o.Target]
	if f := x.run(); f != nil {
		x.o.Done = s.rec.Now()
		classify(&x.o, *f, s.abandon.Err() != nil, s.plan.Timeout.Std())
		if x.c != nil {
			s.pool.discard(x.c)
		}
	}
	return x.o
}

// run is the request's journey. What it returns ended it; nil means a reply.
func (x *exchange) run() *failure {
	if f := x.connection(); f != nil {
		return f
	}
	x.c.begin()
	x.write()
	reusable, f := x.read()
	if f = x.weigh(f, x.written()); f != nil {
		return f
	}
	if limit := x.plan.RequestsPerConnection; reusable && x.writing.err == nil && (limit == 0 || x.c.used < limit) {
		x.pool.put(x.c)
	} else {
		x.pool.discard(x.c)
	}
	return nil
}

// weigh decides what ended the exchange: f that the reading met, or refused that
// the writing met. A server that answers and closes before it has read everything
// is heard; but a broken connection ends no body.
func (x *exchange) weigh(f, refused *failure) *failure {
	if refused != nil && (f == nil && x.toClose || f != nil && isEnd(f.err)) {
		return refused
	}
	return f
}

// connection gets the request a connection: a kept one, or its own.
func (x *exchange) connection() *failure {
	ctx, cancel := context.WithDeadline(x.abandon, x.deadline)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return &failure{record.Queued, err}
	}
	c, waited, err := x.pool.get(ctx, x.server)
	x.o.Queued = waited
	if err != nil {
		return &failure{record.Queued, err}
	}
	x.o.Sent = x.rec.Now()
	if c != nil {
		x.o.Reused = true
		x.c = c
		return nil
	}
	return x.open(ctx)
}

func (x *exchange) open(ctx context.Context) *failure {
	plain, err := x.dialer.connect(ctx, x.server)
	if err != nil {
		return x.connectFailed(err)
	}
	x.o.Connected = x.rec.Now()
	x.c = newConn(plain, x.server)
	x.pool.opened(x.c)
	if !x.server.TLS {
		return nil
	}
	if x.c.Conn, err = x.dialer.secure(ctx, plain, x.server); err != nil {
		return &failure{record.TLS, err}
	}
	x.o.Secured = x.rec.Now()
	return nil
}

// connectFailed tells a connection that never stood from one that was reset
// before it could be used: a refusal has an errno of its own (connect(2)).
func (x *exchange) connectFailed(err error) *failure {
	if record.ClassOf(err) == record.ConnectionReset {
		x.pool.failed(true)
		return &failure{x.readyPhase(), err}
	}
	unsend(&x.o, err)
	x.pool.failed(false)
	return &failure{record.Connect, err}
}

// unsend takes back that o was sent if the client itself could not connect:
// nothing reached the network.
func unsend(o *record.Outcome, err error) {
	switch record.ClassOf(err) {
	case record.FDUnavailable, record.FileTableFull, record.AddressUnavailable:
		o.Sent = record.Never
	}
}

// readyPhase is the phase that follows connecting.
func (x *exchange) readyPhase() record.Phase {
	if x.server.TLS {
		return record.TLS
	}
	return record.Wait
}
