package sampler

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Processes of another's making: a name with all that a name may hold, arguments with
// what separates files, and thousands that come and go meanwhile.
func TestRemoteAwkwardProcesses(t *testing.T) {
	r := startSSHD(t).connect()
	program := filepath.Join(t.TempDir(), "a) S 1\n2 (b")
	sleep, err := filepath.EvalSymlinks("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sleep, program); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "60")
	c.Args[0] = "it's\n\x01\xff \"odd\""
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { c.Process.Kill(); c.Wait() }()
	pid := int32(c.Process.Pid)
	v, err := r.fetch(t.Context(), wanted{find: true, pids: []int32{pid, 1 << 22, 1}})
	if err != nil {
		t.Fatal(err)
	}
	dir := "/proc/" + strconv.Itoa(int(pid))
	wantSameFile(t, dir+"/cmdline", v.root+dir+"/cmdline")
	wantStart(t, v.root+dir+"/stat", fmt.Sprintf("%d (%s) ", pid, filepath.Base(program)))
	wantStatus(t, v, pid)

	c.Process.Kill()
	c.Wait()
	if v, err = r.fetch(t.Context(), wanted{pids: []int32{pid, 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(v.root + dir); err == nil {
		t.Error("a process that is gone is still laid out")
	}
	if _, err := os.Stat(v.proc + "/1/cmdline"); err == nil {
		t.Error("a file that was not wanted this time is still laid out")
	}
	wantStatus(t, v, 1)
}

// Files by their names, and one that does not end in a line's end.
func TestRemoteFiles(t *testing.T) {
	r := startSSHD(t).connect()
	dir := t.TempDir()
	var names []string
	for i, name := range []string{"plain.pid", `back\x2dslash`, "with blank", "star*", "-n", "empty", `quote'"$HOME`} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(strings.Repeat("1", i)), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	names = append(names, filepath.Join(dir, "none"))
	for turn, known := range []snapshot{nil, {1: procStat{pid: 1}}} { // of all processes, then of some
		v, err := r.fetch(t.Context(), wanted{files: names, known: known})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			text, err := os.ReadFile(v.root + name)
			if want := strings.Repeat("1", i%7); string(text) != want || (err == nil) != (want != "") {
				t.Errorf("%d: %s: %q, %v; want %q", turn, name, text, err, want)
			}
		}
	}
	if _, err := r.fetch(t.Context(), wanted{files: []string{"/two\nlines"}}); err == nil {
		t.Error("a name of two lines was asked for")
	}
	if _, err := r.fetch(t.Context(), wanted{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(r.layout.dir + names[1]); err == nil {
		t.Error("a file that is not wanted any more is still there")
	}
}

func TestRemoteOwners(t *testing.T) {
	r := startSSHD(t).connect()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	inode, err := strconv.ParseUint(strings.Trim(link, "socket:[]"), 10, 64)
	if err != nil {
		t.Fatal(link, err)
	}
	v, err := r.fetch(t.Context(), wanted{find: true, sockets: true})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.owners[inode], []int32{int32(os.Getpid())}) {
		t.Errorf("socket %d is of %v, want %d", inode, v.owners[inode], os.Getpid())
	}
	if v, err = r.fetch(t.Context(), wanted{}); err != nil || v.owners != nil {
		t.Errorf("owners %v, %v; want none, as none were asked for", v.owners, err)
	}
}

// A process that is born between two readings of some is listed in the first after
// it and read in the next; one that ends is gone. That
// nothing was born is no list at all, and nobody is forgotten for that.
func TestRemoteHearsOfBirths(t *testing.T) {
	t.Run("bash", func(t *testing.T) { hearsOfBirths(t, startSSHD(t).connect()) })
	t.Run("sh", func(t *testing.T) {
		path := linkPrograms(t, map[string]string{"sh": "/bin/dash", "cat": "/bin/cat", "sleep": "/bin/sleep"})
		plain, err := connect(t.Context(), Host{Name: "h"}, stubSSH(t, "PATH="+path+"; "+runsIt))
		if err != nil {
			t.Fatal(err)
		}
		defer plain.close(t.Context())
		hearsOfBirths(t, plain.(*remote))
	})
}

func hearsOfBirths(t *testing.T, r *remote) {
	t.Helper()
	if _, err := r.fetch(t.Context(), wanted{}); err != nil {
		t.Fatal(err)
	}
	known := snapshot{1: procStat{pid: 1}}
	some := func() view {
		t.Helper()
		v, err := r.fetch(t.Context(), wanted{known: known})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 3 {
		some()
		c := exec.Command("sleep", "60")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		pid := int32(c.Process.Pid)
		some()
		if !slices.Contains(r.listed, pid) || !slices.Contains(r.listed, 1) {
			t.Errorf("%d and 1 are not in %v", pid, r.listed)
		}
		v := some()
		wantStart(t, v.root+processFile(pid, "stat"), fmt.Sprintf("%d (sleep) ", pid))
		wantStart(t, v.root+processFile(1, "stat"), "1 (")
		c.Process.Kill()
		c.Wait()
		v = some()
		if _, err := os.Stat(v.root + processFile(pid, "stat")); err == nil {
			t.Errorf("%d is gone, but still laid out", pid)
		}
	}
}

// An answer with no list but blanks keeps what is known, as an ordinary list keeps
// what it names, and nothing else.
func TestKeepKnown(t *testing.T) {
	for list, want := range map[string][]int32{
		"    \n": {7, 1, 2}, "": {7, 1, 2}, "/proc/1 /proc/7    \n": {1, 7}, "/proc/9\n": {9},
	} {
		r := &remote{layout: newTestLayout(t), listed: []int32{7}}
		if err := r.keepKnown(snapshot{1: {}, 2: {}}, []byte(list)); err != nil {
			t.Fatal(err)
		}
		slices.Sort(r.listed)
		slices.Sort(want)
		if !slices.Equal(r.listed, want) {
			t.Errorf("%q: %v, want %v", list, r.listed, want)
		}
	}
}
