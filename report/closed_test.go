package report

import (
	"strings"
	"testing"
)

// A closed loop offers nothing: no page and no picture of one, alone or beside
// others, says what was offered or due, and all say what such figures hide.
func TestClosedLoopOffersNothing(t *testing.T) {
	closed, steady := loadRun(t, "closed"), loadRun(t, "steady")
	both := []Labelled[*Document]{{"closed.json", closed}, {"steady.json", steady}}
	alone := output(t, WriteHTML, closed)
	for _, text := range []string{alone, output(t, WriteSVG, closed)} {
		for _, wrong := range []string{"offered", ">due<", "no more due", "NaN", " 0/s"} {
			if strings.Contains(text, wrong) {
				t.Errorf("says %q", wrong)
			}
		}
		if !strings.Contains(text, ">started<") {
			t.Error("does not say what was started")
		}
	}
	for _, text := range []string{alone, output(t, paged(runsPage), both)} {
		if n := strings.Count(text, whatItHides); n != 1 {
			t.Errorf("says %d times what a closed loop hides, want once", n)
		}
	}
	if strings.Contains(output(t, WriteHTML, steady), whatItHides) || !strings.Contains(output(t, WriteSVG, steady), ">due<") {
		t.Error("an open loop is taken for a closed one")
	}
}
