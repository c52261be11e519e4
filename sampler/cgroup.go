package sampler

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// hierarchy is a mounted tree of cgroups (cgroups(7)). With version 2 there is
// one; with version 1 one for each controller or few of them; both may be mounted
// at once (hybrid), with the controllers in either.
type hierarchy struct {
	dir         string   // of the mount, below /sys/fs/cgroup; "." is that itself
	root        string   // cgroup that the mount shows as its top; "/" outside of containers
	version     int      // 1 or 2
	controllers []string // of version 1: cpu, cpuacct, name=systemd …
}

func (h hierarchy) has(controller string) bool {
	return h.version == 2 || slices.Contains(h.controllers, controller)
}

// usualHierarchies are tried where the mounts are not known: version 2 alone,
// hybrid as systemd mounts it, and version 1.
var usualHierarchies = [...]hierarchy{
	{".", "/", 2, nil},
	{"unified", "/", 2, nil},
	{"cpu,cpuacct", "/", 1, []string{"cpu", "cpuacct"}},
	{"cpuacct,cpu", "/", 1, []string{"cpu", "cpuacct"}},
	{"cpuacct", "/", 1, []string{"cpuacct"}},
	{"cpu", "/", 1, []string{"cpu"}},
	{"systemd", "/", 1, []string{"name=systemd"}},
}

// parseMounts finds the hierarchies in /proc/self/mountinfo (proc_pid_mountinfo(5)),
// version 2 first. Those that are not mounted below /sys/fs/cgroup are left out.
func parseMounts(mountinfo []byte) []hierarchy {
	var found []hierarchy
	for line := range bytes.Lines(mountinfo) {
		before, after, ok := bytes.Cut(line, []byte(" - "))
		place, mount := bytes.Fields(before), bytes.Fields(after)
		if !ok || len(place) < 5 || len(mount) < 3 {
			continue
		}
		point, inside := strings.CutPrefix(string(place[4]), cgroupRoot)
		h := hierarchy{dir: path.Clean("./" + point), root: string(place[3])}
		switch {
		case !inside || point != "" && point[0] != '/' || !filepath.IsLocal(h.dir): // a host may say anything
		case string(mount[0]) == "cgroup2":
			h.version = 2
			found = slices.Insert(found, 0, h)
		case string(mount[0]) == "cgroup":
			h.version, h.controllers = 1, strings.Split(string(mount[2]), ",")
			found = append(found, h)
		}
	}
	return found
}

// cgroup is one group in one hierarchy.
type cgroup struct {
	hierarchy
	path string // directory below /sys/fs/cgroup, that of the mount included
}

// cgroupOf is where the process, whose /proc/PID/cgroup is text, is in h.
func (h hierarchy) cgroupOf(text []byte) (cgroup, bool) {
	for line := range bytes.Lines(text) {
		parts := strings.SplitN(strings.TrimRight(string(line), "\n"), ":", 3)
		if len(parts) < 3 || !h.is(parts[1]) {
			continue
		}
		return h.at(parts[2])
	}
	return cgroup{}, false
}

// is says whether a line of /proc/PID/cgroup with these controllers is of h.
func (h hierarchy) is(controllers string) bool {
	if h.version == 2 || controllers == "" {
		return h.version == 2 && controllers == ""
	}
	first, _, _ := strings.Cut(controllers, ",")
	return slices.Contains(h.controllers, first)
}

// at is the group that the kernel calls name, unless the mount does not show it:
// in a container it may begin further down, and what is beside it begins with /..
func (h hierarchy) at(name string) (cgroup, bool) {
	below := name
	if h.root != "/" {
		var ok bool
		if below, ok = strings.CutPrefix(name, h.root); !ok || below != "" && below[0] != '/' {
			return cgroup{}, false
		}
	}
	if strings.Contains(below, "/..") {
		return cgroup{}, false
	}
	return cgroup{h, path.Join(h.dir, below)}, true
}

// top says that c is all that the mount shows.
func (c cgroup) top() bool { return c.path == c.dir }

// levels are c and all above it, up to the top of the mount.
func (c cgroup) levels() []cgroup {
	levels := []cgroup{c}
	for !c.top() && c.path != "." {
		c.path = path.Dir(c.path)
		levels = append(levels, c)
	}
	return levels
}

