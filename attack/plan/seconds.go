package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads a number of seconds.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if math.Abs(f) > math.MaxInt64/1e9 {
		return fmt.Errorf("%v s is out of range", f)
	}
	*s = Seconds(math.Round(f * 1e9))
	return nil
}

// ParseSeconds reads a duration option: a Go duration (250ms, 5m30s) or a bare
// number, which means seconds as in httperf. Errors name the text.
func ParseSeconds(text string) (Seconds, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return Seconds(d), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) {
		return 0, fmt.Errorf("%q is not a duration: want seconds (5, 0.25) or a unit (250ms, 1m30s)", text)
	}
	if math.Abs(f) >= math.MaxInt64/1e9 {
		return 0, fmt.Errorf("%q: longer than 292 years", text)
	}
	return Seconds(math.Round(f * 1e9)), nil
}
