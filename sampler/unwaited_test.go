package sampler

import (
	"fmt"
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
		one := group{deserts: c.deserts, tree: tree{unwaited: c.lost}, began: &beginning{uptime: time.Minute, host: HostCounters{Forks: 500}, isCgroup: c.isCgroup}}
		r := &Reading{Uptime: time.Minute + 20*time.Second, Host: HostCounters{Forks: 500 + c.forks}}
		if got := one.unwaited(r); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What was seen to end is told apart: a child that nobody waited for, the end of what
// was selected, and a child that a torn snapshot only shows to be waited for later.
func TestTreeSeesWhoIsNotWaitedFor(t *testing.T) {
	root, child := proc(10, 1, 100, 0, 0), proc(11, 10, 200, 50, 0)
	for name, c := range map[string]struct {
		settled        bool
		then           []snapshot
		lost, unwaited int
	}{
		"waited for":             {true, []snapshot{at(proc(10, 1, 100, 0, 50))}, 0, 0},
		"SIGCHLD ignored":        {true, []snapshot{at(root)}, 1, 1},
		"left to init":           {true, []snapshot{at(root, proc(11, 1, 200, 60, 0)), at(root)}, 1, 1},
		"all are killed":         {true, []snapshot{at()}, 1, 0},
		"torn, waited for later": {false, []snapshot{at(root), at(proc(10, 1, 100, 0, 50))}, 0, 0},
		"torn, in part":          {false, []snapshot{at(root), at(proc(10, 1, 100, 0, 20))}, 1, 1},
		"torn, SIGCHLD ignored":  {false, []snapshot{at(root), at(root)}, 1, 1},
	} {
		tr := new(tree)
		steps(tr, c.settled, append([]snapshot{at(root), at(root, child)}, c.then...)...)
		if tr.lost != c.lost || tr.unwaited != c.unwaited {
			t.Errorf("%s: %d lost, %d of them unwaited for; want %d and %d", name, tr.lost, tr.unwaited, c.lost, c.unwaited)
		}
	}
}

// A torn snapshot after another, with a child each that the parent is read too early
// for: each counts once.
func TestTreeTornTwice(t *testing.T) {
	tr := new(tree)
	got := steps(tr, false,
		at(proc(10, 1, 100, 0, 0)),
		at(proc(10, 1, 100, 0, 0), proc(11, 10, 200, 10, 0), proc(12, 10, 200, 20, 0)),
		at(proc(10, 1, 100, 0, 0), proc(12, 10, 200, 20, 0)),
		at(proc(10, 1, 100, 0, 10)),
		at(proc(10, 1, 100, 0, 30)))
	if fmt.Sprint(got) != "[0 30 30 30 30]" || tr.unwaited != 0 {
		t.Errorf("%v with %d unwaited for, want 30 ticks throughout", got, tr.unwaited)
	}
}

// What nobody waits for may be all that the host was busy with besides the group and
// the client, and the precision says so.
func TestUnwaitedIsNotPrecise(t *testing.T) {
	g := &groups{host: HostInfo{Tick: usualTick}}
	one := &group{began: &beginning{host: HostCounters{Busy: time.Second}}}
	r := &Reading{Host: HostCounters{Busy: 6 * time.Second}}
	if got := g.missing(one, &view{proc: "/nosuch"}, 2*time.Second, r); got != 3*time.Second {
		t.Errorf("%v may be missing, want 3 s", got)
	}
	if got := g.missing(one, &view{proc: "/nosuch"}, 9*time.Second, r); got != 0 {
		t.Errorf("%v may be missing of a group that used more than the host", got)
	}
}
