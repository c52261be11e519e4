package search

import (
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
	none := Lengths{Decide: seconds(60), Ramp: plan.Seconds(500 * time.Millisecond)}
	if s := none.Scaled(seconds(1)); s.Ceiling != 0 || s.Ramp != none.Ramp {
		t.Errorf("%+v: what was left out or short has grown", s)
	}
}
