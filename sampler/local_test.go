package sampler

import (
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"
)

// pinnedHere is the processes that a selection finds on this machine.
func pinnedHere(t *testing.T, s Selection) []int32 {
	t.Helper()
	g := newGroups(&Config{Selections: []Selection{s}, Optional: true})
	v, err := newLocal().fetch(t.Context(), g.first())
	if err == nil {
		_, _, err = g.find(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	var pids []int32
	for _, one := range g.list {
		for _, i := range one.pinned {
			pids = append(pids, i.pid)
		}
	}
	return pids
}

func TestLocalFindsByPort(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("not proven on this machine: %v", err)
			continue
		}
		defer l.Close()
		port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		if got := pinnedHere(t, Selection{ByPort, port}); fmt.Sprint(got) != fmt.Sprint([]int{os.Getpid()}) {
			t.Errorf("%s: processes %v, want %d", l.Addr(), got, os.Getpid())
		}
	}
}

// Neither this process nor its children are what a name may mean; by number they
// can be chosen.
func TestLocalLeavesItselfOut(t *testing.T) {
	b := startBurner(t)
	b.burn("fixed", 0)
	p, ok := new(files).stat(realProc, int32(os.Getpid()))
	if !ok {
		t.Fatal("no own process")
	}
	got := pinnedHere(t, Selection{ByName, string(p.name())})
	if slices.Contains(got, p.pid) || slices.Contains(got, int32(b.pid)) {
		t.Errorf("by name: %v holds %d or its child %d", got, p.pid, b.pid)
	}
	if got := pinnedHere(t, b.selection()); fmt.Sprint(got) != fmt.Sprint([]int{b.pid}) {
		t.Errorf("by number: %v, want %d", got, b.pid)
	}
}

func TestLocalTellsItsCost(t *testing.T) {
	l := newLocal()
	g := newGroups(new(Config))
	v, err := l.fetch(t.Context(), g.first())
	if err == nil {
		_, _, err = g.find(v)
	}
	if err != nil || l.cost() <= 0 {
		t.Errorf("cost %v, %v", l.cost(), err)
	}
}

func TestSocketInode(t *testing.T) {
	for link, want := range map[string]uint64{"socket:[4711]": 4711, "pipe:[3]": 0, "socket:[x]": 0, "/dev/null": 0} {
		if got, ok := socketInode(link); got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v", link, got, ok)
		}
	}
}

// A reading's instant and what it is good for hold all of the time that it took.
func TestLocalReadingTakesTime(t *testing.T) {
	g := newGroups(new(Config))
	v, err := newLocal().fetch(t.Context(), g.first())
	if err == nil {
		_, _, err = g.find(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	v, err = newLocal().fetch(t.Context(), g.next())
	if err == nil {
		_, _, err = g.read(&v)
	}
	after := time.Now()
	if from, to := v.at.Add(-v.within), v.at.Add(v.within); err != nil || v.within <= 0 || from.Before(before) || to.After(after) {
		t.Errorf("from %v to %v, %v: want that within %v and %v", from, to, err, before, after)
	}
}
