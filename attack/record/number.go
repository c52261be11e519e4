package record

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Number is a figure that may be undefined: NaN inside the program, null in
// JSON. Infinities are written as null too.
type Number float64

// Undefined is the Number that has no value.
func Undefined() Number { return Number(math.NaN()) }

// Seconds is a span as the Number of seconds nearest to it. (Duration.Seconds adds
// two rounded parts and may miss it.)
func Seconds(d time.Duration) Number { return Number(float64(d) / 1e9) }

// Ratio is part/whole, undefined when whole is 0.
func Ratio(part, whole float64) Number {
	if whole == 0 {
		return Undefined()
	}
	return Number(part / whole)
}

// Defined says whether n has a value.
func (n Number) Defined() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON writes the shortest decimal that reads back the same, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Defined() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'f', -1, 64), nil
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Undefined()
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
