package plan

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Second, "0.25": 250 * time.Millisecond, "0": 0, ".5": 500 * time.Millisecond, "5.": 5 * time.Second,
		"250ms": 250 * time.Millisecond, "1m30s": 90 * time.Second, "1e3": 1000 * time.Second, "1e-3": time.Millisecond, "-2": -2 * time.Second,
		"0.1": 100 * time.Millisecond, "100000000.000000001": 100_000_000*time.Second + 1, "9223372036.854775807": math.MaxInt64,
	} {
		if got, err := ParseSeconds(text); err != nil || got.Std() != want {
			t.Errorf("%s is read as %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "s", "five", "5 s", " 5", "5x", "NaN", "inf", "-Inf", "0x10", "1_000", "1e", "--5", "1e10", "9223372036.854775808", "1e400", "300y", "."} {
		got, err := ParseSeconds(text)
		if err == nil {
			t.Errorf("%q is taken for %v", text, got)
		} else if !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("the error for %q does not name it: %v", text, err)
		}
	}
}

func TestSecondsInJSON(t *testing.T) {
	for want, s := range map[string]Seconds{
		"0": 0, "5": Seconds(5 * time.Second), "0.25": Seconds(250 * time.Millisecond), "-0.000000001": -1, "-1.5": Seconds(-1500 * time.Millisecond),
		"100000000.000000001":  Seconds(100_000_000*time.Second + 1),
		"9223372036.854775807": math.MaxInt64, "-9223372036.854775808": math.MinInt64,
	} {
		document, err := json.Marshal(s)
		if err != nil || string(document) != want {
			t.Errorf("%d ns is written as %s (%v), want %s", s, document, err, want)
		}
		var again Seconds
		if err := json.Unmarshal(document, &again); err != nil || again != s {
			t.Errorf("%s is read as %d ns (%v), want %d", document, again, err, s)
		}
	}
	kept := Seconds(7)
	if err := json.Unmarshal([]byte("null"), &kept); err != nil || kept != 7 {
		t.Errorf("null is read as %v: %v", kept, err)
	}
	for _, document := range []string{`"5"`, "1e10", "9223372036.854775808", "-1e300", "{}", "true"} {
		if err := json.Unmarshal([]byte(document), new(Seconds)); err == nil {
			t.Errorf("%s is taken for a span", document)
		}
	}
}

func FuzzParseSeconds(f *testing.F) {
	for _, text := range []string{"5", "0.25", "250ms", "1m30s", "1e-3", "-9223372036.854775808", "0x1p4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSeconds(text)
		if err != nil {
			return
		}
		if again, err := ParseSeconds(s.String()); err != nil || again != s {
			t.Fatalf("%q is shown as %v and read as %v: %v", text, s, again, err)
		}
		document, _ := json.Marshal(s)
		var again Seconds
		if err := json.Unmarshal(document, &again); err != nil || again != s {
			t.Fatalf("%q is written as %s and read as %v: %v", text, document, again, err)
		}
	})
}