// usageFiles are those that hold c's CPU time, and limitFiles those of its quota.
func (c cgroup) usageFiles() []string {
	if c.version == 2 {
		return []string{path.Join(c.path, "cpu.stat")}
	}
	return []string{path.Join(c.path, "cpuacct.usage"), path.Join(c.path, "cpuacct.stat")}
}

func (c cgroup) limitFiles() []string {
	if c.version == 2 {
		return []string{path.Join(c.path, "cpu.max"), path.Join(c.path, "cpu.stat")}
	}
	return []string{path.Join(c.path, "cpu.cfs_quota_us"), path.Join(c.path, "cpu.cfs_period_us"), path.Join(c.path, "cpu.stat")}
}

func (c cgroup) procsFile() string { return path.Join(c.path, "cgroup.procs") }

// source is the name of the counters of c.
func (c cgroup) source() string {
	if c.version == 2 {
		return SourceCgroup2
	}
	return SourceCgroup1
}

// usage is the CPU time of all tasks that ever were in a cgroup or below it.
type usage struct{ cpu, user, system time.Duration }

// usage reads c's counters: usage_usec of cpu.stat, which is there from Linux 4.15
// on whether the cpu controller is enabled or not (cgroup-v2.rst), or cpuacct.usage
// in nanoseconds. The split into user and system is the kernel's estimate.
func (f *files) usage(root string, c cgroup, tick time.Duration) (usage, bool) {
	if c.version == 2 {
		text, _ := f.read(path.Join(root, c.path, "cpu.stat"))
		cpu, ok := keyed(text, "usage_usec")
		user, _ := keyed(text, "user_usec")
		system, _ := keyed(text, "system_usec")
		return usage{micros(cpu), micros(user), micros(system)}, ok
	}
	text, _ := f.read(path.Join(root, c.path, "cpuacct.usage"))
	cpu, ok := parseUint(bytes.TrimSpace(text))
	text, _ = f.read(path.Join(root, c.path, "cpuacct.stat"))
	user, _ := keyed(text, "user")
	system, _ := keyed(text, "system")
	return usage{time.Duration(cpu), time.Duration(user) * tick, time.Duration(system) * tick}, ok
}

func micros(n uint64) time.Duration { return time.Duration(n) * time.Microsecond }

// keyed is the number after key in a file with a key and a number on each line.
func keyed(text []byte, key string) (uint64, bool) {
	for line := range bytes.Lines(text) {
		if word, rest := nextWord(line); string(word) == key {
			return parseUint(bytes.TrimSpace(rest))
		}
	}
	return 0, false
}

// quota is how many cores c alone may use, 0 if it is not limited or has no such
// file, as the top has none. Version 1 says -1 for no limit, version 2 max.
func (f *files) quota(root string, c cgroup) float64 {
	var quota, period []byte
	if c.version == 2 {
		text, _ := f.read(path.Join(root, c.path, "cpu.max"))
		quota, period = nextWord(text)
		return ratio(quota, period)
	}
	text, _ := f.read(path.Join(root, c.path, "cpu.cfs_quota_us"))
	quota = bytes.Clone(text)
	period, _ = f.read(path.Join(root, c.path, "cpu.cfs_period_us"))
	return ratio(quota, period)
}

func ratio(over, under []byte) float64 {
	a, ok1 := parseUint(bytes.TrimSpace(over))
	b, ok2 := parseUint(bytes.TrimSpace(under))
	if !ok1 || !ok2 || b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// throttled is how long c's own quota has held its tasks back so far, added up
// over the cores; false if c has no such counter or it could not be read.
func (f *files) throttled(root string, c cgroup) (time.Duration, bool) {
	text, _ := f.read(path.Join(root, c.path, "cpu.stat"))
	if c.version == 2 {
		n, ok := keyed(text, "throttled_usec")
		return micros(n), ok
	}
	n, ok := keyed(text, "throttled_time")
	return time.Duration(n), ok
}

// members are the processes directly in c.
func (f *files) members(root string, c cgroup) []int32 {
	text, _ := f.read(path.Join(root, c.procsFile()))
	var pids []int32
	for line := range bytes.Lines(text) {
		if n, ok := parseUint(bytes.TrimSpace(line)); ok && n > 0 && n < 1<<31 {
			pids = append(pids, int32(n))
		}
	}
	return pids
}
