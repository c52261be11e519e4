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

// A ramp that a total ends does not come to its last rate, and its report does not say so.
func TestRampWithTotal(t *testing.T) {
	t.Parallel()
	server := rawServer(t, "")
	m := measure(t, "--ramp", "50..150", "--duration", "4s", "--total", "100", "--server", "none", server.URL())
	want := "50/s to 86.60/s over 1.464 s, as the first part of a ramp to 150/s over 4 s × 100"
	if m.Summary.Planned != 100 || !strings.Contains(strings.ReplaceAll(m.stdout, "\n", " "), want) {
		t.Errorf("%+v\n%s", m.Summary, m.stdout)
	}
}

func TestWrongRamps(t *testing.T) {
	for args, want := range map[string]string{
		"--ramp 100..400 --rate 5":       "--ramp 100..400 and --rate 5 exclude each other",
		"--ramp 100 --duration 5":        `--ramp "100" is not a ramp: want two rates, as in 100..400`,
		"--ramp 1..x --duration 5":       `--ramp "x" is not a rate: want 300, 0.5, 2.5/s or 30/m`,
		"--ramp 100..400..500":           `--ramp "100..400..500" is not a ramp: want two rates, as in 100..400`,
		"--ramp ..":                      `--ramp ".." is not a ramp: want two rates, as in 100..400`,
		"--ramp --duration 5":            "--ramp: its value is missing",
		"--ramp 1..2 --total 5":          "--ramp 1..2: needs a --duration, over which the rate changes",
		"--ramp 1..2 --duration 2000000": "--duration 555h33m20s: is too long for --ramp 1..2, which lasts " + plan.MaxRampDuration.String() + " at most",
		"--ramp 1..2000000 --duration 5": `--ramp "2000000" is out of range: the rates of a ramp are from 0.000001 to 1000000 requests a second`,
		"--ramp 0..2 --duration 5":       `--ramp "0" is out of range: the rates of a ramp are from 0.000001 to 1000000 requests a second`,
		"--ramp 1..99999999999":          `--ramp "99999999999" is out of range: the rates of a ramp are from 0.000001 to 1000000 requests a second`,
		"sweep --rates 1 --ramp 1..2":    "unknown option --ramp (of a single run, in which the rate changes; the other commands offer one rate after the other)",
		"capacity --ramp 1..2":           "unknown option --ramp (of a single run, in which the rate changes; the other commands offer one rate after the other)",
	} {
		r := commandLineOf(t, args+" http://127.0.0.1:1/")
		if r.status != exitUsage || r.stderr != "ratebench: "+want+"\n" {
			t.Errorf("%s: status %d, %s", args, r.status, r.stderr)
		}
	}
}
