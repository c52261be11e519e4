package attack_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area timeouts & errors: requests that get no reply, why, and when
// they are given up.

// deaf is a listener whose backlog is full: further connects get no answer at all.
func deaf(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	loopback := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if err := errors.Join(syscall.Bind(fd, loopback), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	own, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", own.(*syscall.SockaddrInet4).Port)
	c, err := net.DialTimeout("tcp", address, 5*time.Second) // fills the backlog of one
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return "http://" + address + "/"
}

// mute accepts connections and neither reads nor answers.
func mute(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends when l is closed
		var kept []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			kept = append(kept, c)
		}
		for _, c := range kept {
			c.Close()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

const halfReply = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n1234567890"

// hanging is a server that sends the given bytes and nothing more.
func hanging(sends string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		return startRaw(t, testserver.RawConfig{Reply: []byte(sends), Ending: testserver.Ending{How: testserver.Hang}}).URL()
	}
}

// dripping is a server that sends a reply byte by byte, each after the same wait.
func dripping(wait time.Duration) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		reply := []byte("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n12345678901234567890")
		return startRaw(t, testserver.RawConfig{Reply: reply, Ending: testserver.Ending{How: testserver.Drip, Wait: wait}}).URL()
	}
}

// giveUp is a server that gives no reply, and the phase in which requests to it
// are when their time is over.
type giveUp struct {
	name   string
	server func(*testing.T) string
	phase  record.Phase
	edit   func(*plan.Plan)
}

func giveUps() []giveUp {
	secret := func(p *plan.Plan) { p.URL = strings.Replace(p.URL, "http:", "https:", 1) }
	kept := func(p *plan.Plan) { p.RequestsPerConnection = 0 }
	upload := func(p *plan.Plan) { p.Method, p.Body, p.Total = "POST", make([]byte, 16<<20), 3 }
	return []giveUp{
		{"RC-022 connect", deaf, record.Connect, nil},
		{"RC-023 drip", dripping(300 * time.Millisecond), record.Transfer, nil},
		{"RC-095 handshake", mute, record.TLS, secret},
		{"no byte", hanging(""), record.Wait, nil},
		{"no byte on kept connections", hanging(""), record.Wait, kept},
		{"half a header", hanging(halfReply[:20]), record.Transfer, nil},
		{"half a body", hanging(halfReply), record.Transfer, nil},
		{"interim only", hanging("HTTP/1.1 100 Continue\r\n\r\n"), record.Transfer, nil},
		{"nobody reads", mute, record.Wait, nil},
		{"upload", mute, record.Wait, upload},
	}
}

// Every request is given up one timeout after it was due, in the phase that it was
// in, and the run ends with the last.
func TestTimeouts(t *testing.T) {
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		for _, c := range giveUps() {
			cases[c.name+" "+engine] = func(t *testing.T) { thrice(t, func() error { return c.play(t, engine) }) }
		}
	}
	atOnce(t, cases)
}

func (c giveUp) play(t *testing.T, engine string) error {
	t.Helper()
	const timeout = time.Second
	p := newPlan(t, engine, c.server(t), "50", 50, func(p *plan.Plan) {
		p.Timeout = plan.Seconds(timeout)
		if c.edit != nil {
			c.edit(p)
		}
	})
	scheduler, begun := watch(), time.Now()
	run, log := offerLogged(t, t.Context(), p)
	took, delay := time.Since(begun), scheduler.stoodStill()
	counts{class: record.ClientTimeout, errors: p.Total}.want(t, run)
	if s := &run.Summary; s.Time.Response.P50.Defined() || s.Time.ResponseAll.P50.Defined() || s.Time.ResponseAll.Count != p.Total || s.Reasons["client_timeout"] == "" {
		t.Errorf("response %+v, all %+v, reasons %v", s.Time.Response, s.Time.ResponseAll, s.Reasons)
	}
	return errors.Join(allIn(&run.Summary, c.phase, delay), endedAfter(log, timeout, timeout/10+delay),
		endedBy(took, p.Window()+timeout+500*time.Millisecond+delay))
}

// allIn says what is wrong if not all timeouts of a run were in one phase. A process
// that stands still for the length of the timeout leaves some in an earlier one.
func allIn(s *record.Summary, phase record.Phase, delay time.Duration) error {
	if n := s.TimeoutPhase[phase.String()]; (n != s.Planned || s.Sent != s.Planned) && delay < 200*time.Millisecond {
		return fmt.Errorf("%d in the phase %s, %d sent, want all %d: %v", n, phase, s.Sent, s.Planned, s.TimeoutPhase)
	}
	return nil
}

// endedAfter says which requests did not end one span after they were due.
func endedAfter(log []vegeta.Result, span, tolerance time.Duration) error {
	for _, r := range log {
		if r.Latency < span || r.Latency > span+tolerance {
			return fmt.Errorf("request %d ended after %v, want %v to %v", r.Seq, r.Latency, span, span+tolerance)
		}
	}
	return nil
}

