package nethttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// http2Client carries HTTP/2 requests over http.ClientConn: with prior knowledge
// to http:// servers, by ALPN to https:// ones. Requests share connections as
// HTTP/2 means them to; RequestsPerConnection 1 gives each its own.
type http2Client struct {
	plan     *plan.Plan
	rec      *record.Recorder
	abandon  context.Context
	dialer   *dialer
	codec    *http.Transport // speaks HTTP/2 on the connections that it is given
	streams  *streams
	requests []*http.Request
}

func newHTTP2Client(abandon context.Context, p *plan.Plan, rec *record.Recorder, d *dialer) (*http2Client, error) {
	c := &http2Client{plan: p, rec: rec, abandon: abandon, dialer: d, codec: newCodec()}
	c.streams = newStreams(p, func() bool { return rec.Now() >= 0 })
	for i := range p.Targets {
		request, err := http2Request(&p.Targets[i])
		if err != nil {
			return nil, err
		}
		c.requests = append(c.requests, request)
	}
	for _, config := range d.tls {
		config.NextProtos = []string{"h2"}
	}
	return c, nil
}

// http2Request is the target as net/http sends it; field names become lower case.
func http2Request(t *plan.Target) (*http.Request, error) {
	path, query, _ := strings.Cut(t.URL.Target, "?")
	scheme := "http"
	if t.URL.Server.TLS {
		scheme = "https"
	}
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return nil, err
	}
	r := &http.Request{
		Method: t.Method,
		URL:    &url.URL{Scheme: scheme, Host: t.URL.Server.String(), Path: decoded, RawPath: path, RawQuery: query},
		Host:   t.URL.Authority,
		Header: http.Header{"User-Agent": {wire.UserAgent}},
	}
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, "Host") {
			r.Host = f.Value
		} else {
			r.Header[http.CanonicalHeaderKey(f.Name)] = append(r.Header[http.CanonicalHeaderKey(f.Name)], f.Value)
		}
	}
	r.ContentLength = int64(len(t.Body))
	return r, nil
}

// send carries out planned request a; see sender.send.
func (c *http2Client) send(a plan.Arrival) record.Outcome {
	target := c.plan.TargetOf(a.Seq)
	x := &stream{http2Client: c, o: record.NewOutcome(a.Seq, a.Due), server: c.plan.Targets[target].URL.Server}
	x.o.Target = target
	ctx, cancel := context.WithDeadline(c.abandon, c.rec.Origin().Add(a.Due+c.plan.Timeout.Std()))
	defer cancel()
	f := x.run(ctx, c.requests[target])
	x.mu.Lock()
	defer x.mu.Unlock()
	x.o.Done = c.rec.Now()
	if f != nil {
		classify(&x.o, *f, c.abandon.Err() != nil, c.plan.Timeout.Std())
	}
	return x.o
}

// stream is one HTTP/2 request on its way. Its trace is called from the
// connection's goroutines, also after the request has ended.
type stream struct {
	*http2Client
	server plan.Server
	mu     sync.Mutex
	o      record.Outcome
}

func (x *stream) run(ctx context.Context, request *http.Request) *failure {
	if err := ctx.Err(); err != nil {
		return &failure{record.Queued, err}
	}
	c, f := x.connection(ctx)
	if f != nil {
		return f
	}
	defer x.streams.release(c)
	f = x.exchange(ctx, c, request)
	if f != nil && x.o.Reused && c.Err() != nil && x.phase() == record.Wait && !isTimeout(f.err) && !errors.Is(f.err, context.Canceled) {
		return &failure{record.Wait, io.EOF} // the connection ended before it answered, whatever the codec calls it
	}
	return f
}

// connection gets the request a stream of a connection, or opens one. A request
// that waited for a connection being opened counts as sent when it began to: that
// is part of what the server makes it wait. If the limit held it back, it is sent
// when that lets it go.
func (x *stream) connection(ctx context.Context) (c *sharedConn, f *failure) {
	x.o.Sent = x.rec.Now()
	if c, x.o.Queued, f = x.streams.get(ctx, x.server); f != nil {
		if f.phase == record.Queued {
			x.o.Sent = record.Never
		}
		return nil, f
	}
	if x.o.Queued > 0 {
		x.o.Sent = x.rec.Now()
	}
	if c != nil {
		x.join(c)
		return c, nil
	}
	if c, f = x.open(ctx); f != nil {
		x.streams.failed(x.server)
	}
	return c, f
}

// join notes that the request uses c, with what it saw of its opening.
func (x *stream) join(c *sharedConn) {
	x.o.Reused = true
	if x.o.Sent >= max(c.connected, c.secured) {
		return
	}
	x.o.Connected = max(c.connected, x.o.Sent)
	if c.secured != record.Never {
		x.o.Secured = max(c.secured, x.o.Sent)
	}
}

func (x *stream) exchange(ctx context.Context, c *sharedConn, request *http.Request) *failure {
	r := request.Clone(httptrace.WithClientTrace(ctx, x.trace()))
	if request.ContentLength > 0 {
		r.Body = io.NopCloser(&sentBody{x, bytes.NewReader(x.plan.Targets[x.o.Target].Body)})
	}
	reply, err := c.RoundTrip(r)
	if err != nil {
		return &failure{x.phase(), err}
	}
	defer reply.Body.Close()
	n, err := io.Copy(io.Discard, reply.Body)
	x.stamp(func(o *record.Outcome) {
		o.Status, o.ContentBytes = uint16(reply.StatusCode), uint64(n)
	})
	if err != nil {
		return &failure{record.Transfer, err}
	}
	x.rec.Server(reply.Header.Get("Server"), reply.Proto)
	return nil
}

// sentBody counts what the codec takes of the body. It is all that is known of
// what was sent: compressed headers and frames are the connection's, not the stream's.
type sentBody struct {
	stream *stream
	body   *bytes.Reader
}

func (b *sentBody) Read(to []byte) (int, error) {
	n, err := b.body.Read(to)
	b.stream.stamp(func(o *record.Outcome) { o.BytesSent += uint32(n) })
	return n, err
}

func (x *stream) stamp(set func(*record.Outcome)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	set(&x.o)
}

// phase is that of a request that has a connection.
func (x *stream) phase() record.Phase {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.o.FirstByte != record.Never {
		return record.Transfer
	}
	return record.Wait
}

func (x *stream) trace() *httptrace.ClientTrace {
	now := x.rec.Now
	return &httptrace.ClientTrace{
		GotFirstResponseByte: func() { x.stamp(func(o *record.Outcome) { o.FirstByte = now() }) },
	}
}

// close closes the connections; no request is running.
func (c *http2Client) close() record.Connections { return c.streams.close() }
