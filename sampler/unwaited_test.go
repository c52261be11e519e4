package sampler

import (
	"testing"
	"time"
)

func TestStatusOfOneThatWaitsForNoChild(t *testing.T) {
	for text, want := range map[string]bool{
		"SigIgn:\t0000000000010000\n": true, "SigIgn:\t0000000180011000\n": true,
		"SigIgn:\t0000000000008000\n": false, "SigIgn:\t0000000000020000\n": false, "SigIgn:\tx\n": false, "": false,
	} {
		if s := parseStatus([]byte("Name:\tx\n" + text)); s.deserts != want {
			t.Errorf("%q: %v", text, s.deserts)
		}
	}
}

// CPU is missing where it was seen to go, and where a process lets it go and the
// host starts more processes than it does of itself; never from a cgroup's figure.
func TestUnwaited(t *testing.T) {
	for name, c := range map[string]struct {
		deserts  bool
		lost     int
		forks    uint64
		isCgroup bool
		want     bool
	}{
		"nothing":                {forks: 10_000},
		"seen":                   {lost: 1, want: true},
		"ignored, many forks":    {deserts: true, forks: 101, want: true},
		"ignored, few forks":     {deserts: true, forks: 100},
		"the host was restarted": {deserts: true, forks: 1<<64 - 500},
		"a cgroup":               {deserts: true, lost: 1, forks: 10_000, isCgroup: true},
	} {
		one := group{deserts: c.deserts, tree: tree{lost: c.lost}, began: &beginning{uptime: time.Minute, forks: 500, isCgroup: c.isCgroup}}
		r := &Reading{Uptime: time.Minute + 20*time.Second, Host: HostCounters{Forks: 500 + c.forks}}
		if got := one.unwaited(r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
