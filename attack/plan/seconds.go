package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Seconds is a span of time that JSON shows as a number of seconds. The zero
// value is 0 s. Options read it with ParseSeconds.
type Seconds time.Duration

// Std is the span as a time.Duration.
func (s Seconds) Std() time.Duration { return time.Duration(s) }

// String is the span as Go writes durations: 1.5s, 250ms.
func (s Seconds) String() string { return time.Duration(s).String() }

// MarshalJSON writes the span in seconds with every nanosecond kept.
func (s Seconds) MarshalJSON() ([]byte, error) { return []byte(s.decimal()), nil }

// decimal is the span in seconds, exact and with no more digits than it needs.
// A float would lose nanoseconds beyond 104 days.
func (s Seconds) decimal() string {
	sign, ns := "", uint64(s)
	if s < 0 {
		sign, ns = "-", -ns
	}
	whole := sign + strconv.FormatUint(ns/1e9, 10)
	if ns%1e9 == 0 {
		return whole
	}
	return whole + "." + strings.TrimRight(fmt.Sprintf("%09d", ns%1e9), "0")
}

// UnmarshalJSON reads a number of seconds, to the nanosecond. null changes nothing.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var f float64 // only to learn that text is a number
	if err := json.Unmarshal(text, &f); err != nil || string(text) == "null" {
		return err
	}
	parsed, err := decimalSeconds(string(text))
	if err != nil {
		return err
	}
	*s = parsed
	return nil
}

// ParseSeconds reads a duration option: a Go duration (250ms, 5m30s) or a bare
// decimal number, which means seconds as in httperf. Errors name the text.
func ParseSeconds(text string) (Seconds, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return Seconds(d), nil
	}
	if !secondsText.MatchString(text) {
		return 0, fmt.Errorf("%q is not a duration: want seconds (5, 0.25) or a unit (250ms, 1m30s)", text)
	}
	return decimalSeconds(text)
}

// secondsText keeps out what strconv reads beside plain decimals: 0x10, inf, 1_000.
var secondsText = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// decimalSeconds reads a decimal number of seconds. A plain decimal is a Go
// duration once a unit is added, and so exact; one with an exponent is rounded.
func decimalSeconds(text string) (Seconds, error) {
	if d, err := time.ParseDuration(text + "s"); err == nil {
		return Seconds(d), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) >= math.MaxInt64/1e9 {
		return 0, fmt.Errorf("%q: longer than 292 years", text)
	}
	return Seconds(math.Round(f * 1e9)), nil
}