func endedBy(took, limit time.Duration) error {
	if took > limit {
		return fmt.Errorf("the run took %v, want at most %v", took, limit)
	}
	return nil
}

func TestEndedAfterTellsWhatIsOff(t *testing.T) {
	for latency, ok := range map[time.Duration]bool{time.Second: true, 1090 * time.Millisecond: true, 999 * time.Millisecond: false, 1200 * time.Millisecond: false} {
		if err := endedAfter([]vegeta.Result{{Latency: latency}}, time.Second, 100*time.Millisecond); (err == nil) != ok {
			t.Errorf("%v: %v", latency, err)
		}
	}
}

// Requests that the connection limit holds back time out where they wait. Most are
// due at the same instant: whoever comes after the first finds its own time over.
func TestTimeoutInTheQueue(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, limit := range []int{1, 2} {
			thrice(t, func() error {
				p := newPlan(t, engine, hanging("")(t), "10000000", 20, func(p *plan.Plan) {
					p.MaxConnections, p.Timeout = limit, plan.Seconds(300*time.Millisecond)
				})
				s := &offer(t, t.Context(), p).Summary
				if s.Errors.ClientTimeout != 20 || s.Connections.Peak > uint64(limit) || s.Sent+s.TimeoutPhase["queued"] < 20 {
					t.Errorf("limit %d: %+v, peak %d, sent %d, phases %v", limit, s.Errors, s.Connections.Peak, s.Sent, s.TimeoutPhase)
				}
				if s.Waited < 10 || s.TimeoutPhase["queued"] == 0 {
					return fmt.Errorf("limit %d: %d waited, phases %v", limit, s.Waited, s.TimeoutPhase)
				}
				return nil
			})
		}
	})
}

// Waiting for a connection is part of the response time, and nobody is lost by it.
func TestWaitingForConnections(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, perConnection := range []int{0, 1, 3} {
			s := start(t, testserver.Config{Delay: 20 * time.Millisecond})
			p := newPlan(t, engine, s.URL(), "200", 40, func(p *plan.Plan) {
				p.MaxConnections, p.RequestsPerConnection, p.Timeout = 1, perConnection, plan.Seconds(10*time.Second)
			})
			run := offer(t, t.Context(), p)
			counts{replies: 40}.want(t, run)
			if sum := &run.Summary; sum.Waited < 30 || sum.Connections.Peak != 1 || sum.Time.Response.Max < 0.6 || sum.Time.Response.Max < 2*sum.Time.Service.Max {
				t.Errorf("waited %d, peak %d, response %v, service %v", sum.Waited, sum.Connections.Peak, sum.Time.Response.Max, sum.Time.Service.Max)
			}
			if got := s.Stats().Requests; got != 40 {
				t.Errorf("the server read %d requests", got)
			}
		}
	})
}

// The longest timeout does not make the run longer.
func TestLongestTimeout(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		for _, total := range []uint64{1, 20} {
			begun := time.Now()
			p := newPlan(t, engine, start(t, testserver.Config{}).URL(), "100", total, func(p *plan.Plan) { p.Timeout = plan.MaxTimeout })
			counts{replies: total}.want(t, offer(t, t.Context(), p))
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("%d requests took %v", total, took)
			}
		}
	})
}

// The deadline says what is good, the timeout what is given up; the set of expected
// statuses says which replies may be.
func TestDeadlineAndExpect(t *testing.T) {
	t.Parallel()
	const delay = 300 * time.Millisecond
	half := map[testserver.Failure]float64{testserver.FailStatus: 0.5}
	for _, c := range []struct {
		name            string
		timeout, within time.Duration
		expect          string
		replies, good   uint64
	}{
		{"late but whole", 5 * time.Second, 100 * time.Millisecond, "", 40, 0},
		{"in time", 5 * time.Second, 3 * time.Second, "", 40, 20},
		{"given up", 100 * time.Millisecond, 0, "", 0, 0},
		{"500 too", 5 * time.Second, 3 * time.Second, "2xx,500", 40, 40},
		{"only 500", 5 * time.Second, 0, "500-599", 40, 20},
		{"none", 5 * time.Second, 0, "204", 40, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			enginesAtOnce(t, func(t *testing.T, engine string) {
				s := start(t, testserver.Config{Delay: delay, Fail: half})
				run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "400", 40, func(p *plan.Plan) {
					p.Timeout, p.Deadline = plan.Seconds(c.timeout), plan.Seconds(c.within)
					if c.expect == "" {
						return
					}
					var err error
					if p.Expect, err = plan.ParseStatuses(c.expect); err != nil {
						t.Fatal(err)
					}
				}))
				if sum := &run.Summary; sum.Replies != c.replies || sum.Goodput.Count != c.good || sum.Errors.ClientTimeout != 40-c.replies {
					t.Errorf("replies %d good %d errors %+v, want %d and %d", sum.Replies, sum.Goodput.Count, sum.Errors, c.replies, c.good)
				}
			})
		})
	}
}
