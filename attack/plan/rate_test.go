package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

// rates are what the properties of due times are held for.
var rates = []string{"300", "0.5", "30/m", "2.5/s", "1/m", "333", "700000", "90/h", "123.456789", "1000000000", "0.000001"}

func mustRate(t testing.TB, text string) Rate {
	t.Helper()
	r, err := ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exactRate reads text by another way than ParseRate: as a fraction of requests
// per nanosecond.
func exactRate(t testing.TB, text string) *big.Rat {
	t.Helper()
	number, unit, _ := strings.Cut(text, "/")
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		t.Fatalf("%q is not a fraction", text)
	}
	ns := map[string]int64{"": 1e9, "s": 1e9, "m": 60e9, "h": 3600e9}[unit]
	return r.Quo(r, big.NewRat(ns, 1))
}

// floorDiv and ceilDiv are x rounded to a whole number, and at most limit.
func floorDiv(x *big.Rat, limit uint64) uint64 {
	q := new(big.Int).Div(x.Num(), x.Denom())
	return atMost(q, limit)
}

func ceilDiv(x *big.Rat, limit uint64) uint64 {
	q, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return atMost(q, limit)
}

func atMost(q *big.Int, limit uint64) uint64 {
	if !q.IsUint64() || q.Uint64() > limit {
		return limit
	}
	return q.Uint64()
}

func ratOf(n uint64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).SetUint64(n)) }

func TestDueTimesAreExact(t *testing.T) {
	numbers := []uint64{0, 1, 2, 3, 7, 299, 300, 40_000, 1e9, 1e9 + 1, 123_456_789_012, 1e15, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64, math.MaxUint64}
	for _, text := range rates {
		rate, perNs := mustRate(t, text), exactRate(t, text)
		for _, n := range numbers {
			want := time.Duration(floorDiv(new(big.Rat).Quo(ratOf(n), perNs), math.MaxInt64))
			if got := rate.At(n); got != want {
				t.Errorf("%s: request %d is due at %d ns, want %d", text, n, got, want)
			}
		}
	}
}

func TestRequestsDueBefore(t *testing.T) {
	spans := []time.Duration{-1, 0, 1, 999, time.Millisecond, time.Second - 1, time.Second, time.Second + 1, 2500 * time.Millisecond,
		time.Minute, time.Hour, 1e6 * time.Hour, math.MaxInt64}
	for _, text := range rates {
		rate, perNs := mustRate(t, text), exactRate(t, text)
		for _, d := range spans {
			want := ceilDiv(new(big.Rat).Mul(ratOf(uint64(max(d, 0))), perNs), math.MaxUint64)
			if got := rate.Before(d); got != want {
				t.Errorf("%s: %d requests are due before %v, want %d", text, got, d, want)
			}
		}
	}
}

func TestParseRate(t *testing.T) {
	for _, c := range []struct {
		text      string
		perSecond float64
		interval  time.Duration // of the first two requests
	}{
		{"300", 300, 3_333_333},
		{"0.5", 0.5, 2 * time.Second},
		{"30/m", 0.5, 2 * time.Second},
		{"2.5/s", 2.5, 400 * time.Millisecond},
		{"1/m", 1.0 / 60, time.Minute},
		{"3600/h", 1, time.Second},
		{"1000000000", 1e9, 1},
		{"0.000001", 1e-6, 1e6 * time.Second},
		{"123456.789012", 123456.789012, 8100},
	} {
		rate, err := ParseRate(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if rate.PerSecond() != c.perSecond || rate.At(1) != c.interval {
			t.Errorf("%s: %v/s with %v between requests, want %v/s and %v", c.text, rate, rate.At(1), c.perSecond, c.interval)
		}
	}
}

func TestParseRateRefuses(t *testing.T) {
	for _, text := range []string{
		"", "0", "0/m", "-1", "+1", "1e3", "1e-9", "0.0000001", "0.0035/h", "3000000000", "1000000000.000001", "NaN", "inf", "0x10",
		"300/", "300/d", "300/s/s", "300 /s", " 300", "300\n", ".5", "5.", "1,5", "99999999999", "٣",
	} {
		rate, err := ParseRate(text)
		if err == nil {
			t.Errorf("%q is taken for %v/s", text, rate)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("the error for %q does not name it: %v", text, err)
		}
	}
}

func TestRateInJSON(t *testing.T) {
	for _, text := range rates {
		rate := mustRate(t, text)
		document, err := json.Marshal(rate)
		if err != nil {
			t.Fatal(err)
		}
		var again Rate
		if err := json.Unmarshal(document, &again); err != nil || again != rate {
			t.Errorf("%s is written as %s and read as %v: %v", text, document, again, err)
		}
	}
	for document, want := range map[string]Rate{"0": {}, "null": {}, "1.2345678901": mustRate(t, "1.234568")} {
		got := mustRate(t, "7")
		if err := json.Unmarshal([]byte(document), &got); err != nil || got != want {
			t.Errorf("%s is read as %v (%v), want %v", document, got, err, want)
		}
	}
	for _, document := range []string{"-1", "1e300", "1e-9", `"300"`, "{}"} {
		if err := json.Unmarshal([]byte(document), new(Rate)); err == nil {
			t.Errorf("%s is taken for a rate", document)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, text := range rates {
		f.Add(text)
	}
	f.Add("9999999999.999999/m")
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := ParseRate(text)
		if err != nil {
			return
		}
		perSecond := rate.PerSecond()
		if perSecond < MinRate || perSecond > MaxRate {
			t.Fatalf("%q: %v/s is out of range", text, perSecond)
		}
		if rate.At(0) != 0 || rate.At(1) < 1 || rate.At(math.MaxUint64) != math.MaxInt64 {
			t.Fatalf("%q: due at %d, %d … %d ns", text, rate.At(0), rate.At(1), rate.At(math.MaxUint64))
		}
		if n := rate.Before(rate.At(1000)); n < 1000 || n > 1001 {
			t.Fatalf("%q: %d requests are due before request 1000", text, n)
		}
		document, _ := json.Marshal(rate)
		var again Rate
		// Sixteen digits are more than a float holds, so that the last ones may change.
		if err := json.Unmarshal(document, &again); err != nil || math.Abs(again.PerSecond()-perSecond) > 1e-14*perSecond {
			t.Fatalf("%q is written as %s and read as %v: %v", text, document, again, err)
		}
	})
}

func ExampleParseRate() {
	rate, err := ParseRate("30/m")
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range uint64(5) {
		fmt.Print(rate.At(n), " ")
	}
	fmt.Println(rate, "requests a second")
	// Output: 0s 2s 4s 6s 8s 0.5 requests a second
}
