package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// engine stands for attack.Run: it remembers what it was told to do and
// returns what the test says.
type engine struct {
	plans  []*plan.Plan
	run    *record.Run // nil for one that was answered
	err    error
	during func(context.Context, attack.Hooks)
}

func (e *engine) attack(ctx context.Context, p *plan.Plan, hooks attack.Hooks) (*record.Run, error) {
	e.plans = append(e.plans, p)
	if e.during != nil {
		e.during(ctx, hooks)
	}
	if e.run == nil && e.err == nil {
		return answered(), nil
	}
	return e.run, e.err
}

// answered is a run of ten requests and replies.
func answered() *record.Run {
	return &record.Run{
		Engine:  plan.EngineVegeta,
		Summary: record.Summary{Planned: 10, Sent: 10, Replies: 10, Status: map[string]uint64{"200": 10}},
		Verdict: record.Verdict{Status: record.Valid},
	}
}

// result is what a command line leaves behind.
type result struct {
	status         int
	stdout, stderr string
}

// command runs a command line in process.
func command(t *testing.T, e *engine, args ...string) result {
	t.Helper()
	return commandIn(t, context.Background(), e, args...)
}

func commandIn(t *testing.T, ctx context.Context, e *engine, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, attack: e.attack}
	status := a.run(ctx, args)
	return result{status, stdout.String(), stderr.String()}
}

// planned runs a command line that must be accepted and returns its plan.
func planned(t *testing.T, args ...string) *plan.Plan {
	t.Helper()
	e := &engine{}
	if r := command(t, e, args...); r.status != exitDone || r.stderr != "" {
		t.Fatalf("%q: status %d, stderr %q", args, r.status, r.stderr)
	}
	if len(e.plans) != 1 {
		t.Fatalf("%q: %d runs, want 1", args, len(e.plans))
	}
	return e.plans[0]
}

// refusal is why r is not a refusal that says exactly lines, each after the
// program's name, on standard error and nothing else anywhere; empty if it is.
func refusal(e *engine, r result, lines ...string) string {
	want := ""
	for _, line := range lines {
		want += "ratebench: " + line + "\n"
	}
	switch {
	case len(e.plans) > 0:
		return "a run was made"
	case r.status != exitUsage:
		return "the status is not that of a usage error"
	case r.stdout != "":
		return "standard output is not empty: " + r.stdout
	case r.stderr != want:
		return "standard error is\n" + r.stderr + "and not\n" + want
	}
	return ""
}

func TestRefusalTellsWhatIsNone(t *testing.T) {
	good := result{exitUsage, "", "ratebench: a\nratebench: b\n"}
	if why := refusal(&engine{}, good, "a", "b"); why != "" {
		t.Error("a refusal is not recognised:", why)
	}
	for name, r := range map[string]result{
		"status":  {exitFailed, "", good.stderr},
		"stdout":  {exitUsage, "x", good.stderr},
		"missing": {exitUsage, "", "ratebench: a\n"},
		"surplus": {exitUsage, "", good.stderr + "ratebench: c\n"},
	} {
		if refusal(&engine{}, r, "a", "b") == "" {
			t.Errorf("%s: passes for a refusal", name)
		}
	}
	if refusal(&engine{plans: []*plan.Plan{nil}}, good, "a", "b") == "" {
		t.Error("a run that was made passes for a refusal")
	}
}
