package record

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestNumberJSON(t *testing.T) {
	for text, n := range map[string]Number{
		"0": 0, "0.05005": 0.05005, "300": 300, "0.000000001": 1e-9, "-0.5": -0.5, "1000000000000": 1e12,
		"null": Undefined(),
	} {
		got, err := json.Marshal(n)
		if err != nil || string(got) != text {
			t.Errorf("%v is written %s, want %s (%v)", float64(n), got, text, err)
		}
		back := Number(77)
		if err := json.Unmarshal([]byte(text), &back); err != nil || !same(back, n) {
			t.Errorf("%s is read as %v, want %v (%v)", text, float64(back), float64(n), err)
		}
	}
	for _, n := range []Number{Number(math.Inf(1)), Number(math.Inf(-1)), Ratio(1, 0)} {
		if got, err := json.Marshal(n); err != nil || string(got) != "null" {
			t.Errorf("%v is written %s (%v)", float64(n), got, err)
		}
	}
	if err := json.Unmarshal([]byte(`"fast"`), new(Number)); err == nil {
		t.Error("a word is read as a number")
	}
}

// TestSeconds: a span is the float that prints as its decimals.
func TestSeconds(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"1.234567891": 1_234_567_891, "0.000000001": 1, "3599.999999999": time.Hour - 1,
		"86400.123456789": 24*time.Hour + 123_456_789, "-0.001": -time.Millisecond,
	} {
		if got, _ := json.Marshal(Seconds(d)); string(got) != text {
			t.Errorf("%d ns is written %s, want %s", d, got, text)
		}
	}
}
