package record

import (
	"testing"

	"ratebench/attack/plan"
)

// ramped are n seconds of a ramp of 10/s more each, with so many in flight.
func ramped(inFlight ...uint64) ([]Interval, *Summary) {
	var all []Interval
	for i, n := range inFlight {
		all = append(all, Interval{Due: uint64(100 + 10*i), InFlight: n})
	}
	return all, &Summary{ReplyRate: RateStats{Samples: len(inFlight)}}
}

func TestKnee(t *testing.T) {
	up, down := mustRamp(t, "100..400"), mustRamp(t, "400..100")
	for name, c := range map[string]struct {
		ramp     *plan.Ramp
		inFlight []uint64
		rate     Number // 0: no knee
	}{
		"at ease":        {up, []uint64{1, 2, 1, 2, 3, 2, 3, 4, 3}, 0},
		"a knee":         {up, []uint64{1, 2, 1, 2, 3, 30, 60, 90, 120}, 140},
		"a spike":        {up, []uint64{1, 2, 90, 80, 2, 1, 2, 2, 3}, 0},
		"a late stall":   {up, []uint64{1, 2, 1, 2, 3, 2, 3, 90, 120}, 0},
		"spike and knee": {up, []uint64{1, 2, 90, 2, 3, 30, 60, 90, 120}, 140},
		"too short":      {up, []uint64{1, 2, 30, 60, 90}, 0},
		"down":           {down, []uint64{1, 2, 1, 2, 3, 30, 60, 90, 120}, 0},
	} {
		all, s := ramped(c.inFlight...)
		f := knee(c.ramp, all, s)
		if (f != nil) != (c.rate > 0) || f != nil && (f.Value != c.rate || f.Status != Valid) {
			t.Errorf("%s: %+v, want %v", name, f, c.rate)
		}
	}
}

func mustRamp(t *testing.T, text string) *plan.Ramp {
	t.Helper()
	r, err := plan.ParseRamp(text)
	if err != nil {
		t.Fatal(err)
	}
	return &r
}
