package sampler

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestCgroupOfProcess(t *testing.T) {
	v2 := hierarchy{dir: ".", root: "/", version: 2}
	container := hierarchy{dir: ".", root: "/lxc/web", version: 2}
	hybrid := hierarchy{dir: "unified", root: "/", version: 2}
	v1 := hierarchy{dir: "cpu,cpuacct", root: "/", version: 1, controllers: []string{"cpu", "cpuacct"}}
	tests := []struct {
		hierarchy
		text, want string // path, or none
	}{
		{v2, "0::/system.slice/nginx.service\n", "system.slice/nginx.service"},
		{v2, "0::/\n", "."},
		{v2, "4:cpu,cpuacct:/x\n", "none"},
		{v2, "0::/../other\n", "none"},
		{container, "0::/lxc/web/inner\n", "inner"},
		{container, "0::/lxc/web\n", "."},
		{container, "0::/lxc/website\n", "none"},
		{container, "0::/\n", "none"},
		{hybrid, "1:name=systemd:/a\n0::/a:b/c\n", "unified/a:b/c"},
		{v1, "12:cpuset:/no\n4:cpuacct,cpu:/batch\n0::/no\n", "cpu,cpuacct/batch"},
		{v1, "0::/no\n", "none"},
		{v1, "", "none"},
	}
	for _, test := range tests {
		got := "none"
		if c, ok := test.cgroupOf([]byte(test.text)); ok {
			got = c.path
		}
		if got != test.want {
			t.Errorf("%q in %+v: %s, want %s", test.text, test.hierarchy, got, test.want)
		}
	}
}

func TestCgroupMounts(t *testing.T) {
	for host, want := range map[string]string{
		"rhel7-3.10":    "[{systemd / 1 [rw xattr release_agent=/usr/lib/systemd/systemd-cgroups-agent name=systemd]} {cpu,cpuacct / 1 [rw cpuacct cpu]}]",
		"debian10-4.19": "[{unified / 2 []} {systemd / 1 [rw xattr name=systemd]} {cpu,cpuacct / 1 [rw cpu cpuacct]}]",
		"debian11-5.10": "[{. / 2 []}]",
		"lxcfs-6.1":     "[{. /lxc/web 2 []}]",
	} {
		text, err := os.ReadFile("../testdata/proc/" + host + "/proc/self/mountinfo")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(parseMounts(text)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", host, got, want)
		}
	}
	const elsewhere = "30 20 0:26 / /sys/fs/cgroups rw - cgroup2 cgroup2 rw\n31 20 0:26 / /cgroup/cpu rw - cgroup cgroup rw,cpu\nbroken\n"
	if got := parseMounts([]byte(elsewhere)); len(got) > 0 {
		t.Errorf("%v: want none", got)
	}
}

func TestCgroupLevels(t *testing.T) {
	c := cgroup{hierarchy{dir: "cpu,cpuacct"}, "cpu,cpuacct/a/b"}
	var paths []string
	for _, level := range c.levels() {
		paths = append(paths, level.path)
	}
	if fmt.Sprint(paths) != "[cpu,cpuacct/a/b cpu,cpuacct/a cpu,cpuacct]" {
		t.Errorf("levels %q", paths)
	}
}

// Where a cgroup used much more than its processes show, it was others that have
// ended, and how many of them worked at once is not known.
func TestCgroupOfUnseenProcesses(t *testing.T) {
	s := setStage(t, "debian10-4.19")
	s.mustFind("unit:php7.3-fpm", "611")
	s.mustRead()
	s.lay("later")
	r, _ := s.mustRead()
	if cgroup, tree := r.Groups[0].Parallel, r.Groups[1].Parallel; cgroup != 2 || tree != 1 {
		t.Errorf("parallel %d by cgroup, %d by tree: want both cores, and the one thread", cgroup, tree)
	}
}

func TestCgroupPrecision(t *testing.T) {
	for cores, want := range map[float64]string{0: "4.001ms", 0.98: "4.001ms", 1.2: "8.001ms", 9: "16.001ms"} {
		if got := cgroupPrecision(time.Duration(cores*float64(10*time.Second)), 10*time.Second, 4).String(); got != want {
			t.Errorf("%v of 4 cores: %s, want %s", cores, got, want)
		}
	}
}

// A host may say anything of its mounts: none leads out of the copy of its files.
func TestMountsStayInside(t *testing.T) {
	const hostile = "30 23 0:26 / /sys/fs/cgroup/../../../tmp/x rw - cgroup2 cgroup2 rw\n"
	if got := parseMounts([]byte(hostile)); len(got) > 0 {
		t.Errorf("%v leads out", got)
	}
}
