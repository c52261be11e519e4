package attack_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// always is a time at which no certificate of a test has expired.
func always() time.Time { return time.Now().Add(time.Hour) }

func insecure(p *plan.Plan) { p.TLS.Insecure = true }

// overTLS makes a raw server speak TLS with a certificate.
func overTLS(s testserver.RawConfig, certificates ...tls.Certificate) testserver.RawConfig {
	s.TLS = &tls.Config{Certificates: certificates}
	return s
}

// RC-094: a certificate that is not to be trusted stops every request, with the
// reason and the way out; --insecure lets all of them through.
func TestCertificates(t *testing.T) {
	ca := newAuthority(t)
	const unknown, hint = "x509: certificate signed by unknown authority", "--insecure"
	for _, c := range []struct {
		name   string
		cert   tls.Certificate
		edit   func(*plan.Plan)
		reason string // empty if the certificate is good
	}{
		{"RC-094 self-signed", selfSigned(t, "127.0.0.1"), nil, unknown},
		{"RC-094 untrusted authority", ca.issue(always(), "127.0.0.1"), nil, unknown},
		{"RC-094 expired", ca.issue(time.Now().Add(-time.Minute), "127.0.0.1"), trust(ca), "certificate has expired"},
		{"RC-094 wrong name", ca.issue(always(), "a.test", "127.0.0.2"), trust(ca), "certificate is valid for 127.0.0.2, not 127.0.0.1"},
		{"wrong --server-name", ca.issue(always(), "a.test"), all(trust(ca), named("b.test")), "certificate is valid for a.test, not b.test"},
		{"another authority", ca.issue(always(), "127.0.0.1"), trust(newAuthority(t)), unknown},
		{"trusted authority", ca.issue(always(), "127.0.0.1"), trust(ca), ""},
		{"--server-name", ca.issue(always(), "a.test"), all(trust(ca), named("a.test")), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := overTLS(says(okReply), c.cert)
			if c.reason == "" {
				rawCase{"", server, c.edit, good(100, "200", 2, 1)}.play(t)
				return
			}
			refused(t, server, c.edit, record.TLSFailure, "tls: failed to verify certificate", c.reason, hint)
			edit := c.edit
			if edit == nil {
				edit = func(*plan.Plan) {}
			}
			rawCase{"", server, all(edit, insecure), good(100, "200", 2, 1)}.play(t)
		})
	}
}

func trust(a *authority) func(*plan.Plan) { return func(p *plan.Plan) { p.TLS.CAFile = a.caFile } }

func named(name string) func(*plan.Plan) { return func(p *plan.Plan) { p.TLS.ServerName = name } }

// refused plays a run in which every request ends in class before it is read, with
// the same reason in both engines, which holds all the texts.
func refused(t *testing.T, server testserver.RawConfig, edit func(*plan.Plan), class record.Class, texts ...string) {
	t.Helper()
	var same agreement
	eachEngine(t, func(t *testing.T, engine string) {
		s := startRaw(t, server)
		p := newPlan(t, engine, s.URL(), "1000", 20, func(p *plan.Plan) {
			p.Timeout = plan.Seconds(20 * time.Second)
			if edit != nil {
				edit(p)
			}
		})
		run := offer(t, t.Context(), p)
		bad(20, class, 20).check(t, run)
		reached(t, "connections", s.Conns, 20)
		if s.Requests() != 0 {
			t.Errorf("the server read %d requests, want none", s.Requests())
		}
		for _, text := range texts {
			if !strings.Contains(run.Summary.Reasons[class.Key()], text) {
				t.Errorf("reason %q, want %q in it", run.Summary.Reasons[class.Key()], text)
			}
		}
		same.check(t, run)
	})
}

