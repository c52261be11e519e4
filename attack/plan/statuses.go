package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Statuses is a set of response statuses, in the text form of --expect. The
// zero value stands for 200 to 399.
type Statuses struct {
	text   string
	ranges []statusRange
}

type statusRange struct{ low, high int }

var statusText = regexp.MustCompile(`^([0-9])([0-9]{2}|xx)(?:-([0-9]{3}))?$`)

// ParseStatuses reads a list such as 2xx,304 or 200-299,404. Errors name the item.
func ParseStatuses(text string) (Statuses, error) {
	s := Statuses{text: text}
	for item := range strings.SplitSeq(text, ",") {
		r, err := parseStatusRange(strings.TrimSpace(item))
		if err != nil {
			return Statuses{}, err
		}
		s.ranges = append(s.ranges, r)
	}
	return s, nil
}

func parseStatusRange(item string) (statusRange, error) {
	m := statusText.FindStringSubmatch(item)
	if m == nil || (m[2] == "xx" && m[3] != "") {
		return statusRange{}, fmt.Errorf("%q is not a status: want 200, 2xx or 200-299", item)
	}
	if m[2] == "xx" {
		low, _ := strconv.Atoi(m[1] + "00")
		return statusRange{low, low + 99}, nil
	}
	low, _ := strconv.Atoi(m[1] + m[2])
	high := low
	if m[3] != "" {
		high, _ = strconv.Atoi(m[3])
	}
	if high < low {
		return statusRange{}, fmt.Errorf("%q: the range runs backwards", item)
	}
	return statusRange{low, high}, nil
}

// Has says whether status belongs to the set.
func (s Statuses) Has(status int) bool {
	if len(s.ranges) == 0 {
		return status >= 200 && status < 400
	}
	for _, r := range s.ranges {
		if status >= r.low && status <= r.high {
			return true
		}
	}
	return false
}

// String is the list as given, or 200-399.
func (s Statuses) String() string {
	if s.text == "" {
		return "200-399"
	}
	return s.text
}

// MarshalText writes the list.
func (s Statuses) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the list.
func (s *Statuses) UnmarshalText(text []byte) error {
	parsed, err := ParseStatuses(string(text))
	*s = parsed
	return err
}
