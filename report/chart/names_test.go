package chart

import (
	"strings"
	"testing"
)

// Names are labels from the top downwards, one for each place.
func TestNames(t *testing.T) {
	axis := Names([]string{"first", "second", "third"})
	axis.spread(1, 1, true)
	if axis.Min != 0.5 || axis.Max != 3.5 {
		t.Errorf("from %v to %v, want 0.5 to 3.5", axis.Min, axis.Max)
	}
	var texts []string
	for i, tick := range axis.ticks(axis.Min, axis.Max, 1) {
		texts = append(texts, tick.Label)
		if want := float64(3 - i); tick.Value != want {
			t.Errorf("%s lies at %v, want %v", tick.Label, tick.Value, want)
		}
	}
	if got := strings.Join(texts, " "); got != "first second third" {
		t.Error(got)
	}
}
