package attack_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

const (
	closing    = ok200 + "Content-Length: 2\r\nConnection: close\r\n\r\nok"
	old        = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"
	oldKept    = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"
	timedOut   = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	tooLarge   = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	tooLargeTo = "HTTP/1.1 413 Content Too Large\r\n\r\nless, please"
)

// RC-016: the server closes a kept connection as it is used again. Nothing is sent
// twice, and the request is in a class of its own.
func TestReuseRace(t *testing.T) {
	raced := facts{counts{replies: 10, status: map[string]uint64{"200": 10}, class: record.Stale, errors: 10}, 20, 10}
	var cases []rawCase
	for _, how := range []testserver.How{testserver.CloseFIN, testserver.Reset} {
		for _, method := range []string{"GET", "POST", "HEAD"} {
			want := raced
			if method == "HEAD" {
				want.content = 0
			}
			reply := okReply
			if method == "HEAD" {
				reply = ok200 + "Content-Length: 2\r\n\r\n"
			}
			cases = append(cases, rawCase{
				fmt.Sprintf("RC-016 %s %s", method, how),
				testserver.RawConfig{Reply: []byte(reply), IdleKill: how},
				func(p *plan.Plan) { p.Method = method }, want,
			})
		}
	}
	playAll(t, cases)
}

// Which replies leave their connection fit for the next request.
func TestWhoKeepsTheConnection(t *testing.T) {
	playAll(t, []rawCase{
		{"RC-017 1.0", saysThen(old, thenFIN), nil, good(100, "200", 2, 100)},
		{"RC-017 1.0 keep-alive", says(oldKept), nil, good(100, "200", 2, 1)},
		{"RC-017 1.0 keep-alive without a length", saysThen("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nok", thenFIN), nil, good(100, "200", 2, 100)},
		{"1.0, left open", says(old), nil, good(20, "200", 2, 20)},
		{"1.0 close", saysThen("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", thenFIN), nil, good(20, "200", 2, 20)},
		{"1.0 keep-alive in mixed case", says("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nCONNECTION:  Keep-Alive \r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"1.0 keep-alive to a HEAD", says("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\n"), head, good(20, "200", 0, 1)},
		{"1.0 keep-alive 304", says("HTTP/1.0 304 Not Modified\r\nConnection: keep-alive\r\n\r\n"), nil, good(20, "304", 0, 1)},
		{"1.1 close", saysThen(closing, thenFIN), nil, good(20, "200", 2, 20)},
		{"1.1 close, left open", says(closing), nil, good(20, "200", 2, 20)},
		{"1.1 Close among others", says(ok200 + "Content-Length: 2\r\nConnection: foo, Close ,bar\r\n\r\nok"), nil, good(20, "200", 2, 20)},
		{"1.1 close in a second field", says(ok200 + "Connection: foo\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), nil, good(20, "200", 2, 20)},
		{"1.1 keep-alive with its parameters", says(ok200 + "Connection: keep-alive\r\nKeep-Alive: timeout=5, max=100\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"1.1 option that only sounds like close", says(ok200 + "Connection: closed\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"close said by an interim reply only", says("HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\n" + okReply), nil, good(20, "200", 2, 1)},
		{"chunked close", saysThen(ok200+"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", thenFIN), nil, good(20, "200", 2, 20)},
		{"close on every tenth", saysInTurn(append(repeat(okReply, 9), closing)...), nil, good(20, "200", 2, 2)},
		{"close on every third, ten wanted", saysInTurn(okReply, okReply, closing), func(p *plan.Plan) { p.RequestsPerConnection = 10 }, good(20, "200", 2, 7)},
		{"errors keep it too", says("HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"), nil, good(20, "500", 2, 1)},
		{"408 with close to a first request", says(timedOut), nil, good(20, "408", 0, 20)},
		{"408 that keeps the connection", says("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"), nil, good(20, "408", 0, 1)},
		{"417", says("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), expecting, good(20, "417", 0, 1)},
		{"100, then 200", says("HTTP/1.1 100 Continue\r\n\r\n" + okReply), expecting, good(20, "200", 2, 1)},
	})
}

func repeat(text string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = text
	}
	return all
}

// expecting does not wait for 100, as RFC 9110 section 10.1.1 allows.
func expecting(p *plan.Plan) {
	p.Method, p.Body = "POST", []byte("body")
	p.Header = []plan.Field{{Name: "Expect", Value: "100-continue"}}
}

// RC-019: any number of requests for a connection, whatever the total.
func TestRequestsPerConnection(t *testing.T) {
	per := func(n int) func(*plan.Plan) { return func(p *plan.Plan) { p.RequestsPerConnection = n } }
	playAll(t, []rawCase{
		{"RC-019 3 of 100", says(okReply), per(3), good(100, "200", 2, 34)},
		{"RC-019 7 of 10", says(okReply), per(7), good(10, "200", 2, 2)},
		{"RC-019 1000 of 10", says(okReply), per(1000), good(10, "200", 2, 1)},
		{"1 of 1", says(okReply), per(1), good(1, "200", 2, 1)},
		{"2 of 1", says(okReply), per(2), good(1, "200", 2, 1)},
		{"1 each, ten at once", says(okReply), all(per(1), func(p *plan.Plan) { p.MaxConnections = 10 }), good(20, "200", 2, 20)},
		{"no limit, ten at once", says(okReply), func(p *plan.Plan) { p.MaxConnections = 10 }, good(20, "200", 2, 0)},
	})
}

// RC-020: a reply that comes on an idle connection is nobody's.
func TestLateReply(t *testing.T) {
	late := func(wait time.Duration, more string) testserver.RawConfig {
		return saysThen(okReply, testserver.Ending{How: testserver.Late, Wait: wait, More: []byte(more)})
	}
	for _, c := range []struct {
		name, rate string
		total      uint64
		server     testserver.RawConfig
		crossed    bool // requests may cross the late reply
	}{
		{"RC-020 rate 5", "5", 6, late(50*time.Millisecond, timedOut), false},
		{"RC-020 rate 20", "20", 30, late(50*time.Millisecond, timedOut), true},
		{"FIN alone", "5", 6, late(50*time.Millisecond, ""), false},
		{"other bytes", "5", 6, late(50*time.Millisecond, "\r\n\r\n"), false},
		{"another reply", "5", 6, late(50*time.Millisecond, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			enginesAtOnce(t, func(t *testing.T, engine string) {
				s := startRaw(t, c.server)
				run := offer(t, t.Context(), newPlan(t, engine, s.URL(), c.rate, c.total, func(p *plan.Plan) { p.RequestsPerConnection = 0 }))
				sum := &run.Summary
				if sum.Status["200"] != sum.Replies || sum.Errors.Stale != sum.Errors.Total || sum.Replies+sum.Errors.Stale != c.total {
					t.Errorf("status %v errors %+v, want 200 and stale alone, %d together", sum.Status, sum.Errors, c.total)
				}
				if !c.crossed && (sum.Replies != c.total || sum.Connections.Opened != c.total) {
					t.Errorf("%d replies over %d connections, want %d each (%+v)", sum.Replies, sum.Connections.Opened, c.total, sum.Errors)
				}
				if read := uint64(s.Requests()); read < sum.Replies || read > sum.Sent {
					t.Errorf("the server read %d requests, the client sent %d and got %d replies", read, sum.Sent, sum.Replies)
				}
			})
		})
	}
}

// Servers that end a connection before a request could be answered.
func TestConnectionsThatEndAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(c *net.TCPConn)
		class record.Class
	}{
		{"FIN right after accept", func(c *net.TCPConn) { _ = c.CloseWrite(); drain(c) }, record.Truncated},
		{"RST right after accept", reset, record.ConnectionReset},
		{"RST after some of the request", func(c *net.TCPConn) { _, _ = c.Read(make([]byte, 10)); reset(c) }, record.ConnectionReset},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				s := listen(t, c.serve)
				run := offer(t, t.Context(), newPlan(t, engine, s.url(), "2000", 200, func(p *plan.Plan) { p.Timeout = plan.Seconds(20 * time.Second) }))
				bad(200, c.class, 200).check(t, run)
				reached(t, "connections", s.count, 200)
			})
		})
	}
}

