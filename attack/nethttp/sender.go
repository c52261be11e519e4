package nethttp

import (
	"cmp"
	"context"
	"io"
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
	context.AfterFunc(abandon, s.pool.cutOff)
	return s
}

func (s *sender) close() record.Connections { return s.pool.close() }

// exchange is one request on its way.
type exchange struct {
	*sender
	*request
	o        record.Outcome
	deadline time.Time
	c        *conn
}

// send carries out planned request a and returns when it has ended: by a reply,
// an error, its timeout, or because the run is abandoned.
func (s *sender) send(a plan.Arrival) record.Outcome {
	x := exchange{
		sender:   s,
		o:        record.NewOutcome(a.Seq, a.Due),
		deadline: s.rec.Origin().Add(a.Due + s.plan.Timeout.Std()),
	}
	x.o.Target = uint32(a.Seq % uint64(len(s.requests)))
	x.request = &s.requests[x.o.Target]
	if f := x.run(); f != nil {
		x.o.Done = s.rec.Now()
		classify(&x.o, *f, s.abandon.Err() != nil)
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
	refused := x.write()
	if refused != nil && isTimeout(refused.err) {
		return refused
	}
	reusable, f := x.read()
	if f != nil {
		return cmp.Or(refused, f)
	}
	x.o.Done = x.rec.Now()
	if limit := x.plan.RequestsPerConnection; reusable && refused == nil && (limit == 0 || x.c.used < limit) {
		x.pool.put(x.c)
	} else {
		x.pool.discard(x.c)
	}
	return nil
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
		x.pool.failed()
		if class := record.ClassOf(err); class == record.FDUnavailable || class == record.FileTableFull || class == record.AddressUnavailable {
			x.o.Sent = record.Never // the client itself could not: nothing reached the network
		}
		return &failure{record.Connect, err}
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

// write hands the request to the kernel. A server that answers and closes before
// it has read everything is still heard: the failure counts only if no reply can
// be read.
func (x *exchange) write() *failure {
	x.c.begin()
	if err := x.c.SetDeadline(x.deadline); err != nil {
		return &failure{record.Wait, err}
	}
	if x.abandon.Err() != nil {
		x.c.cut()
	}
	n, err := x.c.Write(x.bytes)
	x.o.BytesSent = uint32(n)
	if err != nil {
		return &failure{record.Wait, err}
	}
	x.o.Written = x.rec.Now()
	return nil
}

// read reads one reply to its end. reusable says whether the connection may
// carry another request.
func (x *exchange) read() (reusable bool, f *failure) {
	reply, err := x.head()
	x.stampFirstByte()
	if err != nil {
		return false, &failure{x.readingPhase(), err}
	}
	x.o.HeaderBytes = uint32(x.c.consumed())
	x.o.Status = uint16(reply.StatusCode)
	x.rec.Server(reply.Header.Get("Server"), reply.Proto)
	x.c.headLeft = -1
	n, err := io.Copy(io.Discard, reply.Body)
	x.o.ContentBytes = uint64(n)
	if err != nil {
		return false, &failure{record.Transfer, err}
	}
	surplus := x.c.reader.Buffered() > 0
	return !reply.Close && !surplus && reply.StatusCode != http.StatusSwitchingProtocols, nil
}

// head reads the reply's status line and header, past interim replies.
func (x *exchange) head() (*http.Response, error) {
	for {
		reply, err := http.ReadResponse(x.c.reader, x.codec)
		if err != nil {
			return nil, err
		}
		if interim := reply.StatusCode >= 100 && reply.StatusCode < 200; !interim || reply.StatusCode == http.StatusSwitchingProtocols {
			return reply, nil
		}
	}
}

func (x *exchange) stampFirstByte() {
	if !x.c.firstRead.IsZero() {
		x.o.FirstByte = x.c.firstRead.Sub(x.rec.Origin())
	}
}

func (x *exchange) readingPhase() record.Phase {
	if x.o.FirstByte == record.Never {
		return record.Wait
	}
	return record.Transfer
}
