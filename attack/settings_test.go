package attack_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// An interrupt that comes when everything is sent and something is still in
// flight is one all the same.
func TestInterruptInTheDrain(t *testing.T) {
	s := startRaw(t, testserver.RawConfig{Reply: []byte("HTTP/1.1 200"), Ending: testserver.Ending{How: testserver.Hang}})
	eachEngine(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		run := offer(t, ctx, newPlan(t, engine, s.URL(), "1000", 50, func(p *plan.Plan) { p.Timeout = plan.Seconds(time.Minute) }))
		if !run.Interrupted || run.Summary.Aborted != 50 {
			t.Errorf("interrupted %v, aborted %d; want true and 50", run.Interrupted, run.Summary.Aborted)
		}
		said := slices.ContainsFunc(run.Verdict.Findings, func(f record.Finding) bool { return f.Code == "interrupted" })
		if !said {
			t.Errorf("findings %+v, want one that says interrupted", run.Verdict.Findings)
		}
	})
}

// A source address that cannot be used is found before anything is sent.
func TestSourceAddressesAreTried(t *testing.T) {
	s := startRaw(t, testserver.RawConfig{Reply: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})
	for source, want := range map[string]string{
		"192.0.2.1": "--source 192.0.2.1: cannot assign requested address",
		"::1":       "--source ::1: 127.0.0.1 is at 127.0.0.1, of the other family",
	} {
		eachEngine(t, func(t *testing.T, engine string) {
			p := newPlan(t, engine, s.URL(), "100", 10, func(p *plan.Plan) { p.Sources = []netip.Addr{netip.MustParseAddr(source)} })
			_, err := attack.Run(t.Context(), p, attack.Hooks{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("source %s: error %v, want %q", source, err, want)
			}
		})
	}
	if n := s.Conns(); n != 0 {
		t.Errorf("the server saw %d connections, want none", n)
	}
}

// The connection limit holds whatever the number of loops.
func TestLoopsShareTheConnectionLimit(t *testing.T) {
	for _, c := range []struct{ connections, loops int }{{1, 7}, {3, 2}, {7, 7}} {
		s := start(t, testserver.Config{Delay: 20 * time.Millisecond})
		run := offer(t, t.Context(), newPlan(t, plan.EngineEpoll, s.URL(), "1000", 100, func(p *plan.Plan) {
			p.Loops, p.MaxConnections, p.Timeout = c.loops, c.connections, plan.Seconds(20*time.Second)
		}))
		counts{replies: 100}.want(t, run)
		if peak := run.Summary.Connections.Peak; peak > uint64(c.connections) {
			t.Errorf("%d loops opened %d connections at once of %d", c.loops, peak, c.connections)
		}
	}
}
