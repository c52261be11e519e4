package main

import (
	"strings"
	"testing"

	"ratebench/attack/plan"
)

// A ramp offers in each second what it should, and all that it planned.
func TestRamp(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	for _, engine := range bothEngines() {
		m := measure(t, "--engine", engine, "--ramp", "50..150", "--duration", "4s", "--server", "none", server.URL())
		if m.Summary.Planned != 400 || m.Summary.Replies != 400 || float64(m.Summary.OfferedRate) != 100 || len(m.Intervals) < 4 {
			t.Fatalf("%s: %+v", engine, m.Summary)
		}
		for i, want := range []uint64{62, 87, 112, 137} { // 62.5, 87.5, …
			if due := m.Intervals[i].Due; due < want || due > want+1 {
				t.Errorf("%s: %d due in second %d, want %d or one more", engine, due, i, want)
			}
		}
		if !strings.Contains(m.stdout, "50/s to 150/s over 4 s × 400") || m.Plan.Ramp == nil || m.Plan.Rate.PerSecond() != 100 {
			t.Errorf("%s: %+v\n%s", engine, m.Plan, m.stdout)
		}
	}
}

func TestWrongRamps(t *testing.T) {
	for args, want := range map[string]string{
		"--ramp 100..400 --rate 5":       "--ramp 100..400 and --rate 5 exclude each other",
		"--ramp 100 --duration 5":        `--ramp "100" is not a ramp: want two rates, as in 100..400`,
		"--ramp 1..x --duration 5":       `--ramp "x" is not a rate: want 300, 0.5, 2.5/s or 30/m`,
		"--ramp 1..2 --total 5":          "--ramp 1..2: needs a --duration, of at most " + plan.MaxRampDuration.String(),
		"--ramp 1..2000000 --duration 5": "--ramp 1..2000000: at most 1e+06 requests a second",
	} {
		r := commandLineOf(t, args+" http://127.0.0.1:1/")
		if r.status != exitUsage || r.stderr != "ratebench: "+want+"\n" {
			t.Errorf("%s: status %d, %s", args, r.status, r.stderr)
		}
	}
}
