package sampler

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// RC-068: the number of the process that was chosen is another's now, with smaller
// counters.
func TestGroupWhoseNumberIsReused(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.write("root/run/worker.pid", "701\n")
	s.mustFind("701", "pidfile:/run/worker.pid", "nginx")
	s.mustRead()
	s.lay("later")
	s.mustRead()
	s.write("proc/701/stat", strings.Replace(statOf701, "30001", "90000", 1))
	r, notes := s.mustRead()
	for n, c := range r.Groups[:2] {
		if c.CPU != 4990*time.Millisecond || !c.Ended {
			t.Errorf("%d: %+v: want the 4.99s of the one that ended", n, c)
		}
	}
	if c := r.Groups[2]; c.CPU != 5010*time.Millisecond || c.Ended || c.Processes != 2 {
		t.Errorf("by name: %+v: want 4.99s and 20ms of the new worker", c)
	}
	for n, name := range []string{"701", "pidfile:/run/worker.pid"} {
		if want := name + ": process 701 ended by 12:00:00.0; its number is another's now, which is not counted"; notes[2*n] != want {
			t.Errorf("note %q, want %q", notes[2*n], want)
		}
	}
}

// statOf701 is a worker of nginx that has used 20 ms.
const statOf701 = "701 (nginx) S 700 700 700 0 -1 4194560 9 0 3 0 1 1 0 0 20 0 1 0 30001 5861376 100 18446744073709551615 0\n"

// A server that is started while it is watched by name counts from its birth; one
// that was there under another name from then on.
func TestGroupGainsRoots(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.mustFind("nginx")
	s.mustRead()
	s.write("proc/950/stat", strings.NewReplacer("701 (", "950 (", "S 700", "S 1", "30001", "90000").Replace(statOf701))
	s.write("proc/951/stat", strings.NewReplacer("701 (nginx)", "951 (openresty)", "S 700", "S 1", "30001", "90000").Replace(statOf701))
	s.write("proc/951/cmdline", "nginx: master process")
	s.write("proc/800/stat", strings.NewReplacer("701 (", "800 (", "S 700", "S 1", "30001", "31000").Replace(statOf701))
	var r Reading
	for range wholeScan {
		r, _ = s.mustRead()
	}
	if c := r.Groups[0]; c.CPU != 40*time.Millisecond || c.Processes != 5 {
		t.Errorf("%+v: want 5 processes and 20ms each of those that are new", c)
	}
}

