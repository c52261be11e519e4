package search

import (
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
)

func TestScaled(t *testing.T) {
	l := Thorough().Lengths.Scaled(seconds(6))
	want := Lengths{
		Ceiling: seconds(1), Sentinel: seconds(1), Ramp: seconds(1), Narrow: seconds(2), Decide: seconds(6), Overload: seconds(3),
	}
	if l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
	if same := Thorough().Lengths; same.Scaled(same.Decide) != same {
		t.Errorf("the same length changes %+v", same)
	}
	half := plan.Seconds(500 * time.Millisecond)
	for name, l := range map[string]Lengths{"thorough": Thorough().Lengths, "quick": Quick().Lengths} {
		for _, decide := range []plan.Seconds{1, half, seconds(1), seconds(3), seconds(100)} {
			if s := l.Scaled(decide); s.Decide != decide || longerThan(decide, s.Narrow, s.Ramp, s.Overload) || min(s.Narrow, s.Ramp, s.Sentinel, s.Overload, s.Ceiling) <= 0 {
				t.Errorf("%s, scaled to %v: %+v", name, decide, s)
			}
		}
	}
	if !longerThan(half, 1, seconds(1)) || longerThan(half, 1, half) {
		t.Error("a longer trial is not seen, or one of the same length is")
	}
	none := Lengths{Decide: seconds(60), Ramp: plan.Seconds(500 * time.Millisecond)}
	if s := none.Scaled(seconds(1)); s.Ceiling != 0 || s.Ramp != none.Ramp {
		t.Errorf("%+v: what was left out or short has grown", s)
	}
}

func longerThan(decide plan.Seconds, others ...plan.Seconds) bool {
	return slices.Max(others) > decide
}
