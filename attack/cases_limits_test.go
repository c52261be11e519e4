package attack_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

// Cases of the area resource limits. A limit belongs to a whole process, so each of
// these runs in one of its own.

// RC-085: whatever the limit of descriptors is, the run goes on within it, and
// nothing is allocated for it.
func TestDescriptorLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for name, limit := range map[string]string{
		"the hardest":  "ulimit -n $(cat /proc/sys/fs/nr_open) 2>/dev/null || ulimit -n $(ulimit -H -n)",
		"unlimited":    "ulimit -n unlimited 2>/dev/null || true",
		"as it is":     "ulimit -S -n 64",
		"a small one":  "ulimit -n 200",
		"a tight one":  "ulimit -n 90",
		"hardly any":   "ulimit -n 70",
		"soft and low": "ulimit -S -n 70 && ulimit -H -n 120",
	} {
		for _, engine := range engines() {
			cases[name+" "+engine] = func(t *testing.T) {
				inside(t, []string{"sh", "-ec", limit + "\nexec \"$0\" \"$@\""}, func(t *testing.T) { withinDescriptors(t, engine) })
			}
		}
	}
	atOnce(t, cases)
}

// withinDescriptors runs beside its server, which uses as many descriptors: so the
// client is told to use no more than a few.
func withinDescriptors(t *testing.T, engine string) {
	s := start(t, testserver.Config{Delay: 20 * time.Millisecond})
	run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", 100, func(p *plan.Plan) { p.MaxConnections, p.Timeout = 6, plan.Seconds(20*time.Second) }))
	counts{replies: 100}.want(t, run)
	if run.Client.RSSPeak > 512<<20 {
		t.Errorf("%d MiB of memory", run.Client.RSSPeak>>20)
	}
}

// Out of descriptors in spite of that, because the server of the same process takes
// them: those requests are the client's own failure.
func TestOutOfDescriptors(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		cases[engine] = func(t *testing.T) {
			inside(t, []string{"sh", "-ec", "ulimit -n 160\nexec \"$0\" \"$@\""}, func(t *testing.T) {
				url := hanging("")(t)
				run := offer(t, t.Context(), newPlan(t, engine, url, "400", 200, func(p *plan.Plan) { p.Timeout = plan.Seconds(1500 * time.Millisecond) }))
				s := &run.Summary
				if s.Errors.FDUnavailable == 0 || s.Errors.FDUnavailable+s.Errors.ClientTimeout != 200 || s.Replies != 0 {
					t.Errorf("errors %+v %v", s.Errors, s.Reasons)
				}
				if run.Verdict.Status != record.Invalid || !found(run.Verdict, "client_exhausted") {
					t.Errorf("verdict %+v", run.Verdict)
				}
			})
		}
	}
	atOnce(t, cases)
}

func found(v record.Verdict, code string) bool {
	for _, f := range v.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// RC-086: 51 local ports. What finds none free has a class and a hint of its own, no
// time, and does not reach the server.
func TestOutOfPorts(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T){}
	for _, engine := range engines() {
		cases[engine] = func(t *testing.T) {
			inside(t, private("echo '40000 40050' >/proc/sys/net/ipv4/ip_local_port_range"), func(t *testing.T) { fewPorts(t, engine) })
		}
	}
	atOnce(t, cases)
}

func fewPorts(t *testing.T, engine string) {
	s := start(t, testserver.Config{Listen: "127.0.0.1:8080"})
	run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", 600, nil))
	sum := &run.Summary
	none := sum.Errors.AddressUnavailable
	counts{replies: 600 - none, class: record.AddressUnavailable, errors: none}.want(t, run)
	if none < 50 || sum.Replies < 51 {
		t.Errorf("%d without an address, %d replies", none, sum.Replies)
	}
	if got := s.Stats().Requests; got != 600-none || sum.Sent != 600-none || sum.Time.Response.Count != 600-none {
		t.Errorf("the server read %d, sent %d, %d times; want %d of each", got, sum.Sent, sum.Time.Response.Count, 600-none)
	}
	for _, f := range run.Verdict.Findings {
		if f.Code == "client_exhausted" && strings.Contains(f.Text, "ip_local_port_range") && f.Value == record.Number(none) {
			return
		}
	}
	t.Errorf("no hint at the ports: %+v", run.Verdict)
}

// With kept connections the same ports suffice.
func TestFewPortsAreEnoughForKeptConnections(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		inside(t, private("echo '40000 40050' >/proc/sys/net/ipv4/ip_local_port_range"), func(t *testing.T) {
			s := start(t, testserver.Config{Listen: "127.0.0.1:8080"})
			run := offer(t, t.Context(), newPlan(t, engine, s.URL(), "200", 200, func(p *plan.Plan) {
				p.RequestsPerConnection, p.MaxConnections = 0, 40
			}))
			counts{replies: 200}.want(t, run)
		})
	})
}

// A connection limit that one server uses up leaves none to another: the idle ones
// of the first make room.
func TestConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	enginesAtOnce(t, func(t *testing.T, engine string) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		a, b := start(t, testserver.Config{}), start(t, testserver.Config{})
		run := offer(t, ctx, newPlan(t, engine, a.URL(), "400", 100, func(p *plan.Plan) {
			for _, s := range []*testserver.Server{a, b} {
				u, err := plan.ParseURL(s.URL())
				if err != nil {
					t.Fatal(err)
				}
				p.Targets = append(p.Targets, plan.Target{URL: u})
			}
			p.URL, p.TargetsFile, p.RequestsPerConnection, p.MaxConnections = "", "two", 0, 1
		}))
		counts{replies: 100}.want(t, run)
		if s := &run.Summary; s.Connections.Peak != 1 || s.Connections.Opened < 2 {
			t.Errorf("connections %+v", s.Connections)
		}
	})
}
