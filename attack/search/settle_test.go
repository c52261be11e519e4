package search

import (
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// A server of 500/s at 600/s for 60 s with a timeout of 1 s has 36 000 requests to
// work on, 72 s of them, and 61 s have passed.
func TestSettle(t *testing.T) {
	overload := func(sent, given uint64, best, elapsed record.Number) *record.Summary {
		return &record.Summary{
			Sent: sent, Elapsed: elapsed, Errors: record.Errors{ClientTimeout: given},
			ReplyRate: record.RateStats{Max: best},
		}
	}
	for name, c := range map[string]struct {
		s    *record.Summary
		want time.Duration
	}{
		"overload":             {overload(36_000, 33_000, 500, 61), 12 * time.Second},
		"nothing given up":     {overload(36_000, 0, 500, 61), time.Second},
		"worked off by now":    {overload(1000, 1, 500, 61), time.Second},
		"beyond the most":      {overload(1_000_000, 900_000, 500, 61), time.Minute},
		"no reply in a second": {overload(1000, 1000, 0, 15), time.Second},
		"shorter than one":     {overload(10, 10, record.Undefined(), 5), time.Second},
		"nothing sent":         {overload(0, 0, 0, 0), time.Second},
	} {
		if got := Settle(c.s); got != plan.Seconds(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	s := overload(100, 3, 50, 1)
	if s.Aborted = 2; LeftOver(s) != 5 {
		t.Errorf("%d left over, want 5", LeftOver(s))
	}
}
