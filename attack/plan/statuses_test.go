package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// members are the statuses of a set from 0 to 999, as ranges.
func members(s Statuses) string {
	var ranges []string
	for status := 0; status < 1000; status++ {
		if !s.Has(status) {
			continue
		}
		low := status
		for s.Has(status + 1) {
			status++
		}
		ranges = append(ranges, fmt.Sprintf("%d-%d", low, status))
	}
	return strings.Join(ranges, " ")
}

func TestParseStatuses(t *testing.T) {
	if got := members(Statuses{}); got != "200-399" {
		t.Errorf("the zero value holds %s, want 200-399", got)
	}
	for text, want := range map[string]string{
		"200": "200-200", "2xx": "200-299", "2xx,304": "200-299 304-304", "200-299, 404": "200-299 404-404",
		"0xx": "0-99", "9xx": "900-999", "000-999": "0-999", "200,200": "200-200", "3xx,2xx": "200-399",
	} {
		s, err := ParseStatuses(text)
		if err != nil || members(s) != want || s.String() != text {
			t.Errorf("%s is %s (%v), shown as %s, want %s", text, members(s), err, s, want)
		}
	}
	for text, item := range map[string]string{
		"": "", "2xx,": "", "20": "20", "2000": "2000", "2x": "2x", "2XX": "2XX", "xx2": "xx2", "299-200": "299-200",
		"2xx-3xx": "2xx-3xx", "200-": "200-", "-200": "-200", "200;404": "200;404", "200,ok": "ok", "200-2xx": "200-2xx",
	} {
		s, err := ParseStatuses(text)
		if err == nil {
			t.Errorf("%q is taken for %s", text, members(s))
		} else if !strings.Contains(err.Error(), `"`+item+`"`) {
			t.Errorf("the error for %q does not name %q: %v", text, item, err)
		}
	}
}

func FuzzParseStatuses(f *testing.F) {
	for _, text := range []string{"200", "2xx,304", "200-299, 404", "", "2xx-3xx"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseStatuses(text)
		if err != nil {
			return
		}
		document, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again Statuses
		if err := json.Unmarshal(document, &again); err != nil || members(again) != members(s) {
			t.Fatalf("%q is written as %s and read as %s: %v", text, document, members(again), err)
		}
	})
}
