package attack_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// A rawCase is a server that answers with given bytes, and what a run against it
// must show whichever engine makes it.
//
// As many requests are sent as want has replies and errors: unless edit says
// otherwise one at a time, over one connection for as long as it lasts: then the number of connections is exact,
// and says for certain which replies left theirs fit for use.
type rawCase struct {
	name   string
	server testserver.RawConfig
	edit   func(*plan.Plan)
	want   facts
}

// facts are asked of a run and of the server alike.
type facts struct {
	counts
	content uint64 // bytes of all bodies together
	conns   uint64 // 0 if chance has a part in it
}

// good are n replies of a status with size bytes each, over conns connections.
func good(n uint64, status string, size, conns uint64) facts {
	return facts{counts{replies: n, status: map[string]uint64{status: n}}, n * size, conns}
}

// bad are n errors of a class.
func bad(n uint64, class record.Class, conns uint64) facts {
	return facts{counts{errors: n, class: class}, 0, conns}
}

// says is a server that answers every request with reply.
func says(reply string) testserver.RawConfig { return testserver.RawConfig{Reply: []byte(reply)} }

// saysThen is one that goes on in another manner than to read the next request.
func saysThen(reply string, e testserver.Ending) testserver.RawConfig {
	return testserver.RawConfig{Reply: []byte(reply), Ending: e}
}

// saysInTurn answers the n-th request with the n-th of the replies, then the first again.
func saysInTurn(replies ...string) testserver.RawConfig {
	return testserver.RawConfig{Answer: func(n int) ([]byte, testserver.Ending) {
		return []byte(replies[n%len(replies)]), testserver.Ending{}
	}}
}

// Endings that most cases use.
var (
	thenFIN  = testserver.Ending{How: testserver.CloseFIN}
	thenRST  = testserver.Ending{How: testserver.Reset}
	thenHang = testserver.Ending{How: testserver.Hang}
)

// Edits that most cases use.
func each(p *plan.Plan)     { p.RequestsPerConnection, p.MaxConnections = 1, 1000 }
func fourEach(p *plan.Plan) { p.RequestsPerConnection = 4 }
func head(p *plan.Plan)     { p.Method = "HEAD" }
func impatient(p *plan.Plan) {
	each(p)
	p.Timeout = plan.Seconds(time.Second)
}

// all is one edit after the other.
func all(edits ...func(*plan.Plan)) func(*plan.Plan) {
	return func(p *plan.Plan) {
		for _, edit := range edits {
			edit(p)
		}
	}
}

// playAll plays each case through every engine, cases side by side.
func playAll(t *testing.T, cases []rawCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

// playWaiting plays cases that do nothing but wait all at once.
func playWaiting(t *testing.T, cases []rawCase) {
	t.Helper()
	byName := map[string]func(*testing.T){}
	for _, c := range cases {
		byName[c.name] = c.play
	}
	atOnce(t, byName)
}

func (c rawCase) play(t *testing.T) {
	t.Helper()
	var same agreement
	eachEngine(t, func(t *testing.T, engine string) {
		s := startRaw(t, c.server)
		p := newPlan(t, engine, s.URL(), "5000", c.want.replies+c.want.errors, func(p *plan.Plan) {
			p.RequestsPerConnection, p.MaxConnections = 0, 1
			p.Timeout = plan.Seconds(20 * time.Second) // no matter how busy the machine is
			if c.edit != nil {
				c.edit(p)
			}
		})
		run := offer(t, t.Context(), p)
		c.want.check(t, run)
		reached(t, "connections", s.Conns, run.Summary.Connections.Opened)
		reached(t, "requests", s.Requests, run.Summary.Sent)
		if c.want.conns == 0 { // it depends on when the replies come, so on the moment
			run.Summary.Connections.Opened = 0
		}
		same.check(t, run)
	})
}

// check compares a run with the facts, and its own figures with each other.
func (f facts) check(t *testing.T, run *record.Run) {
	t.Helper()
	f.want(t, run)
	s := &run.Summary
	if s.Bytes.Content != f.content {
		t.Errorf("content %d bytes, want %d", s.Bytes.Content, f.content)
	}
	if f.conns != 0 && s.Connections.Opened != f.conns {
		t.Errorf("opened %d connections, want %d", s.Connections.Opened, f.conns)
	}
	if s.Time.Response.Count != s.Replies {
		t.Errorf("%d response times of %d replies", s.Time.Response.Count, s.Replies)
	}
	var statuses uint64
	for _, n := range s.Status {
		statuses += n
	}
	if statuses != s.Replies {
		t.Errorf("%d replies have a status, want all %d (%v)", statuses, s.Replies, s.Status)
	}
	if f.errors > 0 && s.Reasons[f.class.Key()] == "" {
		t.Errorf("no reason is given for %s: %v", f.class, s.Reasons)
	}
}

// reached waits until a server's own count is what the client says, which it may
// become a moment after the client gave up.
func reached(t *testing.T, what string, count func() int, want uint64) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < 2*time.Second; time.Sleep(5 * time.Millisecond) {
		if uint64(count()) == want {
			return
		}
	}
	t.Errorf("the server counts %d %s, the client %d", count(), what, want)
}

// An agreement holds each engine's figures to those of the first.
type agreement struct {
	engine string
	first  alike
}

// alike is what may not depend on the engine.
type alike struct {
	Planned, Sent, Replies uint64
	Errors                 record.Errors
	TimeoutPhase           map[string]uint64
	Status                 map[string]uint64
	Opened                 uint64
	Bytes                  record.Bytes
	Protocol, Software     string
}

func (a *agreement) check(t *testing.T, run *record.Run) {
	t.Helper()
	if err := a.compare(run); err != nil {
		t.Error(err)
	}
}

// compare takes the first run as the measure of later ones.
func (a *agreement) compare(run *record.Run) error {
	s := &run.Summary
	got := alike{
		s.Planned, s.Sent, s.Replies, s.Errors, s.TimeoutPhase, s.Status, s.Connections.Opened, s.Bytes,
		run.Protocol, run.Software,
	}
	if a.engine == "" {
		a.engine, a.first = run.Engine, got
	}
	if reflect.DeepEqual(got, a.first) {
		return nil
	}
	return fmt.Errorf("%s: %+v\n%s: %+v", a.engine, a.first, run.Engine, got)
}

func TestAgreementTellsADifference(t *testing.T) {
	var same agreement
	for range 2 {
		if err := same.compare(&record.Run{Engine: "a"}); err != nil {
			t.Errorf("equal runs differ: %v", err)
		}
	}
	if same.compare(&record.Run{Engine: "b", Summary: record.Summary{Replies: 1}}) == nil {
		t.Error("a reply more is no difference")
	}
}
