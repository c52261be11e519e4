package report

import (
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

func TestCommandLine(t *testing.T) {
	var limits []Objective
	check := func(want string, change func(*plan.Plan)) {
		t.Helper()
		p := plan.New()
		p.URL, p.Total = "http://127.0.0.1:8080/", 40000
		p.Rate, _ = plan.ParseRate("300")
		change(p)
		if got := commandLine(&Document{Plan: p, Objectives: limits}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	check("ratebench --rate 300 --total 40000 http://127.0.0.1:8080/", func(*plan.Plan) {})
	check("ratebench --rate 300 --total 40000 --duration 1m30s --warmup 5s --arrivals poisson --seed 7 --timeout 2s --deadline 250ms"+
		" --expect 2xx,304 -X POST -H 'X-A: it'\\''s' --keepalive --max-connections 64 --source 127.0.0.2,127.0.0.3 -6"+
		" 'http://127.0.0.1:8080/?a=1&b=$2'", func(p *plan.Plan) {
		p.Duration, p.Warmup = plan.Seconds(90*time.Second), plan.Seconds(5*time.Second)
		p.Arrivals, p.Seed = plan.Poisson, 7
		p.Timeout, p.Deadline = plan.Seconds(2*time.Second), plan.Seconds(250*time.Millisecond)
		p.Expect, _ = plan.ParseStatuses("2xx,304")
		p.Method, p.URL = "POST", "http://127.0.0.1:8080/?a=1&b=$2"
		p.Header = []plan.Field{{Name: "X-A", Value: "it's"}}
		p.RequestsPerConnection, p.MaxConnections, p.Family = 0, 64, 6
		p.Sources = []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}
	})
	check("ratebench --rate 300 --total 40000 --targets t.txt --requests-per-connection 5 --unix-socket /run/a --http2 --loops 2"+
		" --timestamps user --priority high --insecure --ca a --cert b --key c --server-name d --tls-resume", func(p *plan.Plan) {
		p.URL, p.TargetsFile, p.RequestsPerConnection, p.UnixSocket = "", "t.txt", 5, "/run/a"
		p.HTTP2, p.Engine, p.Loops, p.Timestamps, p.Priority = true, plan.EngineVegeta, 2, plan.TimestampsUser, plan.PriorityHigh
		p.TLS = plan.TLS{Insecure: true, CAFile: "a", CertFile: "b", KeyFile: "c", ServerName: "d", Resume: true}
	})
	limits = []Objective{{Text: "p99<250ms"}, {Text: "errors<0.1%"}}
	check("ratebench --rate 300 --total 40000 --objective 'p99<250ms' --objective 'errors<0.1%' http://127.0.0.1:8080/", func(*plan.Plan) {})
}

// TestShellWord: bash reads every word back as it was. Only NUL cannot be in one.
func TestShellWord(t *testing.T) {
	for _, word := range []string{"", "a", "a b", "it's", `\`, "$x `y` !z", "~", "a\nb\t\x1b[2J1\x7f2", "é\u202e\xff'", "-n", "#", "*"} {
		out, err := exec.Command("bash", "-c", "printf %s "+shellWord(word)).Output()
		if err != nil || string(out) != word && word != "-n" {
			t.Errorf("%q: %s is read as %q, %v", word, shellWord(word), out, err)
		}
		if shown(shellWord(word)) != shellWord(word) {
			t.Errorf("%q: %s would be obeyed by a terminal", word, strings.ToValidUTF8(shellWord(word), "?"))
		}
	}
}