// drain reads until the client closes.
func drain(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }

// reset ends the connection with RST.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// A server may answer before it has read the request, and read no further.
func TestRepliesBeforeTheRequestIsRead(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 8<<20) // more than the sockets hold
	early := func(reply string, after func(*net.TCPConn)) func(*net.TCPConn) {
		return func(c *net.TCPConn) {
			_, _ = c.Read(make([]byte, 1024))
			_, _ = io.WriteString(c, reply)
			after(c)
		}
	}
	finThenDrain := func(c *net.TCPConn) { _ = c.CloseWrite(); drain(c) }
	stopReading := func(c *net.TCPConn) {
		for c.SetNoDelay(true) == nil { // until the listener closes it
			time.Sleep(10 * time.Millisecond)
		}
	}
	cases := map[string]func(*testing.T){}
	for _, c := range []struct {
		name  string
		serve func(c *net.TCPConn)
		want  facts
	}{
		{"413, the rest is read", early(tooLarge, finThenDrain), good(3, "413", 0, 3)},
		{"413 without a length, the rest is read", early(tooLargeTo, finThenDrain), good(3, "413", 12, 3)},
		{"413, nothing is read any more", early(tooLarge, stopReading), good(3, "413", 0, 3)},
		{"413 and open, nothing is read any more", early("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n", stopReading), good(3, "413", 0, 3)},
		{"413 without a length, RST", early(tooLargeTo, func(c *net.TCPConn) { time.Sleep(50 * time.Millisecond); reset(c) }), bad(3, record.ConnectionReset, 3)},
		{"RST instead of a reply", early("", reset), bad(3, record.ConnectionReset, 3)},
		{"FIN instead of a reply", early("", finThenDrain), bad(3, record.Truncated, 3)},
	} {
		for _, engine := range engines() {
			cases[c.name+" "+engine] = func(t *testing.T) {
				s := listen(t, c.serve)
				p := newPlan(t, engine, s.url(), "100", 3, func(p *plan.Plan) {
					p.Method, p.Body, p.RequestsPerConnection = "POST", body, 0
					p.MaxConnections, p.Timeout = 1, plan.Seconds(20*time.Second)
				})
				c.want.check(t, offer(t, t.Context(), p))
				reached(t, "connections", s.count, 3)
			}
		}
	}
	atOnce(t, cases)
}

