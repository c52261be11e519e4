package attack_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// HTTP/2 is the vegeta engine's alone: it shares connections as the protocol means
// it, so that counts of connections are asked of it by other rules than of HTTP/1.

// http2Server counts what it gets.
type http2Server struct {
	*httptest.Server
	conns, requests atomic.Int64
}

// startHTTP2 speaks HTTP/2, and HTTP/1.1 too, over TLS or in the clear.
func startHTTP2(t *testing.T, secure bool, streams int, handle http.HandlerFunc) *http2Server {
	t.Helper()
	return startIdling(t, secure, streams, time.Minute, handle)
}

// startIdling is startHTTP2 with the time after which the server closes an idle
// connection. A short one closes those of a run that is held up for a moment, too.
func startIdling(t *testing.T, secure bool, streams int, idle time.Duration, handle http.HandlerFunc) *http2Server {
	t.Helper()
	s := &http2Server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handle(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.IdleTimeout = idle
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	if secure {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{selfSigned(t, "127.0.0.1")}}
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// attack offers total requests over HTTP/2 and compares what both sides counted.
func (s *http2Server) attack(t *testing.T, rate string, total uint64, edit func(*plan.Plan)) *record.Run {
	t.Helper()
	run := offer(t, t.Context(), newPlan(t, plan.EngineVegeta, s.URL, rate, total, func(p *plan.Plan) {
		p.HTTP2, p.TLS.Insecure, p.RequestsPerConnection = true, true, 0
		p.Timeout = plan.Seconds(20 * time.Second)
		if edit != nil {
			edit(p)
		}
	}))
	sum := &run.Summary
	if n := uint64(s.requests.Load()); n != sum.Sent || n != total {
		t.Errorf("the server was sent %d requests, the client counts %d, want %d", n, sum.Sent, total)
	}
	if n := uint64(s.conns.Load()); n != sum.Connections.Opened {
		t.Errorf("the server accepted %d connections, the client counts %d", n, sum.Connections.Opened)
	}
	return run
}

func sayOK(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }

// RC-098: the report says which protocol ran, and the connections are the server's.
func TestHTTP2Connections(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		edit   func(*plan.Plan)
		conns  uint64
		proto  string
	}{
		{"RC-098 shared", true, nil, 1, "HTTP/2.0"},
		{"RC-098 no reuse", true, each, 50, "HTTP/2.0"},
		{"RC-098 four at most", true, func(p *plan.Plan) { p.MaxConnections = 4 }, 1, "HTTP/2.0"},
		{"prior knowledge", false, nil, 1, "HTTP/2.0"},
		{"prior knowledge, no reuse", false, each, 50, "HTTP/2.0"},
		{"HTTP/1.1 where both are offered", true, func(p *plan.Plan) { p.HTTP2, p.MaxConnections = false, 1 }, 1, "HTTP/1.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startHTTP2(t, c.secure, 250, sayOK)
			run := s.attack(t, "500", 50, func(p *plan.Plan) {
				if c.edit != nil {
					c.edit(p)
				}
			})
			good(50, "200", 2, c.conns).check(t, run)
			if run.Protocol != c.proto {
				t.Errorf("protocol %q, want %q", run.Protocol, c.proto)
			}
		})
	}
}

// RC-097: streams beyond the server's limit get further connections, or wait with
// their clock running; the load stays what was planned.
func TestHTTP2StreamLimit(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(300 * time.Millisecond)
		sayOK(w, r)
	}
	t.Run("RC-097", func(t *testing.T) {
		t.Parallel()
		run := startHTTP2(t, true, 10, slow).attack(t, "100", 100, nil)
		good(100, "200", 2, 0).check(t, run)
		if n := run.Summary.Connections.Opened; n < 2 {
			t.Errorf("%d connections carried 30 requests at once, with 10 streams each", n)
		}
		if min := run.Summary.Time.Response.Min; !(min >= 0.3) {
			t.Errorf("fastest response %v s, want 0.3 or more", min)
		}
	})
	t.Run("RC-097 one connection", func(t *testing.T) {
		t.Parallel()
		run := startHTTP2(t, true, 10, slow).attack(t, "1000", 40, func(p *plan.Plan) { p.MaxConnections = 1 })
		good(40, "200", 2, 1).check(t, run)
		if max := run.Summary.Time.Response.Max; !(max >= 1.1) {
			t.Errorf("slowest of 40 responses %v s, want 1.1 or more: 10 at a time", max)
		}
		if run.Summary.Waited == 0 {
			t.Error("30 requests waited for a stream, none is reported")
		}
	})
}

// Requests that wait for a connection being opened wait for the server: the limit
// on connections does not hold them back, nor is the client late with them.
func TestHTTP2WaitsForTheHandshake(t *testing.T) {
	t.Parallel()
	s := startHTTP2(t, true, 250, sayOK)
	s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		time.Sleep(time.Second)
		return nil, nil
	}
	run := s.attack(t, "1000", 40, nil)
	good(40, "200", 2, 1).check(t, run)
	sum := &run.Summary
	if sum.Waited != 0 {
		t.Errorf("%d requests waited for one of %d connections, of which 1 was used", sum.Waited, run.MaxConnections)
	}
	if lag, tls := sum.Time.SendLag.Max, sum.Time.TLS.Min; !(lag < 0.5) || !(tls >= 0.5) {
		t.Errorf("send lag up to %v s, TLS from %v s: want the handshake of 1 s in the latter", lag, tls)
	}
	if n := sum.Bytes.Sent; n != 0 {
		t.Errorf("%d bytes of bodies sent, want none", n)
	}
}

// What ends a stream or a connection early is an error of one request, sent once.
func TestHTTP2Failures(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		handle http.HandlerFunc
		class  record.Class
	}{
		{"stream reset", true, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, record.ConnectionReset},
		{"stream reset in the body", true, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, record.ConnectionReset},
		{"no answer", true, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, record.ClientTimeout},
		{"no answer, prior knowledge", false, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, record.ClientTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startHTTP2(t, c.secure, 250, c.handle)
			run := s.attack(t, "500", 20, func(p *plan.Plan) {
				if c.class == record.ClientTimeout {
					p.Timeout = plan.Seconds(time.Second)
				}
			})
			if run.Summary.Errors.Total != 20 || run.Summary.Errors.Of(c.class) != 20 {
				t.Errorf("%+v %v, want 20 × %s", run.Summary.Errors, run.Summary.Reasons, c.class)
			}
		})
	}
	for name, secure := range map[string]bool{"a server that has no HTTP/2": true, "one in the clear": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewUnstartedServer(http.HandlerFunc(sayOK))
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			class := record.Protocol
			if s.Start(); secure {
				s.Close()
				s = httptest.NewUnstartedServer(http.HandlerFunc(sayOK))
				s.Config.ErrorLog = log.New(io.Discard, "", 0)
				s.StartTLS()
				class = record.TLSFailure
			}
			t.Cleanup(s.Close)
			run := offer(t, t.Context(), newPlan(t, plan.EngineVegeta, s.URL, "500", 20, func(p *plan.Plan) {
				p.HTTP2, p.TLS.Insecure, p.Timeout = true, true, plan.Seconds(20*time.Second)
			}))
			if run.Summary.Errors.Of(class) != 20 {
				t.Errorf("%+v %v, want 20 × %s", run.Summary.Errors, run.Summary.Reasons, class)
			}
		})
	}
	t.Run("an idle connection that the server closes", func(t *testing.T) {
		t.Parallel()
		good(5, "200", 2, 5).check(t, startIdling(t, true, 250, 100*time.Millisecond, sayOK).attack(t, "3", 5, nil))
	})
}
