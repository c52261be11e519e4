package record

import (
	"runtime"
	"testing"
	"time"
)

func TestUsage(t *testing.T) {
	before := usage{at: time.Now(), user: time.Second, system: time.Second, rssPeak: 1}
	after := func(wall, cpu time.Duration) usage {
		return usage{before.at.Add(wall), before.user + cpu/4, before.system + cpu - cpu/4, 2}
	}
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
		if c.CPU.Defined() && (c.CPUUser != Seconds(test.cpu/4) || c.CPUSystem != Seconds(test.cpu-test.cpu/4)) {
			t.Errorf("%v of CPU in %v: user %v, system %v", test.cpu, test.wall, c.CPUUser, c.CPUSystem)
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
	if usageKnown && (after.cpu() <= before.cpu() || after.rssPeak < 1<<20) || after.at.Before(before.at) {
		t.Errorf("%+v, then %+v", before, after)
	}
}

// TestAllowedCPUs: they are as many as the runtime counts.
func TestAllowedCPUs(t *testing.T) {
	cpus := allowedCPUs()
	if runtime.GOOS == "linux" && len(cpus) != runtime.NumCPU() {
		t.Errorf("cores %v, want %d", cpus, runtime.NumCPU())
	}
}
