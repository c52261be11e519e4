package plan

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

// validPlan is a plan without a fault.
func validPlan(t testing.TB) *Plan { return schedule(t, "300", 40_000, Uniform) }

func TestValidate(t *testing.T) {
	if err := validPlan(t).Validate(); err != nil {
		t.Errorf("a good plan is refused: %v", err)
	}
	for says, spoil := range map[string]func(*Plan){
		"--rate is missing":              func(p *Plan) { p.Rate = Rate{} },
		"--total or --duration":          func(p *Plan) { p.Total = 0 },
		"--duration -1s":                 func(p *Plan) { p.Duration = Seconds(-time.Second) },
		"--warmup -1s":                   func(p *Plan) { p.Warmup = Seconds(-time.Second) },
		`--arrivals "normal"`:            func(p *Plan) { p.Arrivals = "normal" },
		"--timeout 0s":                   func(p *Plan) { p.Timeout = 0 },
		"--timeout 1h0m0.000000001s":     func(p *Plan) { p.Timeout = MaxTimeout + 1 },
		"--deadline -1ns":                func(p *Plan) { p.Deadline = -1 },
		"--deadline 6s":                  func(p *Plan) { p.Deadline = Seconds(6 * time.Second) },
		"--requests-per-connection -1":   func(p *Plan) { p.RequestsPerConnection = -1 },
		"--max-connections 0":            func(p *Plan) { p.MaxConnections = 0 },
		"address family 5":               func(p *Plan) { p.Family = 5 },
		"--cert and --key":               func(p *Plan) { p.TLS.CertFile = "cert.pem" },
		`--engine "ab"`:                  func(p *Plan) { p.Engine = "ab" },
		"a URL or --targets is missing":  func(p *Plan) { p.URL = "" },
		"give a URL or --targets x, not": func(p *Plan) { p.TargetsFile = "x" },
	} {
		p := validPlan(t)
		spoil(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want it to say %q", err, says)
		}
	}
}

func TestValidateReportsAllFaults(t *testing.T) {
	err := new(Plan).Validate()
	for _, says := range []string{"URL", "--rate", "--total", "--arrivals", "--timeout", "--max-connections", "--engine"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the fault of %s is missing from:\n%v", says, err)
		}
	}
}

func TestGoodWithin(t *testing.T) {
	p := validPlan(t)
	if p.GoodWithin() != 5*time.Second {
		t.Errorf("good within %v, want the timeout", p.GoodWithin())
	}
	if p.Deadline = Seconds(time.Second); p.GoodWithin() != time.Second {
		t.Errorf("good within %v, want the deadline", p.GoodWithin())
	}
}

func TestPlanInJSON(t *testing.T) {
	p := validPlan(t)
	p.Rate = mustRate(t, "1/m")
	p.Duration, p.Warmup, p.Deadline = Seconds(time.Hour), 1, Seconds(time.Second)
	p.Header = []Field{{"X", "a, b"}}
	p.Sources = []netip.Addr{netip.MustParseAddr("fe80::1%eth0")}
	p.Expect, _ = ParseStatuses("2xx,304")
	document, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var again Plan
	if err := json.Unmarshal(document, &again); err != nil || !reflect.DeepEqual(*p, again) {
		t.Errorf("written as %s, read as %+v: %v", document, again, err)
	}
}
