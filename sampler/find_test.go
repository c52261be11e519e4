package sampler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFindSaysWhatThereIsNot(t *testing.T) {
	s := setStage(t, "rhel7-3.10")
	selections := []string{"apache2", "31999", ":81", ":80", "cgroup:no/such", "unit:apache2", "pidfile:/run/none.pid", "pidfile:/run/stale.pid", "pidfile:/run/empty.pid", "name:kthreadd", "nginx"}
	_, _, err := s.find(false, map[uint64][]int32{1: {1}}, selections...)
	want := strings.Join([]string{
		`no process named "apache2"`,
		`no process 31999`,
		`nothing listens on port 81`,
		`port 80 is listened on by processes that this user may not look into: it takes the same user or root`,
		`no cgroup /no/such`,
		`no unit "apache2" with a process`,
		`pid file /run/none.pid: no such file or directory`,
		`pid file /run/stale.pid: no process 31999`,
		`pid file /run/empty.pid: "" is no process number`,
		`no process named "kthreadd"`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, infos, err := s.find(true, map[uint64][]int32{}, selections...); err != nil || len(infos) != 1 || infos[0].Name != "nginx" {
		t.Errorf("optional: %v, %v: want nginx alone", infos, err)
	}
}

func TestFindByPort(t *testing.T) {
	tests := []struct {
		port   string
		owners []int32
		want   string // the roots, or an error
	}{
		{":80", []int32{701, 700}, "[700 701]"},
		{":80", []int32{1, 700, 31000}, "[700]"},
		{":8080", nil, "may not look into"},
		{":80", []int32{1}, "only init listens on port 80"},
	}
	for _, test := range tests {
		s := setStage(t, "debian11-5.10")
		_, _, err := s.find(false, map[uint64][]int32{5001: test.owners}, test.port)
		var got []int32
		for _, one := range s.list {
			for _, i := range one.pinned {
				got = append(got, i.pid)
			}
		}
		if text := fmt.Sprint(got, err); !strings.Contains(text, test.want) {
			t.Errorf("%s owned by %v: %s, want %s", test.port, test.owners, text, test.want)
		}
	}
}

// Nobody writes into the pipe: it is no pid file, and nothing waits for it.
func TestPipeIsNoPIDFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Selections: []Selection{{ByPIDFile, name}}}); err == nil {
		t.Error("a pipe counts as a pid file")
	}
}

// Who watches the tree that the load comes from is told that the client is left out;
// a client that is asked for by its number counts, and he is told that.
func TestOwnCPU(t *testing.T) {
	for pid, want := range map[int]string{
		os.Getppid(): "ratebench itself, which it started, is left out",
		os.Getpid():  "ratebench itself is among its processes",
	} {
		watchOwn(t, pid, want)
	}
}

func watchOwn(t *testing.T, pid int, want string) {
	t.Helper()
	w, err := Open(t.Context(), Config{Selections: []Selection{{ByPID, fmt.Sprint(pid)}}})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Stop()
	if counts := r.Readings[len(r.Readings)-1].Groups[0].Client; counts != (pid == os.Getpid()) {
		t.Errorf("watching %d: the client is counted: %v", pid, counts)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) {
		t.Errorf("notes %q", notes)
	}
}
