package sampler

import (
	"fmt"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const fields = " 1 7 7 0 -1 4194560 9 0 3 0 11 12 13 14 20 0 5 0 4242 99 7 18446744073709551615"
	tests := []struct{ text, want string }{
		{"701 (nginx) S" + fields, "701 nginx 1 4242 {11 12} {13 14} 5 7 kernel=false over=false"},
		{"7 (a) b) R (c) S" + fields, "7 a) b) R (c 1 4242 {11 12} {13 14} 5 7 kernel=false over=false"},
		{"7 (two\nlines) S" + fields, "7 two\nlines 1 4242 {11 12} {13 14} 5 7 kernel=false over=false"},
		{"7 (kworker/u8:2-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 0 5 0 0 20 0 1 0 33 0 0 18446744073709551615", "7 kworker/u8:2-eve 2 33 {0 5} {0 0} 1 0 kernel=true over=false"},
		{"7 (gone) Z 1 7 7 0 -1 4227084 9 0 3 0 11 12 13 14 20 0 1 0 4242 0 0 18446744073709551615", "7 gone 1 4242 {11 12} {13 14} 1 0 kernel=false over=true"},
		{"7 (leader gone) Z" + fields, "7 leader gone 1 4242 {11 12} {13 14} 5 7 kernel=false over=false"},
	}
	for _, test := range tests {
		p, ok := parseStat([]byte(test.text + "\n"))
		got := fmt.Sprintf("%d %s %d %d %v %v %d %d kernel=%v over=%v", p.pid, p.name(), p.parent, p.start, p.own, p.children, p.threads, p.pages, p.kernel, p.over())
		if !ok || got != test.want {
			t.Errorf("%q:\n got %s, %v\nwant %s", test.text, got, ok, test.want)
		}
	}
	for _, broken := range []string{"", "7", "7 (x", "7 (x)", "7 (x) ", "x (x) S" + fields, "7 )x( S" + fields, "7 (x) S 1 2 3"} {
		if p, ok := parseStat([]byte(broken)); ok {
			t.Errorf("%q: %+v, want none", broken, p)
		}
	}
}

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string]string{"0-1\n": "[0 1]", "3,0-1,1": "[0 1 3]", "7": "[7]", "": "[]", "2-1": "[]", "a": "[]", "0-99999999": "[]"} {
		if got := fmt.Sprint(parseCPUs([]byte(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTitled(t *testing.T) {
	tests := []struct {
		commandLine, name string
		want              bool
	}{
		{"/usr/sbin/nginx\x00-g\x00daemon off;\x00", "nginx", true},
		{"nginx: worker process\x00\x00\x00", "nginx", true},
		{"postgres: 15/main: walwriter \x00", "postgres", true},
		{"/opt/my server/bin/my server\x00", "my server", true},
		{"vi\x00/etc/nginx\x00", "nginx", false},
		{"/usr/sbin/nginx-debug\x00", "nginx", false},
		{"", "nginx", false},
	}
	for _, test := range tests {
		if got := titled([]byte(test.commandLine), test.name, false); got != test.want {
			t.Errorf("%q is called %q: %v, want %v", test.commandLine, test.name, got, test.want)
		}
	}
	script := []byte("/usr/bin/python3\x00/opt/application-server.py\x00")
	if !titled(script, "application-server.py", true) || titled(script, "application-serving.py", true) {
		t.Error("a script of a long name is not told from others")
	}
}

// A path is compared by its base name, with what the kernel calls a process too.
func TestNamedByPath(t *testing.T) {
	p := procStat{pid: 1, state: 'S', threads: 1, comm: [16]byte{'n', 'g', 'i', 'n', 'x'}}
	for name, want := range map[string]bool{"nginx": true, "/usr/sbin/nginx": true, "./nginx": true, "nginx/sbin": false, "/": false} {
		if got := new(files).named("/nosuch", &p, name, false); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUptime(t *testing.T) {
	s := setStage(t, "debian11-5.10")
	f := new(files)
	if up, err := f.uptime(s.view(nil).proc); err != nil || up != 5000*time.Second {
		t.Errorf("%v, %v", up, err)
	}
	for _, broken := range []string{"", "1", "1.2 3", "a.bc", "99999999999999999999.00", "1h5", "inf", "-1.00"} {
		s.write("proc/uptime", broken)
		if up, err := f.uptime(s.view(nil).proc); err == nil {
			t.Errorf("%q: %v, want an error", broken, up)
		}
	}
}

// FuzzHostFiles holds that no file of another host stops the program, whatever is
// in it.
func FuzzHostFiles(f *testing.F) {
	f.Add([]byte(statOf701))
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8 9 10\nTcpExt: A ListenDrops\nTcpExt: 1\nTCP: tw 3\n"))
	f.Add([]byte("30 20 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n0::/a/b\n"))
	f.Add([]byte("eth0: 1 2 3 4 5 6 7 8 9\nCpus_allowed_list:\t0-3\nVmRSS:\t 1 kB\nusage_usec 1\n0: 0:50 0:0 0A"))
	f.Fuzz(func(t *testing.T, text []byte) {
		parseStat(text)
		parseStatus(text)
		parseCPUs(text)
		column(text, "TcpExt:", "ListenDrops")
		valueAfter(lineAfter(text, "TCP:"), "tw")
		interfaces(text)
		keyed(text, "usage_usec")
		listeners(nil, text, 80)
		titled(text, "x", true)
		for _, h := range append(parseMounts(text), usualHierarchies[:]...) {
			if c, ok := h.cgroupOf(text); ok {
				c.levels()
			}
		}
	})
}
