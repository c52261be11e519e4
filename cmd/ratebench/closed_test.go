package main

import (
	"strings"
	"testing"
)

// A closed loop says what it is, what it hides, and ab's figures.
func TestClosedLoop(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	for _, engine := range bothEngines() {
		m := measure(t, "--engine", engine, "--concurrency", "3", "--total", "60", "--server", "none", "--objective", "reply_rate>=1/s", server.URL())
		if m.Summary.Planned != 60 || m.Summary.Replies != 60 || m.Summary.OfferedRate.Defined() || m.Plan.Concurrency != 3 {
			t.Fatalf("%s: %+v %+v", engine, m.Plan, m.Summary)
		}
		for _, want := range []string{
			"3 at once × 60, a connection each", "rate /s      closed loop", "compare with other closed-loop figures only",
			"requests per second", "document length ", "(mean, across all concurrent requests)", "Connect ", "Processing ", "Waiting ", "Total ", "100% ",
		} {
			if !strings.Contains(m.stdout, want) {
				t.Errorf("%s: %q is missing in\n%s", engine, want, m.stdout)
			}
		}
	}
}

func TestWrongClosedLoops(t *testing.T) {
	for args, want := range map[string]string{
		"--concurrency 5 --rate 5":                     "--concurrency 5 and --rate 5 exclude each other: a closed loop sends as fast as replies come",
		"--concurrency 5 --ramp 1..2 --duration 1":     "--concurrency 5 and --ramp 1..2 exclude each other",
		"--concurrency 0":                              `--concurrency "0": want a whole number from 1 to 100000`,
		"--concurrency x":                              `--concurrency "x": want a whole number from 1 to 100000`,
		"--concurrency 5 --max-connections 4":          "--concurrency 5: is more than --max-connections 4",
		"--concurrency 5 --arrivals poisson":           "--concurrency 5: replies say when its requests start, not --arrivals poisson",
		"sweep --rates 1 --duration 1 --concurrency 5": "unknown option --concurrency (of a single run: it keeps N requests in flight, whatever the rate; the other commands offer rates)",
		"--rate 1 -c 5":                                "unknown option -c (ab's: here --concurrency N, a closed loop; --rate says when requests start, however many are open)",
	} {
		r := commandLineOf(t, args+" http://127.0.0.1:1/")
		if r.status != exitUsage || r.stderr != "ratebench: "+want+"\n" {
			t.Errorf("%s: status %d, %s", args, r.status, r.stderr)
		}
	}
}
