package sampler

import (
	"fmt"
	"strings"
	"testing"
)

// Processes 700 and 701 are nginx's, 700 the parent of the other; 800 is gunicorn's.
func TestOverlap(t *testing.T) {
	for _, test := range []struct {
		selections string
		merge      bool
		want       string // names, with what each is within
		notes      string
	}{
		{"nginx gunicorn", false, "nginx, gunicorn", "[]"},
		{":80 701", false, "nginx (:80), nginx (701) < nginx (:80)", "[nginx (701): all of its processes are counted as nginx (:80) too]"},
		{"701 nginx", false, "nginx (701) < nginx, nginx", "[nginx (701): all of its processes are counted as nginx too]"},
		{"nginx :80 gunicorn", false, "nginx, nginx (:80) < nginx, gunicorn", "[nginx (:80): all of its processes are counted as nginx too]"},
		{"nginx cgroup:mixed", false, "nginx, cgroup:mixed < nginx", "[cgroup:mixed: some of its processes are counted as nginx too]"},
		{":80 :81 701", true, "nginx (:80)", "[]"},
		{"701 nginx gunicorn", true, "nginx, gunicorn", "[]"},
		{"nginx cgroup:mixed", true, "nginx, cgroup:mixed < nginx", "[cgroup:mixed: some of its processes are counted as nginx too]"},
	} {
		s := setStage(t, "debian11-5.10")
		s.write("cgroup/mixed/cgroup.procs", "701\n800\n")
		s.write("proc/net/tcp", tcpTable)
		_, infos, err := s.find(test.merge, map[uint64][]int32{5001: {700, 701}, 5002: {700, 701}}, strings.Fields(test.selections)...)
		if err != nil {
			t.Fatal(err)
		}
		r, notes := s.mustRead()
		if got := within(infos); got != test.want || fmt.Sprint(notes) != test.notes || len(r.Groups) != len(infos) {
			t.Errorf("%s, merged %v: %s with notes %s and %d groups; want %s with %s", test.selections, test.merge, got, notes, len(r.Groups), test.want, test.notes)
		}
		if _, notes := s.mustRead(); len(notes) > 0 {
			t.Errorf("%s: said again: %s", test.selections, notes)
		}
	}
}

// within are the names of groups with what each is within.
func within(infos []GroupInfo) string {
	var texts []string
	for _, i := range infos {
		text := i.Name
		if i.Within != "" {
			text += " < " + i.Within
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// tcpTable has two sockets that listen, on ports 80 and 81.
const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5001 1 0
   1: 00000000:0051 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5002 1 0
`