// uploads is a handler that notes what it is sent.
type uploads struct {
	mu   sync.Mutex
	seen map[string]int // by method, path, length and hash
}

func (u *uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen[upload(r.Method, r.Host, body, err)]++
	_, _ = io.WriteString(w, "ok")
}

// only says whether nothing but want was sent, n times.
func (u *uploads) only(n int, want string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[want] != n || len(u.seen) != 1 {
		return fmt.Errorf("the server was sent %v, want %d × %s", u.seen, n, want)
	}
	return nil
}

func upload(method, host string, body []byte, err error) string {
	return fmt.Sprintf("%s %s %d bytes %x %v", method, host, len(body), sha256.Sum256(body), err)
}

// Bodies arrive whole.
func TestUploads(t *testing.T) {
	for _, c := range []struct {
		method string
		size   int
		header []plan.Field
	}{
		{"POST", 0, nil}, {"POST", 1, nil}, {"PUT", 5000, nil}, {"PATCH", 100_000, nil}, {"POST", 1 << 20, nil}, {"PUT", 4 << 20, nil},
		{"DELETE", 100, nil}, {"GET", 100, nil},
		{"POST", 1 << 20, []plan.Field{{Name: "Expect", Value: "100-continue"}}},
	} {
		t.Run(fmt.Sprintf("%s %d %v", c.method, c.size, c.header), func(t *testing.T) {
			t.Parallel()
			var same agreement
			body := bytes.Repeat([]byte("0123456789abcdef\n"), c.size/17+1)[:c.size]
			eachEngine(t, func(t *testing.T, engine string) {
				u := &uploads{seen: map[string]int{}}
				s := httptest.NewServer(u)
				defer s.Close()
				p := newPlan(t, engine, s.URL, "500", 10, func(p *plan.Plan) {
					p.Method, p.Body, p.Header, p.RequestsPerConnection = c.method, body, c.header, 0
					p.MaxConnections, p.Timeout = 1, plan.Seconds(20*time.Second)
				})
				run := offer(t, t.Context(), p)
				good(10, "200", 2, 1).check(t, run)
				same.check(t, run)
				if err := u.only(10, upload(c.method, s.Listener.Addr().String(), body, nil)); err != nil {
					t.Error(err)
				}
				if run.Summary.Bytes.Sent < 10*uint64(c.size) || run.Summary.Bytes.Sent > 10*uint64(c.size+1000) {
					t.Errorf("sent %d bytes in 10 bodies of %d", run.Summary.Bytes.Sent, c.size)
				}
			})
		})
	}
}

// Over a unix socket the URL's host names no machine: it is only said to the server.
func TestUnixSocket(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		u := &uploads{seen: map[string]int{}}
		s := httptest.NewUnstartedServer(u)
		_ = s.Listener.Close()
		s.Listener = l
		s.Start()
		defer s.Close()
		for per, conns := range map[int]uint64{0: 1, 1: 50, 5: 10} {
			run := offer(t, t.Context(), newPlan(t, engine, "http://a.test/x", "5000", 50, func(p *plan.Plan) {
				p.UnixSocket, p.RequestsPerConnection = path, per
				p.MaxConnections, p.Timeout = 1, plan.Seconds(20*time.Second)
			}))
			good(50, "200", 2, conns).check(t, run)
		}
		if err := u.only(150, upload("GET", "a.test", nil, nil)); err != nil {
			t.Error(err)
		}
		_ = l.Close() // the socket's file goes with it
		run := offer(t, t.Context(), newPlan(t, engine, "http://a.test/x", "1000", 5, func(p *plan.Plan) { p.UnixSocket = path }))
		if run.Summary.Errors.Total != 5 || !strings.Contains(fmt.Sprint(run.Summary.Reasons), "no such file") {
			t.Errorf("%+v %v, want 5 errors for want of the socket", run.Summary.Errors, run.Summary.Reasons)
		}
	})
}
