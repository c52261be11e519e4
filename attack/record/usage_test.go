package record

import (
	"testing"
	"time"
)

func TestUsage(t *testing.T) {
	before := usage{at: time.Now(), cpu: time.Second, rssPeak: 1}
	after := func(wall, cpu time.Duration) usage { return usage{before.at.Add(wall), before.cpu + cpu, 2} }
	for _, test := range []struct {
		wall, cpu    time.Duration
		total, cores Number
	}{
		{2 * time.Second, 500 * time.Millisecond, 0.5, 0.25},
		{minUsageSpan, minUsageSpan * 2, 0.2, 2},
		{minUsageSpan - 1, time.Millisecond, 0.001, Undefined()}, // too short for a share
		{-time.Second, 0, Undefined(), Undefined()},              // the origin never came
	} {
		c := after(test.wall, test.cpu).client(before)
		if !usageKnown {
			test.total, test.cores = Undefined(), Undefined()
		}
		if !same(c.CPU, test.total) || !same(c.Cores, test.cores) || c.RSSPeak != 2 || c.Available < 1 {
			t.Errorf("%v of CPU in %v: %+v", test.cpu, test.wall, c)
		}
	}
}

// TestReadUsage: the counters run, and only forwards.
func TestReadUsage(t *testing.T) {
	before := readUsage()
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
	}
	after := readUsage()
	if usageKnown && (after.cpu <= before.cpu || after.rssPeak < 1<<20) || after.at.Before(before.at) {
		t.Errorf("%+v, then %+v", before, after)
	}
}
