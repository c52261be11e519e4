package sampler

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unixTable is as the kernel prints it, with inodes of several widths.
const unixTable = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01  5001 /run/web.sock
0000000000000000: 00000003 00000000 00000000 0001 03  5002 /run/web.sock
0000000000000000: 00000002 00000000 00010000 0001 01 1234567890 /run/with a blank
0000000000000000: 00000002 00000000 00010000 0001 01  5004 @abstract
0000000000000000: 00000002 00000000 00010000 0001 01  5005
0000000000000000: 00000002 00000000 00010000 0005 01  5006 /run/init.sock
`

func TestFindByUnixSocket(t *testing.T) {
	owners := map[uint64][]int32{5001: {701, 700}, 5002: {800}, 1234567890: {800}, 5004: {800, 700}, 5006: {1}}
	for _, test := range []struct{ selection, name, want string }{
		{"unix:/run/web.sock", "nginx (unix:/run/web.sock)", "[700 701]"},
		{"unix:/run//./web.sock", "nginx (unix:/run/web.sock)", "[700 701]"},
		{"unix:/run/with a blank", "gunicorn: maste (unix:/run/with a blank)", "[800]"},
		{"unix:@abstract", "nginx (unix:@abstract)", "[700 800]"},
		{"unix:/run/none", "", "nothing listens on socket /run/none"},
		{"unix:/run/init.sock", "", "only init listens on socket /run/init.sock, for a service that it starts"},
	} {
		s := setStage(t, "debian11-5.10")
		s.write("proc/net/unix", unixTable)
		_, infos, err := s.find(false, owners, test.selection)
		if err != nil {
			if got := err.Error(); test.name != "" || !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want %s %s", test.selection, got, test.name, test.want)
			}
			continue
		}
		var pids []int32
		for _, i := range s.list[0].pinned {
			pids = append(pids, i.pid)
		}
		if got := fmt.Sprint(pids); got != test.want || infos[0].Name != test.name {
			t.Errorf("%s: %s %s, want %s %s", test.selection, infos[0].Name, got, test.name, test.want)
		}
	}
}

// A host that cannot tell who has a socket says so, and is no error where what is
// not found may be left out.
func TestFindWithoutOwners(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.write("proc/net/unix", unixTable)
	selections := []string{":80", "unix:/run/web.sock", "nginx"}
	_, _, err := s.find(false, nil, selections...)
	if err == nil || strings.Count(err.Error(), "the host has no ls to tell who listens on ") != 2 {
		t.Errorf("%v: want two lines on ls", err)
	}
	if _, infos, err := s.find(true, nil, selections...); err != nil || within(infos) != "nginx" {
		t.Errorf("%v, %v: want nginx alone", infos, err)
	}
}

// listenUnix is a socket of this process in a directory of its own, and another way
// to it through a symbolic link.
func listenUnix(t *testing.T) (path, other string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path has room for 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path, other = filepath.Join(dir, "so cket"), filepath.Join(dir, "link", "so cket")
	if err := os.Symlink(".", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path, other
}

func TestLocalFindsByUnixSocket(t *testing.T) {
	path, other := listenUnix(t)
	for _, name := range []string{path, other} {
		if got := pinnedHere(t, Selection{ByUnix, name}); fmt.Sprint(got) != fmt.Sprint([]int{os.Getpid()}) {
			t.Errorf("%s: processes %v, want %d", name, got, os.Getpid())
		}
	}
}
