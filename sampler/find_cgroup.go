package sampler

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// accounted are the hierarchies in which a selection may be found, version 2 first.
func (f *finder) accounted() []hierarchy {
	var found []hierarchy
	for _, h := range f.mounts {
		if h.has("cpuacct") || h.has("name=systemd") {
			found = append(found, h)
		}
	}
	slices.SortStableFunc(found, func(a, b hierarchy) int { return trust(a) - trust(b) })
	return found
}

// trust orders hierarchies: what counts CPU time comes before what does not.
func trust(h hierarchy) int {
	switch {
	case h.version == 2:
		return 0
	case h.has("cpuacct"):
		return 1
	}
	return 2
}

// byCgroup is the cgroup of that path in each hierarchy that has it, those with
// processes first.
func (f *finder) byCgroup(name string) ([]cgroup, error) {
	var found []cgroup
	for _, h := range f.accounted() {
		for _, c := range h.candidates(name) {
			if f.exists(c) {
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no cgroup /%s", name)
	}
	populated := func(c cgroup) int { return -min(1, len(f.inCgroup(c))) }
	slices.SortStableFunc(found, func(a, b cgroup) int { return populated(a) - populated(b) })
	return found, nil
}

// candidates is where a cgroup of that name may be: below the mount, or the name
// holds the mount's directory.
func (h hierarchy) candidates(name string) []cgroup {
	found := []cgroup{{h, path.Join(h.dir, name)}}
	if strings.HasPrefix(name, h.dir+"/") {
		found = append(found, cgroup{h, name})
	}
	return found
}

func (f *finder) exists(c cgroup) bool {
	for _, name := range append(c.usageFiles(), c.procsFile()) {
		if _, err := f.read(path.Join(f.cgroup, name)); err == nil {
			return true
		}
	}
	return false
}

// byUnit is the cgroup of a systemd unit in each hierarchy. It is found by its
// processes, so it needs one. Of several with the name, as a user's own manager
// may have, the one nearest to the top is taken.
func (f *finder) byUnit(unit string) ([]cgroup, error) {
	var found []cgroup
	for _, h := range f.accounted() {
		var best cgroup
		for _, c := range f.places(h) {
			if c, ok := c.unit(unit); ok && (best.path == "" || nearer(c, best)) {
				best = c
			}
		}
		if best.path != "" {
			found = append(found, best)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no unit %q with a process", unit)
	}
	return found, nil
}

func nearer(a, b cgroup) bool {
	return len(a.path) < len(b.path) || len(a.path) == len(b.path) && a.path < b.path
}

// unit is the part of c down to the directory called like the unit.
func (c cgroup) unit(unit string) (cgroup, bool) {
	for _, level := range c.levels() {
		if name := path.Base(level.path); !level.top() && (name == unit || name == unit+".service") {
			return level, true
		}
	}
	return cgroup{}, false
}

// places is the cgroup of each process in h.
func (f *finder) places(h hierarchy) map[int32]cgroup {
	places := make(map[int32]cgroup, len(f.all))
	for pid := range f.all {
		text, _ := f.read(f.proc + "/" + pidText(pid) + "/cgroup")
		if c, ok := h.cgroupOf(text); ok {
			places[pid] = c
		}
	}
	return places
}

// inCgroup is the processes in c and below it.
func (f *finder) inCgroup(c cgroup) []int32 {
	found := f.members(f.cgroup, c)
	for pid, place := range f.places(c.hierarchy) {
		if place.path == c.path || strings.HasPrefix(place.path, c.path+"/") {
			found = append(found, pid)
		}
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(pid int32) bool { _, ok := f.all[pid]; return !ok })
}

// limits is the cgroups whose quota holds for all of the processes: the levels
// that they have in common, of each hierarchy with quotas. Without processes it
// is that of the cgroups selected.
func (f *finder) limits(pids []int32, selected []cgroup) []cgroup {
	var limits []cgroup
	for _, h := range f.mounts {
		if !h.has("cpu") {
			continue
		}
		levels := levelsIn(h, selected)
		for n, pid := range pids {
			text, _ := f.read(f.proc + "/" + pidText(pid) + "/cgroup")
			c, ok := h.cgroupOf(text)
			if !ok {
				continue
			}
			if n == 0 {
				levels = c.levels()
			}
			levels = slices.DeleteFunc(levels, func(level cgroup) bool { return !c.below(level) })
		}
		limits = append(limits, levels...)
	}
	return limits
}

func levelsIn(h hierarchy, selected []cgroup) []cgroup {
	for _, c := range selected {
		if c.dir == h.dir {
			return c.levels()
		}
	}
	return nil
}

// below says that c is level or under it.
func (c cgroup) below(level cgroup) bool {
	return c.path == level.path || level.path == "." || strings.HasPrefix(c.path, level.path+"/")
}
