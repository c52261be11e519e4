package sampler

import (
	"fmt"
	"testing"
)

// at is a snapshot of the processes given.
func at(processes ...procStat) snapshot {
	s := make(snapshot)
	for _, p := range processes {
		s[p.pid] = p
	}
	return s
}

// proc is a process of one thread that has used so many ticks itself, and by
// children that it waited for. Half of each, rounded up, is in user mode.
func proc(pid, parent int32, start uint64, own, children int64) procStat {
	split := func(n int64) ticks { return ticks{n - n/2, n / 2} }
	return procStat{pid: pid, parent: parent, start: start, state: 'S', threads: 1, own: split(own), children: split(children)}
}

// steps advances a tree, whose root is process 10, over snapshots and returns its
// ticks after each.
func steps(t *tree, settled bool, snapshots ...snapshot) []int64 {
	var cpu []int64
	for _, s := range snapshots {
		t.advance(s, t.extent(s, []int32{10}), settled)
		cpu = append(cpu, t.cpu)
	}
	return cpu
}

func TestTreeCountsOnce(t *testing.T) {
	init := proc(1, 0, 1, 5000, 9000)
	tests := []struct {
		name    string
		settled bool
		in      []snapshot
		want    []int64
	}{
		{"RC-070: a busy child ends and is waited for", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0)),
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 990, 0)),
			at(init, proc(10, 1, 100, 1, 1000)),
			at(init, proc(10, 1, 100, 2, 1000)),
		}, []int64{0, 990, 1001, 1002}},
		{"what was used before the first snapshot does not count, then or when its process is waited for", true, []snapshot{
			at(init, proc(10, 1, 100, 70, 30), proc(11, 10, 101, 400, 0)),
			at(init, proc(10, 1, 100, 75, 430)),
		}, []int64{0, 5}},
		{"children that nobody saw", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0)),
			at(init, proc(10, 1, 100, 2, 60)),
		}, []int64{0, 62}},
		{"a child whose parent ignores SIGCHLD stays on the ledger", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 200, 50, 0)),
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 200, 80, 0)),
			at(init, proc(10, 1, 100, 3, 0)),
			at(init, proc(10, 1, 100, 4, 0)),
		}, []int64{0, 30, 33, 34}},
		{"a daemon's child is handed to init, stays a member and ends there", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0), proc(12, 11, 102, 4, 0)),
			at(init, proc(10, 1, 100, 0, 2), proc(12, 1, 102, 24, 0)),
			at(init, proc(10, 1, 100, 1, 2)),
		}, []int64{0, 22, 23}},
		{"a whole branch ends and its top is waited for", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0), proc(12, 11, 102, 0, 0)),
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 10, 0), proc(12, 11, 102, 20, 0)),
			at(init, proc(10, 1, 100, 0, 32)),
		}, []int64{0, 30, 32}},
		{"the root ends and its children live on", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0)),
			at(init, proc(10, 1, 100, 6, 0), proc(11, 10, 101, 7, 0)),
			at(proc(1, 0, 1, 5000, 9006), proc(11, 1, 101, 9, 0)),
			at(proc(1, 0, 1, 5000, 9015)),
			at(proc(1, 0, 1, 5000, 9015)),
		}, []int64{0, 13, 15, 15, 15}},
		{"born later counts whole, a parent that takes it in is no stranger", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(20, 1, 50, 800, 0)),
			at(init, proc(10, 1, 100, 0, 0), proc(20, 1, 50, 900, 0), proc(12, 10, 300, 8, 1)),
		}, []int64{0, 9}},
		{"RC-068: the number of a member is another's now, which used less", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 500, 0)),
			at(init, proc(10, 1, 100, 0, 700), proc(11, 1, 400, 3, 0)),
			at(init, proc(10, 1, 100, 0, 700), proc(11, 1, 400, 90, 0)),
		}, []int64{0, 200, 200}},
		{"and is a member's again", true, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 500, 0)),
			at(init, proc(10, 1, 100, 0, 700), proc(11, 10, 400, 3, 0)),
		}, []int64{0, 203}},
		{"torn: the parent was read before it waited for the child", false, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0)),
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 90, 0)),
			at(init, proc(10, 1, 100, 0, 0)),
			at(init, proc(10, 1, 100, 0, 95)),
			at(init, proc(10, 1, 100, 0, 99)),
		}, []int64{0, 90, 90, 95, 99}},
		{"torn: the child was read before it ended, the parent after", false, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0)),
			at(init, proc(10, 1, 100, 0, 95), proc(11, 10, 101, 90, 0)),
			at(init, proc(10, 1, 100, 2, 95)),
			at(init, proc(10, 1, 100, 100, 95)),
		}, []int64{0, 185, 185, 195}},
		{"a circle, as a broken copy may have, is nobody's", false, []snapshot{
			at(init, proc(10, 1, 100, 0, 0), proc(30, 31, 1, 7, 0), proc(31, 30, 1, 7, 0), proc(32, 30, 1, 7, 0)),
			at(init, proc(10, 10, 100, 1, 0), proc(30, 31, 1, 9, 0), proc(31, 30, 1, 9, 0)),
			at(init, proc(30, 31, 1, 9, 0), proc(31, 30, 1, 9, 0)),
		}, []int64{0, 1, 1}},
	}
	for _, test := range tests {
		if got := steps(new(tree), test.settled, test.in...); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s:\n got %v\nwant %v", test.name, got, test.want)
		}
	}
}

