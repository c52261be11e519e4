package report

import (
	"math"
	"testing"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// A trial in which nothing answered counts, as the worst that there is: left out, a
// server that is often dead would be ranked by its good days.
func TestDeadTrialsCount(t *testing.T) {
	u := record.Undefined()
	d := &Document{Plan: plan.New(), Verdict: record.Verdict{Status: record.Suspect}}
	d.Summary.Planned, d.Summary.Errors.Total = 100, 100
	d.Summary.Time.ResponseAll = record.Stats{Count: 100, Mean: u, P50: u, P99: u}
	trial := &CompareTrial{Run: d}
	if why := trial.lost(); why != "" {
		t.Fatalf("it is left out: %s", why)
	}
	inf := math.Inf(1)
	want := map[string]float64{
		"reply_rate": 0, "goodput": 0, "response_p50": inf, "response_mean": inf, "response_p99": inf, "errors": 1, "client_timeouts": 0,
	}
	for _, m := range compareMetrics() {
		w, known := want[m.key]
		if got := m.value(d); known && got != w || !known && !math.IsNaN(got) {
			t.Errorf("%s: %v, want %v", m.key, got, w)
		}
	}
}

// The greatest value decides whether a share is never anything but 0.
func TestShareOfOneBadTrial(t *testing.T) {
	m := metricOf("errors")
	for want, values := range map[string][]float64{
		"–": {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "≤ 95.0 %": {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.95},
	} {
		r := newResult(&m, "", "", values)
		if got := shareCell(&r); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}

// Runs of different loads are no repeats of each other, and a note says that they differ.
func TestSavedLoadsDiffer(t *testing.T) {
	var all []*Document
	var names []string
	for i, concurrency := range []int{10, 100, 10} {
		d := loadRun(t, "steady")
		d.Plan.Rate, d.Plan.Concurrency = plan.Rate{}, concurrency
		all, names = append(all, d), append(names, string(rune('a'+i))+".json")
	}
	c, err := CompareSaved(all, names)
	if err != nil || len(c.Sides) != 2 || len(c.Sides[0].Runs) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	notes := c.notes()
	if last := notes[len(notes)-2]; last != "the loads are not the same: what differs may be their doing" {
		t.Errorf("%q", notes)
	}
}
