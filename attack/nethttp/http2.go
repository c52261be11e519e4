package nethttp

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// http2Client carries HTTP/2 requests over http.Transport: with prior knowledge
// to http:// servers, by ALPN to https:// ones. Requests share connections as
// HTTP/2 means them to; RequestsPerConnection 1 gives each its own.
type http2Client struct {
	plan      *plan.Plan
	rec       *record.Recorder
	abandon   context.Context
	transport map[plan.Server]*http.Transport
	requests  []*http.Request

	mu     sync.Mutex
	open   uint64
	counts record.Connections
}

// errSentAgain ends a request that http.Transport was about to send a second time.
var errSentAgain = errors.New("the connection was lost and the request would have been sent again")

func newHTTP2Client(abandon context.Context, p *plan.Plan, rec *record.Recorder, d *dialer) (*http2Client, error) {
	c := &http2Client{plan: p, rec: rec, abandon: abandon, transport: map[plan.Server]*http.Transport{}}
	for i := range p.Targets {
		t := &p.Targets[i]
		request, err := http2Request(t)
		if err != nil {
			return nil, err
		}
		c.requests = append(c.requests, request)
		if c.transport[t.URL.Server] == nil {
			c.transport[t.URL.Server] = c.newTransport(t.URL.Server, d)
		}
	}
	return c, nil
}

func (c *http2Client) newTransport(server plan.Server, d *dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(server.TLS)
	protocols.SetUnencryptedHTTP2(!server.TLS)
	var config *tls.Config
	if server.TLS {
		config = d.tls[server].Clone()
		config.NextProtos = []string{"h2"}
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := d.connect(ctx, server)
			if err != nil {
				return nil, err
			}
			return c.count(conn), nil
		},
		TLSClientConfig:        config,
		Protocols:              protocols,
		DisableCompression:     true,
		DisableKeepAlives:      c.plan.RequestsPerConnection == 1,
		MaxConnsPerHost:        c.plan.MaxConnections,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
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
		Header: http.Header{"User-Agent": {"ratebench"}},
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
	target := a.Seq % uint64(len(c.requests))
	x := &stream{client: c, o: record.NewOutcome(a.Seq, a.Due)}
	x.o.Target = uint32(target)
	deadline := c.rec.Origin().Add(a.Due + c.plan.Timeout.Std())
	ctx, cancel := context.WithDeadline(c.abandon, deadline)
	defer cancel()
	ctx, x.lose = context.WithCancelCause(ctx)
	f := x.run(ctx, c.requests[target], c.transport[c.plan.Targets[target].URL.Server])
	x.mu.Lock()
	defer x.mu.Unlock()
	x.o.Done = c.rec.Now()
	if f != nil {
		classify(&x.o, *f, c.abandon.Err() != nil)
		if errors.Is(context.Cause(ctx), errSentAgain) {
			x.o.Class, x.o.Reason = record.Stale, errSentAgain.Error()
		}
	}
	return x.o
}

// stream is one HTTP/2 request on its way. Its trace is called from the
// transport's goroutines, also after the request has ended.
type stream struct {
	client *http2Client
	lose   context.CancelCauseFunc
	mu     sync.Mutex
	o      record.Outcome
	got    bool // a connection
}

func (x *stream) run(ctx context.Context, request *http.Request, transport *http.Transport) *failure {
	r := request.Clone(httptrace.WithClientTrace(ctx, x.trace()))
	if n := int(request.ContentLength); n > 0 {
		body := x.client.plan.Targets[x.o.Target].Body
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	reply, err := transport.RoundTrip(r)
	if err != nil {
		return &failure{x.phase(), err}
	}
	defer reply.Body.Close()
	x.client.rec.Server(reply.Header.Get("Server"), reply.Proto)
	n, err := io.Copy(io.Discard, reply.Body)
	x.stamp(func(o *record.Outcome) {
		o.Status, o.ContentBytes = uint16(reply.StatusCode), uint64(n)
	})
	if err != nil {
		return &failure{record.Transfer, err}
	}
	return nil
}

func (x *stream) stamp(set func(*record.Outcome)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	set(&x.o)
}

func (x *stream) phase() record.Phase {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.o.FirstByte != record.Never:
		return record.Transfer
	case x.got:
		return record.Wait
	case x.o.Connected != record.Never:
		return record.TLS
	case x.o.Sent != record.Never:
		return record.Connect
	}
	return record.Queued
}

func (x *stream) trace() *httptrace.ClientTrace {
	now := x.client.rec.Now
	return &httptrace.ClientTrace{
		ConnectStart:         func(string, string) { x.stamp(func(o *record.Outcome) { o.Sent = now() }) },
		ConnectDone:          func(_, _ string, err error) { x.connected(err) },
		TLSHandshakeDone:     func(_ tls.ConnectionState, err error) { x.secured(err) },
		GotConn:              x.gotConn,
		GotFirstResponseByte: func() { x.stamp(func(o *record.Outcome) { o.FirstByte = now() }) },
	}
}

func (x *stream) connected(err error) {
	if err == nil {
		x.stamp(func(o *record.Outcome) { o.Connected = x.client.rec.Now() })
	}
}

func (x *stream) secured(err error) {
	if err == nil {
		x.stamp(func(o *record.Outcome) { o.Secured = x.client.rec.Now() })
	}
}

// gotConn fires once for each time that the transport sends the request: a
// second time would be a request that the plan does not hold.
func (x *stream) gotConn(info httptrace.GotConnInfo) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.got {
		x.lose(errSentAgain)
		return
	}
	x.got = true
	if x.o.Sent == record.Never {
		x.o.Sent, x.o.Reused = x.client.rec.Now(), info.Reused
	}
}

// count counts a connection while it is open.
func (c *http2Client) count(conn net.Conn) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	if c.rec.Now() >= 0 {
		c.counts.Opened++
	}
	c.counts.Peak = max(c.counts.Peak, c.open)
	return &countedConn{Conn: conn, closed: func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
	}}
}

// close closes the connections; no request is running.
func (c *http2Client) close() record.Connections {
	for _, t := range c.transport {
		t.CloseIdleConnections()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

type countedConn struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *countedConn) Close() error {
	c.once.Do(c.closed)
	return c.Conn.Close()
}
