package attack_test

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area timeouts & errors: connections that fail, each in its class.

// RC-025: resets in the middle of replies end neither the run nor the others.
func TestEveryTenthIsReset(t *testing.T) {
	t.Parallel()
	answer := func(n int) ([]byte, testserver.Ending) {
		if n%10 == 9 {
			return []byte(halfReply), testserver.Ending{How: testserver.Reset}
		}
		return []byte(halfReply + "1234567890"), testserver.Ending{}
	}
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := startRaw(t, testserver.RawConfig{Answer: answer})
		run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "500", 1000, func(p *plan.Plan) { p.Timeout = plan.Seconds(20 * time.Second) }))
		counts{replies: 900, status: map[string]uint64{"200": 900}, class: record.ConnectionReset, errors: 100}.want(t, run)
		if s.Requests() != 1000 {
			t.Errorf("the server read %d requests", s.Requests())
		}
	})
}

// RC-026: however many fail, every request is made and counted.
func TestEveryConnectIsRefused(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		run := offer(t, t.Context(), newPlan(t, engine, forbidden, "500", 500, nil))
		counts{class: record.ConnectionRefused, errors: 500}.want(t, run)
		if s := &run.Summary; s.Sent != 500 || s.Connections.Opened != 0 || s.Reasons["connection_refused"] != "connect: connection refused" {
			t.Errorf("sent %d, opened %d, reasons %v", s.Sent, s.Connections.Opened, s.Reasons)
		}
		if r := run.Summary.Time.Response; r.Count != 0 || r.Mean.Defined() || r.Min.Defined() || r.P50.Defined() || r.Max.Defined() {
			t.Errorf("a response time of none: %+v", r)
		}
	})
}

// mixed is RC-028's server.
func mixed(t *testing.T) *testserver.Server {
	t.Helper()
	return start(t, testserver.Config{Size: 10, Fail: map[testserver.Failure]float64{
		testserver.FailReset: 0.2, testserver.FailHang: 0.2, testserver.FailStatus: 0.2,
	}})
}

// RC-028: replies, errors of each class and statuses add up, exactly.
func TestMixAddsUp(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		p := newPlan(t, engine, mixed(t).URL(), "400", 600, func(p *plan.Plan) { p.Timeout = plan.Seconds(2 * time.Second) })
		run := offer(t, t.Context(), p)
		s := &run.Summary
		counts{replies: 360, status: map[string]uint64{"200": 240, "500": 120}, class: record.ConnectionReset, errors: 240}.wantSome(t, run, 120)
		if s.Errors.ClientTimeout != 120 || s.TimeoutPhase["wait"] != 120 || s.Goodput.Count != 240 {
			t.Errorf("timeouts %d %v, good %d", s.Errors.ClientTimeout, s.TimeoutPhase, s.Goodput.Count)
		}
		if s.Bytes.Content != 240*10+120*uint64(len("Internal Server Error\n")) {
			t.Errorf("content %d bytes", s.Bytes.Content)
		}
	})
}

// wantSome is want for runs whose errors are of several classes, of which class has n.
func (c counts) wantSome(t *testing.T, run *record.Run, n uint64) {
	t.Helper()
	if got := run.Summary.Errors.Of(c.class); got != n {
		t.Errorf("%s %d, want %d (%+v %v)", c.class, got, n, run.Summary.Errors, run.Summary.Reasons)
	}
	c.class = record.Reply
	c.want(t, run)
}

// RC-029: each class has its count and a reason in words that are the same for all
// of its kind: no port, no address.
func TestReasons(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		reset := startRaw(t, testserver.RawConfig{Ending: testserver.Ending{How: testserver.Reset}})
		malformed := startRaw(t, testserver.RawConfig{Reply: []byte("garbage\r\n\r\n")})
		cut := startRaw(t, testserver.RawConfig{Reply: []byte(halfReply), Ending: testserver.Ending{How: testserver.CloseFIN}})
		fine := start(t, testserver.Config{})
		p := newPlan(t, engine, fine.URL(), "200", 200, func(p *plan.Plan) {
			for _, u := range []string{forbidden, reset.URL(), forbidden, malformed.URL(), forbidden, cut.URL(), forbidden, fine.URL()} {
				parsed, err := plan.ParseURL(u)
				if err != nil {
					t.Fatal(err)
				}
				p.Targets = append(p.Targets, plan.Target{URL: parsed})
			}
			p.URL, p.TargetsFile = "", "several"
		})
		run := offer(t, t.Context(), p)
		s := &run.Summary
		for class, n := range map[record.Class]uint64{record.ConnectionRefused: 100, record.ConnectionReset: 25, record.Protocol: 25, record.Truncated: 25} {
			reason := s.Reasons[class.Key()]
			if s.Errors.Of(class) != n || len(reason) < 10 || !strings.Contains(reason, ": ") || strings.Contains(reason, "127.0.0.1") {
				t.Errorf("%s %d, want %d; reason %q", class, s.Errors.Of(class), n, reason)
			}
		}
		if s.Replies != 25 || s.Connections.Opened != 100 || len(s.Reasons) != 4 {
			t.Errorf("replies %d opened %d reasons %v", s.Replies, s.Connections.Opened, s.Reasons)
		}
		if want := 5; len(run.Addresses) != want {
			t.Errorf("addresses %v, want %d", run.Addresses, want)
		}
	})
}

