package plan

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]Objective{
		"p99<250ms":         {P99, "<", 0.25, "250ms"},
		"errors<0.1%":       {ErrorShare, "<", 0.001, "0.1%"},
		"errors<=0%":        {ErrorShare, "<=", 0, "0%"},
		"goodput>=99%":      {Goodput, ">=", 0.99, "99%"},
		"goodput>=100%":     {Goodput, ">=", 1, "100%"},
		"reply_rate>=295/s": {ReplyRate, ">=", 295, "295/s"},
		"reply_rate>295":    {ReplyRate, ">", 295, "295"},
		"reply_rate>=30/m":  {ReplyRate, ">=", 0.5, "30/m"},
		"mean<=20ms":        {Mean, "<=", 0.02, "20ms"},
		"p99.9<1s":          {P999, "<", 1, "1s"},
		"max<1m30s":         {Max, "<", 90, "1m30s"},
		"cpu_per_reply<2ms": {CPUPerReply, "<", 0.002, "2ms"},
		"p50<.5s":           {P50, "<", 0.5, ".5s"},
		" p90 <= 250 µs ":   {P90, "<=", 0.00025, "250µs"},
	} {
		got, err := ParseObjective(text)
		if err != nil || got != want {
			t.Errorf("%q is read as %#v (%v), want %#v", text, got, err, want)
		}
		if again, err := ParseObjective(got.String()); err != nil || again != got {
			t.Errorf("%q is shown as %v and read as %#v: %v", text, got, again, err)
		}
	}
}

// Each refusal names the text, and what would be right where that can be said.
func TestParseObjectiveErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "no comparison",
		"p99":                  "no comparison: want for example p99<250ms",
		"<250ms":               `no metric ""`,
		"p98<250ms":            `no metric "p98": want one of goodput, reply_rate,`,
		"P99<250ms":            `no metric "P99"`,
		"p99=250ms":            `no comparison "=": want < or <=, as in p99<250ms`,
		"p99≤250ms":            `no comparison "≤"`,
		"goodput==99%":         `no comparison "==": want > or >=, as in goodput>=99%`,
		"p99<>250ms":           `no comparison "<>"`,
		"p99>250ms":            "asks for a bad p99: want < or <=",
		"goodput<99%":          "asks for a bad goodput: want > or >=",
		"p99<250":              `"250" has no unit: want 250ms or 250s`,
		"p99<250%":             `"250%" is not a duration`,
		"p99<250 ms ms":        "is not a value",
		"p99<250 0ms":          "is not a value",
		"p99<1.2.3s":           "is not a value",
		"p99<":                 `"" is not a value`,
		"p99<-1ms":             `"-1ms" is not a value`,
		"p99<1e-3s":            `"1e-3s" is not a duration`,
		"p99<0ms":              "no time is below 0",
		"p99<0.0000000001s":    "no time is below 0",
		"max<9999999999s":      "not a duration",
		"errors<0.001":         `"0.001" is not a percentage: want for example errors<0.1%`,
		"errors<0%":            "want errors<=0%",
		"errors<101%":          "want at most 100%",
		"goodput>=0.99":        "not a percentage: want for example goodput>=99%",
		"goodput>100%":         "want goodput>=100%",
		"goodput>=1e3%":        "not a percentage",
		"reply_rate>=295/week": `"295/week" is not a rate`,
		"reply_rate>=0":        "out of range",
	} {
		got, err := ParseObjective(text)
		if err == nil {
			t.Errorf("%q is taken for %v", text, got)
			continue
		}
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `objective "`+text+`"`) {
			t.Errorf("the error for %q is %v, want %s in it", text, err, want)
		}
		if got != (Objective{}) {
			t.Errorf("%q is refused and yet read as %v", text, got)
		}
	}
}

func TestExamplesAreObjectives(t *testing.T) {
	for _, m := range Metrics() {
		if o, err := ParseObjective(m.example()); err != nil || o.Metric != m {
			t.Errorf("%s, the example of %s: %v", m.example(), m, err)
		}
	}
}

