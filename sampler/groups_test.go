package sampler

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestGroupsOfKernels(t *testing.T) {
	tests := []struct {
		host, selection string
		info            string // GroupInfo
		first, then     string // the group's counters
	}{
		{"rhel7-3.10", "nginx", "{nginx process tree 0 [0 1 2 3]}", "0s+0s 2 of 2 5.1 MiB", ""},
		{"rhel7-3.10", "unit:nginx", "{unit:nginx process tree 0 [0 1 2 3]}", "0s+0s 2 of 2 5.1 MiB", ""},
		{"rhel7-3.10", "cgroup:batch", "{cgroup:batch cgroup v1 0 [0 1 2 3]}", "0s+0s 1 of 1 2.3 MiB", ""},
		{"rhel7-3.10", "cgroup:cpu,cpuacct/batch", "{cgroup:cpu,cpuacct/batch cgroup v1 0 [0 1 2 3]}", "0s+0s 1 of 1 2.3 MiB", ""},
		{"debian10-4.19", "php-fpm", "{php-fpm process tree 1.5 [0 1]}", "0s+0s 2 of 2 4.7 MiB", "0s+0s 2 of 2 4.7 MiB held 250ms"},
		{"debian10-4.19", "unit:php7.3-fpm.service", "{unit:php7.3-fpm.service cgroup v2 1.5 [0 1]}", "0s+0s 2 of 2 4.7 MiB", "1s+250ms 2 of 2 4.7 MiB held 250ms"},
		{"debian11-5.10", "nginx", "{nginx process tree 0.5 [0 1]}", "0s+0s 2 of 2 7.2 MiB", "3s+1.99s 2 of 2 8.2 MiB held 5s"},
		{"debian11-5.10", "700", "{nginx (700) process tree 0.5 [0 1]}", "0s+0s 2 of 2 7.2 MiB", "3s+1.99s 2 of 2 8.2 MiB held 5s"},
		{"debian11-5.10", "701", "{nginx (701) process tree 0.5 [0 1]}", "0s+0s 1 of 1 4.9 MiB", "3s+1.99s 1 of 1 5.9 MiB held 5s"},
		{"debian11-5.10", "cgroup:/sys/fs/cgroup/system.slice/nginx.service/", "{cgroup:system.slice/nginx.service cgroup v2 0.5 [0 1]}", "0s+0s 2 of 2 7.2 MiB", "3s+2.000001s 2 of 2 8.2 MiB held 5s"},
		{"debian11-5.10", "unit:web", "{unit:web process tree 0 [0 1]}", "0s+0s 1 of 1 2.3 MiB", "0s+0s 1 of 1 2.3 MiB"},
		{"debian11-5.10", "gunicorn", "{gunicorn process tree 0 [0 1]}", "0s+0s 1 of 1 2.3 MiB", "0s+0s 1 of 1 2.3 MiB"},
		{"lxcfs-6.1", "server", "{server process tree 0.5 [3 7]}", "0s+0s 1 of 8 2.3 MiB", "0s+0s 1 of 8 2.3 MiB held 2.5s"},
		{"lxcfs-6.1", "cgroup:inner", "{cgroup:inner cgroup v2 0.5 [3 7]}", "0s+0s 1 of 8 2.3 MiB", "4s+1s 1 of 8 2.3 MiB held 2.5s"},
		{"rhel5-2.6.18", "httpd", "{httpd process tree 0 [0 1]}", "0s+0s 1 of 1 2.3 MiB", ""},
	}
	for _, test := range tests {
		t.Run(test.host+" "+strings.ReplaceAll(test.selection, "/", " "), func(t *testing.T) {
			s := setStage(t, test.host)
			_, infos := s.mustFind(test.selection)
			before, _ := s.mustRead()
			i := infos[0]
			if got := fmt.Sprint("{", i.Name, " ", i.Source, " ", i.Quota, " ", i.CPUs, "}"); got != test.info || i.Selection != s.selections[0] {
				t.Errorf("found %s, want %s", got, test.info)
			}
			checkCounters(t, before.Groups[0], test.first)
			if test.then == "" {
				return
			}
			s.lay("later")
			after, notes := s.mustRead()
			checkCounters(t, after.Groups[0], test.then)
			if len(notes) > 0 {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// counters is the figures of a group in short.
func counters(c GroupCounters) string {
	text := fmt.Sprintf("%v+%v %d of %d %.1f MiB", c.User, c.System, c.Processes, c.Threads, float64(c.RSS)/(1<<20))
	if c.Throttled > 0 {
		text += fmt.Sprintf(" held %v", c.Throttled)
	}
	return text
}

func checkCounters(t *testing.T, c GroupCounters, want string) {
	t.Helper()
	if got := counters(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c.User+c.System != c.CPU {
		t.Errorf("%v user, %v system, %v both", c.User, c.System, c.CPU)
	}
}

func TestHostsOfKernels(t *testing.T) {
	tests := []struct{ host, info, counters string }{
		{"rhel7-3.10", "{local 3.10.0-1160.el7.x86_64 4 10ms}", "{15.4s 400ms 200ms 7000 99482211 3 4 false 12 false 1111 2222 false}"},
		{"debian10-4.19", "{local 4.19.0-26-amd64 2 10ms}", "{2s 0s 0s 500 99482211 0 0 false 1 false 10 20 false}"},
		{"debian11-5.10", "{local 5.10.0-28-amd64 2 10ms}", "{42s 0s 3s 9000 99482211 10 12 false 250 false 123456 654321 false}"},
		{"lxcfs-6.1", "{local 6.1.0-21-amd64 1 10ms}", "{700ms 0s 0s 120 99482211 0 0 true 0 true 0 0 true}"},
		{"rhel5-2.6.18", "{local 2.6.18-419.el5 2 10ms}", "{1.53s 30ms 30ms 40 99482211 0 0 true 0 true 0 0 true}"},
	}
	for _, test := range tests {
		s := setStage(t, test.host)
		host, _ := s.mustFind()
		host.Name = "local"
		r, _ := s.mustRead()
		if got := fmt.Sprint(host); got != test.info {
			t.Errorf("%s: got %s, want %s", test.host, got, test.info)
		}
		if got := fmt.Sprint(r.Host); got != test.counters {
			t.Errorf("%s: got %s, want %s", test.host, got, test.counters)
		}
	}
}

// RC-073: 100 ticks of user time, all of them a guest's, and 100 idle.
func TestHostCountsGuestsOnce(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	s.mustFind()
	before, _ := s.mustRead()
	s.write("proc/stat", "cpu  3100 0 900 50050 50 0 300 7 100 0\ncpu0 1 0 0 0\n")
	after, _ := s.mustRead()
	if busy := after.Host.Busy - before.Host.Busy; busy != time.Second || after.Host.Steal != 70*time.Millisecond {
		t.Errorf("busy %v, steal %v: want 1s without waiting, and 70ms apart", busy, after.Host.Steal)
	}
}

func TestHostWithoutProc(t *testing.T) {
	s := &stage{t: t, dir: t.TempDir()}
	if _, _, err := s.find(true, nil); !errors.Is(err, ErrNoProc) {
		t.Errorf("%v, want %v", err, ErrNoProc)
	}
}

// RC-074: in a container with half a core of 32, of which lxcfs shows one: figures
// are absolute, and the quota, which a level above the processes sets, is theirs.
func TestGroupInContainer(t *testing.T) {
	s := setStage(t, "lxcfs-6.1")
	host, infos := s.mustFind("cgroup:inner")
	before, _ := s.mustRead()
	s.lay("later")
	after, _ := s.mustRead()
	elapsed := after.Uptime - before.Uptime
	used := after.Groups[0].CPU - before.Groups[0].CPU
	if cores := used.Seconds() / elapsed.Seconds(); cores != 0.5 || infos[0].Quota != 0.5 || host.Cores != 1 {
		t.Errorf("%v cores with a quota of %v, host of %d", cores, infos[0].Quota, host.Cores)
	}
	if want := 2500 * time.Millisecond; after.Groups[0].Throttled != want {
		t.Errorf("throttled %v, want %v", after.Groups[0].Throttled, want)
	}
}