// ends is a way for a connection to end early, and the class of that.
type ends struct {
	name  string
	sends string
	how   testserver.How
	class record.Class // Reply if that is what it is
}

// A connection that ends at any point of the reply is classed by how it ended.
func TestEndsAtEachPoint(t *testing.T) {
	t.Parallel()
	const whole = halfReply + "1234567890"
	const rst, fin = testserver.Reset, testserver.CloseFIN
	cases := []ends{
		{"reset before a byte", "", rst, record.ConnectionReset},
		{"reset in the status line", whole[:7], rst, record.ConnectionReset},
		{"reset in the header", whole[:25], rst, record.ConnectionReset},
		{"reset in the body", halfReply, rst, record.ConnectionReset},
		{"reset after the reply", whole, rst, record.Reply},
		{"closed before a byte", "", fin, record.Truncated},
		{"closed after a header line", whole[:37], fin, record.Truncated},
		{"closed in the body", halfReply, fin, record.Truncated},
		{"closed after the reply", whole, fin, record.Reply},
		{"reset in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", rst, record.ConnectionReset},
		{"closed in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", fin, record.Truncated},
		{"closed after an interim reply", "HTTP/1.1 103 Early Hints\r\n\r\n", fin, record.Truncated},
	}
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, c := range cases {
			s := startRaw(t, testserver.RawConfig{Reply: []byte(c.sends), Ending: testserver.Ending{How: c.how}})
			run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "500", 20, func(p *plan.Plan) { p.Timeout = plan.Seconds(10 * time.Second) }))
			want := counts{class: c.class, errors: 20}
			if c.class == record.Reply {
				want = counts{replies: 20}
			}
			t.Run(c.name, func(t *testing.T) { want.want(t, run) })
			if s.Requests() != 20 {
				t.Errorf("%s: the server read %d requests, want 20 and none sent again", c.name, s.Requests())
			}
		}
	})
}

// Connections that are reset as soon as they stand are counted to the last.
func TestHalfRefusedOnArrival(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		s := start(t, testserver.Config{Fail: map[testserver.Failure]float64{testserver.FailRefuse: 0.5}})
		run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", 200, nil))
		counts{replies: 100, class: record.ConnectionReset, errors: 100}.want(t, run)
	})
}

// A server that closes after it has read half of a request is heard if it
// answered, and is no success of the client's if it did not.
func TestUploadCutShort(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for answers, class := range map[string]record.Class{"": record.ConnectionReset, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n": record.Reply} {
			url := impolite(t, answers)
			run := offer(t, t.Context(), newPlan(t, engine, url, "20", 5, func(p *plan.Plan) {
				p.Method, p.Body, p.Timeout = "POST", bytes.Repeat([]byte("x"), 8<<20), plan.Seconds(10*time.Second)
			}))
			if class == record.ConnectionReset {
				counts{class: class, errors: 5}.want(t, run)
			} else {
				counts{replies: 5, status: map[string]uint64{"413": 5}}.want(t, run)
			}
		}
	})
}

// impolite answers as soon as it has read a little, then resets or, having said
// something, waits for the client to close.
func impolite(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends when l is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go cutShort(c.(*net.TCPConn), answer) // ends within two seconds
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func cutShort(c *net.TCPConn, answer string) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	some := make([]byte, 1<<10)
	_, _ = c.Read(some)
	if answer == "" {
		_ = c.SetLinger(0)
		return
	}
	_, _ = c.Write([]byte(answer))
	for { // a close with bytes unread would reset, and may overtake the answer
		if _, err := c.Read(some); err != nil {
			return
		}
	}
}
