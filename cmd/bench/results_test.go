//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values              []float64
		median, least, most float64
	}{
		{[]float64{3, 1, 2}, 2, 1, 3},
		{[]float64{4, 1, 3, 2}, 2.5, 1, 4},
		{[]float64{7}, 7, 7, 7},
	} {
		if s := spreadOf(c.values); s != (spread{len(c.values), c.median, c.least, c.most}) {
			t.Errorf("%v: %+v", c.values, s)
		}
	}
	if s := spreadOf(nil); s.n != 0 || !math.IsNaN(s.median) {
		t.Errorf("of nothing: %+v", s)
	}
}

// rowOf is a row whose rounds 1, 2, … gave these values of a figure; NaN is a round that failed.
func rowOf(client, figure string, values ...float64) *row {
	r := &row{Client: client}
	for i, v := range values {
		s := sample{Round: i + 1}
		if math.IsNaN(v) {
			s.Error = "it failed"
		} else {
			s.Figures = figures{figure: v}
		}
		r.Samples = append(r.Samples, s)
	}
	return r
}

// A ratio pairs what was measured in the same round: here the machine became
// twice as slow in the second, which the ratio of medians would show as 1.33.
func TestRatiosArePaired(t *testing.T) {
	us, them := rowOf("us", "c", 1, 2, math.NaN(), 3), rowOf("them", "c", 2, 4, 7, math.NaN())
	if s := us.ratios(them, "c", "c"); s != (spread{2, 0.5, 0.5, 0.5}) {
		t.Errorf("%+v", s)
	}
	if s := us.ratios(nil, "c", "c"); s.n != 0 {
		t.Errorf("to nothing: %+v", s)
	}
	if s := us.ratios(rowOf("them", "c", 0, 0, 0, 0), "c", "c"); s.n != 0 {
		t.Errorf("to zero: %+v", s)
	}
}

func TestGoalsAreHeldBothWays(t *testing.T) {
	some := spreadOf([]float64{0.0001, 0.0002, 0.0009})
	for _, c := range []struct {
		s     spread
		sense string
		limit float64
		state string
	}{
		{some, "≤", 0.2, met}, {some, "≤", 0.19, missed}, {some, "≥", 0.2, met}, {some, "≥", 0.21, missed},
		{some, "=", 0.2, met}, {some, "=", 0.3, missed}, {spreadOf(nil), "≤", 1, unknown}, {spreadOf(nil), "=", 0, unknown},
	} {
		if g := hold("it", c.s, 1e3, "ms", c.sense, c.limit); g.State != c.state {
			t.Errorf("0.2 %s %v: %s, want %s", c.sense, c.limit, g.State, c.state)
		}
	}
}

func TestGoalsOfNothingAreNotMeasured(t *testing.T) {
	for _, g := range goals(nil) {
		if g.State != unknown {
			t.Errorf("%s: %s", g.What, g.State)
		}
	}
	if (&document{Goals: goals(nil)}).allMet() {
		t.Error("goals that were not measured count as met")
	}
}

// Every goal must find its rows: a client that was renamed would never be judged.
func TestEveryGoalCanBeMeasured(t *testing.T) {
	l := &lab{options: &options{}, serverList: "0", clientList: "1"}
	var results []*result
	for _, b := range blocks() {
		r := &result{Name: b.name}
		for _, task := range b.tasks(l, "http://127.0.0.1:1/") {
			r.ensure(&task)
			f := figures{}
			for _, name := range []string{plannedCount, replyCount, serverCount, peakConns, cpuPerReply, elapsedTime, peakMemory, exitStatus,
				sendLagP99, receiveLagP99, serviceP99, responseP50, responseP99, isInvalid, blamesClient} {
				f[name] = 1
			}
			r.row(task.client).Samples = []sample{{Round: 1, Figures: f}}
		}
		if r.row(b.base) == nil {
			t.Errorf("%s: no client is named %q", b.name, b.base)
		}
		results = append(results, r)
	}
	for _, g := range goals(results) {
		if g.State == unknown {
			t.Errorf("%s: %s", g.What, g.State)
		}
	}
}

func TestAlwaysMeansEveryRound(t *testing.T) {
	b := board{{Name: "x", Rows: []*row{rowOf("yes", isInvalid, 1, 1, 1), rowOf("mostly", isInvalid, 1, 0, 1)}}}
	for client, want := range map[string]float64{"yes": 1, "mostly": 0} {
		if s := b.always("x", client, isInvalid); s.median != want {
			t.Errorf("%s: %v", client, s.median)
		}
	}
}

func TestInexactRuns(t *testing.T) {
	exact := figures{plannedCount: 80_000, replyCount: 80_000, serverCount: 80_000, leastDue: loopRate, mostDue: loopRate}
	for name, value := range map[string]float64{replyCount: 79_999, serverCount: 80_001, leastDue: loopRate - 1, mostDue: loopRate + 1, "": 0} {
		f := figures{name: value}
		for n, v := range exact {
			if n != name {
				f[n] = v
			}
		}
		want := 1.0
		if name == "" {
			want = 0
		}
		if s := inexact(&row{Samples: []sample{{Figures: f}, {Error: "it failed"}}}); s.median != want {
			t.Errorf("%s %v: %v runs inexact, want %v", name, value, s.median, want)
		}
	}
	if s := inexact(nil); s.n != 0 {
		t.Errorf("of nothing: %+v", s)
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.95: "0.950", 8.6149: "8.61", 86.149: "86.1", 103_417.4: "103417", 0.000_12: "0.000120", 4: "4", math.NaN(): "–",
	} {
		if got := digits(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestTableIsAligned(t *testing.T) {
	r := &result{Name: "x", Title: "a title", Base: "us", columns: []column{
		ranged("µs", "c", 1), ratio("× us", "c"), {"verdict", verdicts},
	}}
	r.Rows = []*row{rowOf("us", "c", 1, 2, 3), rowOf("them, at length", "c", 20, 40, math.NaN())}
	r.Rows[0].Samples[1].Verdict, r.Rows[0].Samples[1].Findings = "invalid", []string{"send_lag"}
	var b bytes.Buffer
	printResult(&b, r)
	want := strings.Join([]string{
		"a title  [x]",
		"                           µs  × us  verdict",
		"  us                  2 (1–3)     1  2 × , 1 × invalid send_lag",
		"  them, at length  30 (20–40)    20",
		"  them, at length, round 3 failed: it failed",
		"", "",
	}, "\n")
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestDocumentIsValidJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "bench.json")
	r := &result{Name: "x", Rows: []*row{rowOf("us", "c", 1, math.NaN())}}
	r.Rows[0].settle()
	d := &document{Schema: benchSchema, Blocks: []*result{r}, Goals: goals(nil)}
	if err := d.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back document
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.Schema != benchSchema || back.failures() != 1 || back.Blocks[0].Rows[0].Median["c"] != 1 || !math.IsNaN(float64(back.Goals[0].Value)) {
		t.Errorf("read back %+v", back)
	}
}