// The limit itself and its neighbours on the line of floats.
func TestHolds(t *testing.T) {
	check := func(text string, value float64, want bool) {
		t.Helper()
		o, err := ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Holds(value, true); got != want {
			t.Errorf("%s of %v: %t", text, value, got)
		}
		if o.Holds(value, false) {
			t.Errorf("%s holds of no value", text)
		}
	}
	below, above := func(x float64) float64 { return math.Nextafter(x, 0) }, func(x float64) float64 { return math.Nextafter(x, 9) }
	check("p99<250ms", 0.25, false)
	check("p99<250ms", below(0.25), true)
	check("p99<=250ms", 0.25, true)
	check("p99<=250ms", above(0.25), false)
	check("errors<=0.1%", 1.0/1000, true)
	check("errors<0.1%", 1.0/1000, false)
	check("errors<=0%", 0, true)
	check("goodput>99%", 99.0/100, false)
	check("goodput>=99%", 99.0/100, true)
	check("goodput>=99%", below(0.99), false)
	check("reply_rate>=295", 295, true)
	check("max<3s", math.Inf(1), false)
	check("reply_rate>=295", math.Inf(1), false)
	check("max<3s", math.NaN(), false)
	if (Objective{}).Holds(0, true) {
		t.Error("the zero objective holds")
	}
}

// A percentile among the failures has no value and so misses its objective.
func TestJudge(t *testing.T) {
	var objectives []Objective
	for _, text := range []string{"p50<1s", "p99<250ms", "p99.9<1s", "errors<0.1%", "reply_rate>=295", "max<2s"} {
		o, err := ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		objectives = append(objectives, o)
	}
	judged := Judge(objectives, func(m Metric) (float64, bool) {
		switch m {
		case P50:
			return 0.0123456, true
		case P99:
			return 0.312, true
		case ErrorShare:
			return 0.004, true
		case ReplyRate:
			return 300, true
		case Max:
			return math.NaN(), true
		}
		return 0, false
	})
	want := []string{
		"p50<1s held: 12.35 ms", "p99<250ms missed: 312 ms", "p99.9<1s missed: no value",
		"errors<0.1% missed: 0.4 %", "reply_rate>=295 held: 300/s", "max<2s missed: no value",
	}
	var got []string
	for _, j := range judged {
		got = append(got, j.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("judged %q, want %q", got, want)
	}
	document, err := json.Marshal(judged[1:3])
	if err != nil || string(document) != `[{"objective":"p99\u003c250ms","value":0.312,"held":false},{"objective":"p99.9\u003c1s","value":null,"held":false}]` {
		t.Errorf("written as %s: %v", document, err)
	}
	var again []Judged
	if err := json.Unmarshal(document, &again); err != nil || again[0].Objective != objectives[1] || again[1].Value != nil {
		t.Errorf("%s is read as %v: %v", document, again, err)
	}
	if err := json.Unmarshal([]byte(`{"objective":"p99"}`), new(Judged)); err == nil {
		t.Error("a damaged objective is read")
	}
}

func FuzzParseObjective(f *testing.F) {
	for _, m := range Metrics() {
		f.Add(m.example())
	}
	for _, text := range []string{"p99.9 <= 1 s", "errors<=0%", "mean<1m30.5s", "goodput>≥99%", "p99<250", "\xff<1s", "p90<10 0", "reply_rate>.5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseObjective(text)
		if err != nil {
			if o != (Objective{}) {
				t.Fatalf("%q is refused and yet read as %v", text, o)
			}
			return
		}
		if again, err := ParseObjective(o.String()); err != nil || again != o {
			t.Fatalf("%q is shown as %v and read as %#v: %v", text, o, again, err)
		}
		if o.Holds(o.Limit, true) != strings.HasSuffix(o.Comparison, "=") {
			t.Fatalf("%v of its own limit %v: %t", o, o.Limit, o.Holds(o.Limit, true))
		}
		good := o.Limit/2 + math.SmallestNonzeroFloat64
		if o.Metric.moreIsBetter() {
			good = o.Limit*2 + 1
		}
		if o.Limit != 0 && !o.Holds(good, true) {
			t.Fatalf("%v does not hold of %v", o, good)
		}
		document, err := json.Marshal(o)
		var again Objective
		if err != nil || json.Unmarshal(document, &again) != nil || again != o {
			t.Fatalf("%q is written as %s and read as %#v: %v", text, document, again, err)
		}
	})
}