// RC-092: SNI is the URL's host if it is a name, --server-name whatever it is,
// nothing for an address; a Host field does not change it.
func TestServerName(t *testing.T) {
	ca := newAuthority(t)
	certificate := ca.issue(always(), "a.test", "b.test", "localhost", "127.0.0.1")
	for _, c := range []struct {
		name, url string // without a port; empty path to the socket then
		unix      bool   // names without an address are reached through a socket
		edit      func(*plan.Plan)
		sni, host string
	}{
		{"RC-092 name", "https://a.test/", true, nil, "a.test", "a.test"},
		{"RC-092 address", "https://127.0.0.1:%d/", false, nil, "", "127.0.0.1:%d"},
		{"RC-092 address and Host", "https://127.0.0.1:%d/", false, hostField("a.test"), "", "a.test"},
		{"name and Host", "https://a.test/", true, hostField("b.test"), "a.test", "b.test"},
		{"name that resolves", "https://localhost:%d/", false, func(p *plan.Plan) { p.Family = 4 }, "localhost", "localhost:%d"},
		{"name in capitals", "https://A.test/", true, nil, "A.test", "A.test"},
		{"--server-name for an address", "https://127.0.0.1:%d/", false, named("b.test"), "b.test", "127.0.0.1:%d"},
		{"--server-name for a name", "https://a.test/", true, named("b.test"), "b.test", "a.test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				s := startNamed(t, certificate, c.unix)
				url, host := s.fill(c.url), s.fill(c.host)
				run := offer(t, t.Context(), newPlan(t, engine, url, "1000", 10, func(p *plan.Plan) {
					trust(ca)(p)
					p.UnixSocket, p.Timeout = s.path, plan.Seconds(20*time.Second)
					if c.edit != nil {
						c.edit(p)
					}
				}))
				good(10, "200", 2, 10).check(t, run)
				if want := repeat(c.sni+" "+host, 10); !slices.Equal(s.seen(), want) {
					t.Errorf("the server saw (SNI Host) %q, want %q", s.seen(), want[0])
				}
			})
		})
	}
}

func hostField(name string) func(*plan.Plan) {
	return func(p *plan.Plan) { p.Header = []plan.Field{{Name: "Host", Value: name}} }
}

// namedServer notes the names that it is asked for.
type namedServer struct {
	*httptest.Server
	path string // of its socket, empty for TCP
	mu   sync.Mutex
	asks []string
}

func startNamed(t *testing.T, c tls.Certificate, unix bool) *namedServer {
	t.Helper()
	s := &namedServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asks = append(s.asks, r.TLS.ServerName+" "+r.Host)
		s.mu.Unlock()
		_, _ = io.WriteString(w, "ok")
	}))
	if unix {
		s.path = filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", s.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Listener.Close()
		s.Listener = l
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *namedServer) fill(text string) string {
	if !strings.Contains(text, "%d") {
		return text
	}
	return fmt.Sprintf(text, s.Listener.Addr().(*net.TCPAddr).Port)
}

func (s *namedServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asks)
}

// RC-092 and others: what the server refuses carries its alert's text.
func TestHandshakesThatAreRefused(t *testing.T) {
	ca := newAuthority(t)
	certificate := ca.issue(always(), "127.0.0.1", "a.test")
	config := func(edit func(*tls.Config)) testserver.RawConfig {
		s := overTLS(says(okReply), certificate)
		edit(s.TLS)
		return s
	}
	onlyA := config(func(c *tls.Config) {
		c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			if hello.ServerName == "a.test" {
				return nil, nil
			}
			return &tls.Config{}, nil // no certificate for that name
		}
	})
	demands := func(version uint16) testserver.RawConfig {
		return config(func(c *tls.Config) {
			c.ClientAuth, c.MinVersion, c.MaxVersion = tls.RequireAnyClientCert, version, version
		})
	}
	ancient := config(func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 })
	noCommon := config(func(c *tls.Config) { c.NextProtos = []string{"other"} })
	certFile, keyFile := files(t, ca.issue(always(), "client"))
	client := func(p *plan.Plan) { p.TLS.CertFile, p.TLS.KeyFile = certFile, keyFile }
	for _, c := range []struct {
		name   string
		server testserver.RawConfig
		edit   func(*plan.Plan)
		texts  []string // none if the handshake succeeds
	}{
		{"RC-092 no name", onlyA, nil, []string{"remote error: tls: unrecognized name"}},
		{"RC-092 wrong name", onlyA, named("b.test"), []string{"remote error: tls: unrecognized name"}},
		{"RC-092 right name", onlyA, named("a.test"), nil},
		{"client certificate missing, TLS 1.3", demands(tls.VersionTLS13), nil, []string{"remote error: tls: certificate required", "--cert"}},
		{"client certificate missing, TLS 1.2", demands(tls.VersionTLS12), nil, []string{"remote error: tls: handshake failure"}},
		{"client certificate given, TLS 1.3", demands(tls.VersionTLS13), client, nil},
		{"client certificate given, TLS 1.2", demands(tls.VersionTLS12), client, nil},
		{"TLS 1.2 only", config(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), nil, nil},
		{"TLS 1.1 only", ancient, nil, []string{"tls: "}},
		{"another protocol only", noCommon, nil, []string{"remote error: tls: no application protocol"}},
		{"tickets off", config(func(c *tls.Config) { c.SessionTicketsDisabled = true }), nil, nil},
		{"resumption", config(func(*tls.Config) {}), func(p *plan.Plan) { p.TLS.Resume, p.RequestsPerConnection = true, 1 }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edit := trust(ca)
			if c.edit != nil {
				edit = all(edit, c.edit)
			}
			if c.texts != nil {
				refused(t, c.server, edit, record.TLSFailure, c.texts...)
				return
			}
			conns := uint64(1)
			if c.name == "resumption" {
				conns = 20
			}
			rawCase{"", c.server, edit, good(20, "200", 2, conns)}.play(t)
		})
	}
}

