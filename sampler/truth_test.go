package sampler

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// watched is the record of a watch over b at work, idle before and after, and what
// that used by the kernel's own account.
func watched(t *testing.T, s Selection, b *burner, what string, span time.Duration) (*Record, time.Duration) {
	t.Helper()
	w, err := Open(t.Context(), Config{Selections: []Selection{s}, Interval: MinInterval})
	if err != nil {
		t.Fatal(err)
	}
	w.Start(time.Now())
	used := b.burn(what, span)
	return w.Stop(), used
}

// truthful says how far the figure of a record's group is from the truth, if that
// is more than its precision and more than 1 %, or whether it has ever fallen.
func truthful(r *Record, want time.Duration) error {
	var last GroupCounters
	for _, reading := range r.Readings {
		if reading.Groups[0].CPU < last.CPU {
			return fmt.Errorf("fell from %v to %v at %v", last.CPU, reading.Groups[0].CPU, reading.At)
		}
		last = reading.Groups[0]
	}
	if off := (last.CPU - want).Abs(); off > max(last.Precision, want/100) {
		return fmt.Errorf("%v ± %v, but %v was used", last.CPU, last.Precision, want)
	}
	return nil
}

func TestTruthfulSeesLies(t *testing.T) {
	of := func(cpu ...time.Duration) *Record {
		r := new(Record)
		for _, c := range cpu {
			r.Readings = append(r.Readings, Reading{Groups: []GroupCounters{{CPU: c, Precision: 20 * time.Millisecond}}})
		}
		return r
	}
	if err := truthful(of(0, time.Second), 1019*time.Millisecond); err != nil {
		t.Error(err)
	}
	if err := truthful(of(0, 10*time.Second), 9901*time.Millisecond); err != nil {
		t.Error(err)
	}
	if truthful(of(0, time.Second), 1030*time.Millisecond) == nil || truthful(of(0, 2*time.Second, time.Second), time.Second) == nil {
		t.Error("a wrong figure passes")
	}
}

// The process tree's figure against getrusage(2), for load that the timer's tick
// does not see, for any and for children that live shorter than an interval.
func TestTreeAgainstKernel(t *testing.T) {
	for _, test := range []struct {
		what string
		span time.Duration
	}{{"fixed", 2 * time.Second}, {"poisson", 2 * time.Second}, {"children", 3 * time.Second}, {"threads", time.Second}} {
		t.Run(test.what, func(t *testing.T) {
			b := startBurner(t)
			b.burn("fixed", 20*time.Millisecond)
			r, used := watched(t, b.selection(), b, test.what, test.span)
			if err := truthful(r, used); err != nil {
				t.Error(err)
			}
			last := r.Readings[len(r.Readings)-1]
			t.Logf("%v of %v ± %v, parallel %d, notes %q", last.Groups[0].CPU, used, last.Groups[0].Precision, last.Groups[0].Parallel, r.Notes)
		})
	}
}

// RC-070: a child that was busy for long ends and is waited for; watching goes on.
func TestTreeWhereABusyChildEnds(t *testing.T) {
	b := startBurner(t)
	r, used := watched(t, b.selection(), b, "long-child", 0)
	if err := truthful(r, used); err != nil {
		t.Error(err)
	}
	if seen := slices.ContainsFunc(r.Readings, func(r Reading) bool { return r.Groups[0].Processes == 2 }); !seen {
		t.Errorf("the child was never seen in %d readings", len(r.Readings))
	}
}

// RC-067: children that nobody waits for end at any time, also between being listed
// and being read. Nothing fails, and the figure does not fall.
func TestTreeWhereNobodyWaits(t *testing.T) {
	b := startBurner(t)
	r, used := watched(t, b.selection(), b, "unwaited", time.Second)
	last := r.Readings[len(r.Readings)-1].Groups[0]
	if err := truthful(r, last.CPU); err != nil || last.CPU < used-last.Precision {
		t.Errorf("%v, %v: want no less than the %v of the parent", err, last.CPU, used)
	}
	if !last.Unwaited {
		t.Error("nothing says that CPU of children is missing")
	}
	if len(r.Notes) > 0 && !strings.Contains(r.Notes[0], "none of the others waited for") {
		t.Errorf("notes %q", r.Notes)
	}
}

// The same against a cgroup of either version. Where the machine has no such
// hierarchy, or lets no group be made in it, nothing is proven, and the log says
// so: it is no fault of the code that is tested, which the fixtures cover.
func TestCgroupAgainstKernel(t *testing.T) {
	mountinfo, _ := os.ReadFile("/proc/self/mountinfo")
	for _, h := range parseMounts(mountinfo) {
		if !h.has("cpuacct") {
			continue
		}
		for _, what := range []string{"fixed", "children"} {
			t.Run(fmt.Sprint("v", h.version, " ", what), func(t *testing.T) {
				s, join := makeCgroup(t, h)
				if join == nil {
					return
				}
				b := startBurner(t)
				b.burn("fixed", 20*time.Millisecond)
				join(b.pid)
				r, used := watched(t, s, b, what, 2*time.Second)
				if err := truthful(r, used); err != nil {
					t.Error(err)
				}
				if want := (cgroup{hierarchy: h}).source(); r.Groups[0].Source != want {
					t.Errorf("source %s, want %s", r.Groups[0].Source, want)
				}
				last := r.Readings[len(r.Readings)-1]
				t.Logf("%v of %v ± %v, notes %q", last.Groups[0].CPU, used, last.Groups[0].Precision, r.Notes)
			})
		}
	}
}

// makeCgroup makes a cgroup that is removed at the test's end, after the processes
// that join it.
func makeCgroup(t *testing.T, h hierarchy) (Selection, func(pid int)) {
	t.Helper()
	name := fmt.Sprintf("ratebench-test-%d-%d", os.Getpid(), time.Now().UnixNano())
	dir := filepath.Join(cgroupRoot, h.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Logf("not proven on this machine: %v", err)
		return Selection{}, nil
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	return Selection{ByCgroup, filepath.Join(h.dir, name)}, func(pid int) {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(fmt.Sprint(pid)), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkReadLocal is what a reading of this machine with one process chosen
// costs; µs-cpu/op is the sampler's own account of it.
func BenchmarkReadLocal(b *testing.B) {
	l := newLocal()
	g := newGroups(&Config{Selections: []Selection{{ByPID, fmt.Sprint(os.Getpid())}}})
	read := func() error {
		v, err := l.fetch(b.Context(), g.next())
		if err == nil {
			_, _, err = g.read(&v)
		}
		return err
	}
	v, err := l.fetch(b.Context(), g.first())
	if err == nil {
		_, _, err = g.find(v)
	}
	if err != nil {
		b.Fatal(err)
	}
	before := l.cost()
	for b.Loop() {
		if err := read(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((l.cost()-before).Microseconds())/float64(b.N), "µs-cpu/op")
}