// The comparison above would see a child counted twice: here it is, by a parent
// that the tree does not know to be one.
func TestTreeCountsTwiceWhereItMay(t *testing.T) {
	got := steps(new(tree), true,
		at(proc(10, 1, 100, 0, 0), proc(11, 10, 101, 0, 0)),
		at(proc(10, 1, 100, 0, 50), proc(11, 10, 101, 50, 0)))
	if fmt.Sprint(got) != "[0 100]" {
		t.Errorf("%v: want 100 ticks, of a child and of its like that was waited for", got)
	}
}

func TestTreeInDeepBranches(t *testing.T) {
	s := at(proc(10, 1, 100, 0, 0))
	for pid := int32(11); pid < 500; pid++ {
		s[pid] = proc(pid, pid-1, 101, 0, 0)
	}
	if got := len(new(tree).extent(s, []int32{10})); got != 490 {
		t.Errorf("%d members, want 490", got)
	}
}

func TestTreeKnowsItsWorkers(t *testing.T) {
	worker := proc(11, 10, 101, 0, 0)
	worker.threads = 4
	other, idle := proc(12, 10, 101, 0, 0), worker
	other.comm, idle.pid = [16]byte{'c', 'a', 'c', 'h', 'e'}, 13
	tr := new(tree)
	steps(tr, true, at(proc(10, 1, 100, 9, 9), worker, other))
	worker.own = ticks{300, 100}
	steps(tr, true, at(proc(10, 1, 100, 12, 9), worker, other))
	c := tr.counters(usualTick)
	if c.Parallel != 4 || c.Threads != 6 || c.Processes != 3 || tr.pairs() != 2 {
		t.Errorf("%+v with %d pairs: want 4 threads of 6 in 3 processes to have worked, 2 pairs", c, tr.pairs())
	}
	steps(tr, true, at(proc(10, 1, 100, 12, 9), worker, other, idle))
	if c := tr.counters(usualTick); c.Parallel != 8 {
		t.Errorf("%d threads, want 8: a worker's sibling can work too", c.Parallel)
	}
}

// Of workers that hardly work, chance has it who is seen to: the threads that can
// work are the same whoever that is.
func TestTreeWorkersByChance(t *testing.T) {
	for name, c := range map[string]struct {
		used [4]int64 // by the master and three workers
		want int
	}{
		"nothing": {[4]int64{}, 4}, "a tick": {[4]int64{0, 1, 0, 0}, 4}, "another's": {[4]int64{0, 0, 0, 1}, 4},
		"the master's": {[4]int64{1, 0, 0, 0}, 4}, "two": {[4]int64{0, 2, 0, 0}, 4}, "some": {[4]int64{0, 19, 0, 0}, 4},
		"all of one": {[4]int64{0, 30, 0, 0}, 3}, "of all": {[4]int64{1, 10, 11, 9}, 3}, "of one and the master": {[4]int64{1, 300, 0, 0}, 3},
	} {
		tr, end := new(tree), at(proc(10, 1, 100, c.used[0], 0))
		start := at(proc(10, 1, 100, 0, 0))
		for n := range int32(3) {
			start[11+n], end[11+n] = proc(11+n, 10, 101, 0, 0), proc(11+n, 10, 101, c.used[1+n], 0)
		}
		for _, s := range []snapshot{start, end} {
			for pid, p := range s {
				if pid > 10 {
					p.comm[0] = 'w'
					s[pid] = p
				}
			}
		}
		steps(tr, true, start, end)
		if got := tr.parallel(); got != c.want {
			t.Errorf("%s: %d threads, want %d", name, got, c.want)
		}
	}
	tr, start, end := new(tree), at(), at()
	for n := range int32(40) { // a pool of which each did a tick's work
		start[10+n], end[10+n] = proc(10+n, 1, 100, 0, 0), proc(10+n, 1, 100, 1, 0)
	}
	for _, s := range []snapshot{start, end} {
		tr.advance(s, map[int32]bool{}, true)
		extent := make(map[int32]bool)
		for pid := range s {
			extent[pid] = true
		}
		tr.advance(s, extent, true)
	}
	if got := tr.parallel(); got != 40 {
		t.Errorf("%d threads of a pool of 40", got)
	}
}

func TestTreePrecision(t *testing.T) {
	for pairs, want := range map[int]string{0: "18ms", 1: "18ms", 4: "36ms"} {
		if got := treePrecision(pairs, usualTick).String(); got != want {
			t.Errorf("%d pairs: %s, want %s", pairs, got, want)
		}
	}
}

// A process has run, or may have, if the switches of its only thread grew, or if it
// has others, of which nothing is read.
func TestMemberHasRun(t *testing.T) {
	for _, test := range []struct {
		threads  uint64
		before   bool
		switches []uint64
		want     bool
	}{
		{1, true, []uint64{7, 7, 7}, false},
		{1, true, []uint64{7, 7, 8}, true},
		{1, true, []uint64{0, 7, 7}, false},
		{1, false, []uint64{7}, true},
		{1, false, []uint64{0, 0}, false},
		{2, true, []uint64{7, 7}, true},
	} {
		m := &member{procStat: procStat{threads: test.threads}}
		for _, n := range test.switches {
			m.ran(n, test.before)
		}
		if m.switched != test.want {
			t.Errorf("%+v: has run %v", test, m.switched)
		}
	}
}