// Servers that do not speak TLS, or not to the end.
func TestHandshakesThatFail(t *testing.T) {
	const at = "tls"
	hello := func(c *net.TCPConn) { _, _ = io.ReadFull(c, make([]byte, 100)) }
	for _, c := range []struct {
		name  string
		serve func(c *net.TCPConn)
		class record.Class
		text  string
	}{
		{"RC-095 plain HTTP", func(c *net.TCPConn) {
			hello(c)
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			_ = c.CloseWrite()
			drain(c)
		}, record.TLSFailure, "server gave HTTP response"},
		{"a mail server", func(c *net.TCPConn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n"); drain(c) }, record.TLSFailure, "does not look like a TLS handshake"},
		{"FIN right after accept", func(c *net.TCPConn) { _ = c.CloseWrite(); drain(c) }, record.TLSFailure, "closed the connection"},
		{"FIN after the hello", func(c *net.TCPConn) { hello(c); _ = c.CloseWrite(); drain(c) }, record.TLSFailure, "closed the connection"},
		{"FIN in a record", func(c *net.TCPConn) {
			hello(c)
			_, _ = io.WriteString(c, "\x16\x03\x03\x00\x7a\x02\x00")
			_ = c.CloseWrite()
			drain(c)
		}, record.TLSFailure, "closed the connection"},
		{"RST right after accept", reset, record.ConnectionReset, "reset"},
		{"RST after the hello", func(c *net.TCPConn) { hello(c); reset(c) }, record.ConnectionReset, "reset"},
		{"alert", func(c *net.TCPConn) { hello(c); _, _ = io.WriteString(c, "\x15\x03\x03\x00\x02\x02\x28"); drain(c) }, record.TLSFailure, "remote error: tls: handshake failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var same agreement
			eachEngine(t, func(t *testing.T, engine string) {
				s := listen(t, c.serve)
				run := offer(t, t.Context(), newPlan(t, engine, s.tlsURL(), "2000", 100, func(p *plan.Plan) { p.Timeout = plan.Seconds(20 * time.Second) }))
				bad(100, c.class, 100).check(t, run)
				reached(t, "connections", s.count, 100)
				if reason := run.Summary.Reasons[c.class.Key()]; !strings.HasPrefix(reason, at+": ") || !strings.Contains(reason, c.text) {
					t.Errorf("reason %q, want %q in phase %s", reason, c.text, at)
				}
				same.check(t, run)
			})
		})
	}
}

// RC-095: a handshake that stands still is within the timeout, and known by its phase.
func TestHandshakesThatHang(t *testing.T) {
	half := func(c *net.TCPConn) {
		_, _ = c.Read(make([]byte, 100))
		_, _ = io.WriteString(c, "\x16\x03\x03\x00\x7a\x02\x00") // the start of a record
		drain(c)
	}
	drip := func(c *net.TCPConn) {
		for _, b := range []byte("\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03" + strings.Repeat("\x00", 100)) {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	cases := map[string]func(*testing.T){}
	for name, serve := range map[string]func(*net.TCPConn){"RC-095 silent": drain, "half a hello": half, "a hello byte by byte": drip} {
		for _, engine := range engines() {
			cases[name+" "+engine] = func(t *testing.T) {
				s := listen(t, serve)
				run := offer(t, t.Context(), newPlan(t, engine, s.tlsURL(), "100", 20, func(p *plan.Plan) { p.Timeout = plan.Seconds(1500 * time.Millisecond) }))
				bad(20, record.ClientTimeout, 20).check(t, run)
				if n := run.Summary.TimeoutPhase["tls"]; n != 20 {
					t.Errorf("timeouts %v, want 20 in the handshake", run.Summary.TimeoutPhase)
				}
				reached(t, "connections", s.count, 20)
			}
		}
	}
	atOnce(t, cases)
}

// Over TLS replies are what they are without it.
func TestRepliesOverTLS(t *testing.T) {
	certificate := selfSigned(t, "127.0.0.1")
	large := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	var cases []rawCase
	add := func(name string, s testserver.RawConfig, edit func(*plan.Plan), want facts) {
		e := insecure
		if edit != nil {
			e = all(e, edit)
		}
		cases = append(cases, rawCase{name, overTLS(s, certificate), e, want})
	}
	truncated := bad(20, record.Truncated, 20)
	add("kept connection", says(okReply), nil, good(500, "200", 2, 1))
	add("four each", says(okReply), fourEach, good(20, "200", 2, 5))
	add("a connection each", says(okReply), each, good(20, "200", 2, 20))
	add("large replies", says(withLength("", large)), nil, good(20, "200", 1<<20, 1))
	add("large chunk", says(chunked+"100000\r\n"+large+"\r\n0\r\n\r\n"), nil, good(20, "200", 1<<20, 1))
	add("large reply that ends with close_notify", saysThen(ok200+"\r\n"+large, thenFIN), nil, good(20, "200", 1<<20, 20))
	add("HEAD", says(ok200+"Content-Length: 51115\r\n\r\n"), head, good(20, "200", 0, 1))
	add("1 MB upload", says(okReply), upload1MB, good(10, "200", 2, 1))
	add("body that ends with close_notify", saysThen(ok200+"\r\nHello World!", thenFIN), nil, good(20, "200", 12, 20))
	add("short body, close_notify", saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenFIN), nil, truncated)
	add("short body, reset", saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenRST), each, bad(20, record.ConnectionReset, 20))
	add("surplus", says(okReply+"EXTRA"), fourEach, good(20, "200", 2, 20))
	add("garbage", says("garbage\r\n\r\n"), nil, bad(20, record.Protocol, 20))
	add("close said", saysThen(closing, thenFIN), nil, good(20, "200", 2, 20))
	add("close said, left open", says(closing), nil, good(20, "200", 2, 20))
	idleKill := says(okReply)
	idleKill.IdleKill = testserver.Reset
	add("RC-016 reset", idleKill, nil, facts{counts{replies: 10, class: record.Stale, errors: 10}, 20, 10})
	idleKill.IdleKill = testserver.CloseFIN
	add("RC-016 close", idleKill, nil, facts{counts{replies: 10, class: record.Stale, errors: 10}, 20, 10})
	playAll(t, cases)
	playWaiting(t, []rawCase{{"hang", overTLS(saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenHang), certificate), all(insecure, impatient), bad(10, record.ClientTimeout, 10)}})
}