// RC-067: the processes end one after the other while they are watched.
func TestGroupEnds(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.mustFind("nginx", "701")
	s.mustRead()
	s.lay("later")
	s.remove("proc/700/stat") // ended between the listing and the reading
	r, _ := s.mustRead()
	if c := r.Groups[0]; c.CPU != 4990*time.Millisecond || c.Ended || c.Processes != 1 {
		t.Errorf("%+v: want 4.99s of the worker that goes on", c)
	}
	s.remove("proc/701")
	r, notes := s.mustRead()
	for _, c := range r.Groups {
		if c.CPU != 4990*time.Millisecond || !c.Ended || c.Processes != 0 {
			t.Errorf("%+v: want the 4.99s to stay", c)
		}
	}
	want := []string{
		"nginx: the last of its processes ended by 12:00:00.0; new ones of the name are counted",
		"701: the last of its processes ended by 12:00:00.0",
	}
	if !reflect.DeepEqual(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if _, notes = s.mustRead(); len(notes) > 0 {
		t.Errorf("again: %q", notes)
	}
}

// RC-071, RC-076: two threads at work for 3.5 s, where 1 s was nominal, have used
// 7 s. Nothing is clamped, and the host's own clock says how long it was.
func TestGroupOnSeveralCores(t *testing.T) {
	s := setStage(t, "rhel7-3.10")
	s.mustFind("902")
	before, _ := s.mustRead()
	text := "902 (nginx) S 901 902 902 0 -1 4194560 9 0 3 0 900 300 0 0 20 0 2 0 9001 5861376 100 18446744073709551615\n"
	s.write("proc/902/stat", text)
	s.write("proc/uptime", "1003.75 9000.00\n")
	s.write("proc/stat", "cpu  1500 20 700 90700 300 5 15 190\ncpu0 0 0 0 0\n")
	after, _ := s.mustRead()
	used, elapsed := after.Groups[0].CPU-before.Groups[0].CPU, after.Uptime-before.Uptime
	if used.Seconds()/elapsed.Seconds() != 2 || after.Groups[0].Parallel != 2 {
		t.Errorf("%v in %v, parallel %d: want 2 cores of 2", used, elapsed, after.Groups[0].Parallel)
	}
	if steal := after.Host.Steal - before.Host.Steal; steal != 1500*time.Millisecond {
		t.Errorf("steal %v, want 1.5s apart from the rest", steal)
	}
}

// A cgroup that is removed keeps its figure; one of the name made later adds to it.
func TestGroupWhoseCgroupIsMadeAgain(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.mustFind("unit:nginx")
	s.mustRead()
	s.lay("later")
	s.mustRead()
	const dir = "cgroup/system.slice/nginx.service"
	s.remove(dir)
	s.remove("proc/700")
	s.remove("proc/701")
	gone, notes := s.mustRead()
	if c := gone.Groups[0]; c.CPU != 5000001*time.Microsecond || !c.Ended || len(notes) != 1 {
		t.Errorf("%+v, notes %q: want 5.000001s to stay, and one note", c, notes)
	}
	s.write(dir+"/cpu.stat", "usage_usec 30000\nuser_usec 20000\nsystem_usec 10000\n")
	again, _ := s.mustRead()
	if c := again.Groups[0]; c.CPU != 5030001*time.Microsecond || c.Ended {
		t.Errorf("%+v: want 30 ms more", c)
	}
}

// Two levels hold the processes back, one after the other: the strictest of each
// interval counts, and neither what a level did before nor a file that is missing
// once hides it.
func TestGroupIsThrottledByLevels(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	hold := func(slice, unit int) {
		for name, held := range map[string]int{"cgroup/system.slice/cpu.stat": slice, "cgroup/system.slice/nginx.service/cpu.stat": unit} {
			s.write(name, fmt.Sprintf("usage_usec 1050000\nuser_usec 620000\nsystem_usec 430000\nthrottled_usec %d\n", held))
		}
	}
	hold(4_000_000, 0)
	s.mustFind("nginx")
	s.mustRead()
	want := func(want time.Duration) {
		t.Helper()
		if r, _ := s.mustRead(); r.Groups[0].Throttled != want {
			t.Errorf("held back %v, want %v", r.Groups[0].Throttled, want)
		}
	}
	hold(9_000_000, 1_000_000)
	want(5 * time.Second)
	hold(9_000_000, 4_000_000) // less than the other level has done
	want(8 * time.Second)
	s.remove("cgroup/system.slice/cpu.stat")
	want(8 * time.Second)
	hold(9_500_000, 4_000_000)
	want(8500 * time.Millisecond)
}

// What a host does not tell, once or for good, is unknown and not 0.
func TestHostThatCountsNonsense(t *testing.T) {
	for _, nonsense := range []string{"nan", "inf", "-5", "1e300"} {
		s := setStage(t, "debian11-5.10")
		s.mustFind()
		s.write("proc/stat", "cpu  "+nonsense+" 0 0 9 0 0 0 0 0 0\ncpu0 1 0 0 9 0 0 0 0 0 0\n")
		v := s.view(nil)
		if r, _, err := s.read(&v); err == nil {
			t.Errorf("%s: busy for %v, want an error", nonsense, r.Host.Busy)
		}
	}
}

func TestHostThatDoesNotTell(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.mustFind()
	for _, name := range []string{"netstat", "sockstat", "dev"} {
		s.remove("proc/net/" + name)
	}
	if r, _ := s.mustRead(); !r.Host.ListenUnknown || !r.Host.TimeWaitUnknown || !r.Host.BytesUnknown {
		t.Errorf("%+v: want all to be unknown", r.Host)
	}
	s.write("proc/net/netstat", "TcpExt: TW ListenOverflows\nTcpExt: 4 5\n")
	if r, _ := s.mustRead(); !r.Host.ListenUnknown {
		t.Errorf("%+v: want drops to be unknown", r.Host)
	}
	s.lay("")
	if r, _ := s.mustRead(); r.Host.ListenUnknown || r.Host.TimeWaitUnknown || r.Host.BytesUnknown || r.Host.ListenDrops != 12 {
		t.Errorf("%+v: want all to be known", r.Host)
	}
}