func upload1MB(p *plan.Plan) { p.Method, p.Body = "POST", make([]byte, 1<<20) }

// A connection that ends below TLS without close_notify may have been cut by
// anybody: it does not end a body that has no length (RFC 9112 section 9.8), but
// takes nothing from one that has.
func TestEndWithoutCloseNotify(t *testing.T) {
	config := &tls.Config{Certificates: []tls.Certificate{selfSigned(t, "127.0.0.1")}}
	for _, c := range []struct {
		name, reply string
		want        facts
	}{
		{"length", okReply, good(20, "200", 2, 20)},
		{"chunked", chunked + "2\r\nhi\r\n0\r\n\r\n", good(20, "200", 2, 20)},
		{"no length", ok200 + "\r\nHello World!", bad(20, record.Truncated, 20)},
		{"short", ok200 + "Content-Length: 10\r\n\r\nhello", bad(20, record.Truncated, 20)},
		{"nothing", "", bad(20, record.Truncated, 20)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var same agreement
			eachEngine(t, func(t *testing.T, engine string) {
				s := listen(t, func(c2 *net.TCPConn) {
					secured := tls.Server(c2, config)
					_, _ = secured.Read(make([]byte, 1024))
					_, _ = io.WriteString(secured, c.reply)
					_ = c2.CloseWrite()
					drain(c2)
				})
				run := offer(t, t.Context(), newPlan(t, engine, s.tlsURL(), "1000", 20, func(p *plan.Plan) {
					p.TLS.Insecure, p.Timeout = true, plan.Seconds(20*time.Second)
				}))
				c.want.check(t, run)
				same.check(t, run)
			})
		})
	}
}

// Bytes that are no TLS, after a good handshake.
func TestBrokenRecords(t *testing.T) {
	config := &tls.Config{Certificates: []tls.Certificate{selfSigned(t, "127.0.0.1")}}
	for name, more := range map[string]string{
		"plain HTTP": okReply,
		"bad record": "\x17\x03\x03\x00\x20" + strings.Repeat("x", 32),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				s := listen(t, func(c *net.TCPConn) {
					_, _ = tls.Server(c, config).Read(make([]byte, 1024))
					_, _ = io.WriteString(c, more)
					drain(c)
				})
				run := offer(t, t.Context(), newPlan(t, engine, s.tlsURL(), "1000", 20, func(p *plan.Plan) {
					p.TLS.Insecure, p.Timeout = true, plan.Seconds(20*time.Second)
				}))
				bad(20, record.TLSFailure, 20).check(t, run)
			})
		})
	}
}
