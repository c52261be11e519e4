package sampler

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// groups turns the files of a host into figures. It keeps what it must know from
// reading to reading.
type groups struct {
	selections []Selection
	optional   bool
	merge      bool

	files
	host  HostInfo
	list  []*group
	infos []GroupInfo // of list; find returns it and the first read completes it
	notes []string    // for the next read to return
	lacks []error     // selections that were not found, where that is no error
	last  snapshot    // of the reading before; their command lines have been compared with names
	known snapshot    // of last, what need not be read again
	turn  int         // readings so far
}

func newGroups(c *Config) *groups {
	return &groups{selections: c.Selections, optional: c.Optional, merge: c.Merge}
}

// first is what find needs.
func (g *groups) first() wanted {
	want := wanted{find: true}
	for _, s := range g.selections {
		switch s.Kind {
		case ByPIDFile:
			want.files = append(want.files, s.Value)
		case ByPort, ByUnix:
			want.sockets = true
		case ByCgroup:
			for _, h := range usualHierarchies {
				for _, c := range h.candidates(s.Value) {
					want.cgroups = append(append(want.cgroups, c.procsFile()), c.usageFiles()...)
				}
			}
		}
	}
	return want
}

// find looks the selections up. The infos that it returns lack what only the next
// reading can tell, whether a cgroup counts its CPU time and the quota: the first
// read puts that in.
func (g *groups) find(v view) (HostInfo, []GroupInfo, error) {
	defer v.meter.measure()()
	var err error
	if g.host, err = g.hostInfo(v.proc); err != nil {
		return g.host, nil, err
	}
	f, err := newFinder(&g.files, v)
	if err != nil {
		return g.host, nil, err
	}
	var missing []error
	for _, s := range g.selections {
		found, err := f.group(s)
		if err == nil {
			if v.live() {
				found.tree.client = int32(os.Getpid())
			}
			g.list = append(g.list, found)
			g.infos = append(g.infos, GroupInfo{Selection: s, Name: f.nameOf(found), Source: SourceTree, CPUs: found.cpus})
		} else {
			missing = append(missing, err)
		}
	}
	g.last = f.all
	g.identify(&v)
	g.overlap(f.all)
	if g.optional {
		g.lacks, missing = missing, nil
	}
	return g.host, g.infos, errors.Join(missing...)
}

// next is what the next read needs.
func (g *groups) next() wanted {
	want := wanted{known: g.known}
	for _, one := range g.list {
		want.pids = one.pids(want.pids)
		for _, c := range one.cgroups {
			want.cgroups = append(append(want.cgroups, c.procsFile()), c.usageFiles()...)
		}
		for _, c := range one.limits {
			want.cgroups = append(want.cgroups, c.limitFiles()...)
		}
	}
	slices.Sort(want.pids)
	slices.Sort(want.cgroups)
	want.pids, want.cgroups = slices.Compact(want.pids), slices.Compact(want.cgroups)
	return want
}

// read reads the host and the groups. Notes are what has come up since the
// reading before that puts a figure in doubt. Of files that change as they are
// read, v is told when that was.
func (g *groups) read(v *view) (r Reading, notes []string, err error) {
	defer v.meter.measure()()
	s, extents, settled, err := g.snapshot(v)
	if err == nil {
		r.Host, err = g.hostCounters(v.proc)
	}
	if err == nil {
		r.Uptime, err = g.uptime(v.proc)
	}
	if err != nil {
		return r, nil, fmt.Errorf("reading: %w", err)
	}
	notes, g.notes = g.notes, nil
	for n, one := range g.list {
		if one.began == nil {
			g.begin(one, &g.infos[n], v, &r)
		}
		one.tree.advance(s, extents[n], settled)
		counters, doubts := g.count(one, v, s, &r)
		r.Groups, notes = append(r.Groups, counters), append(notes, doubts...)
	}
	if v.live() {
		v.within = time.Since(v.at) / 2
		v.at = v.at.Add(v.within)
	}
	return r, notes, nil
}

// mostScans bounds how often a host is read until it holds still for the time
// between two readings of the members. A tree with 200 ends a second is read in
// about a millisecond and moves in one of five; four in a row do in one of 600.
const mostScans = 4

// snapshot reads the processes, and which of them are of which group, until no
// member has ended or waited for another meanwhile. A copy is as it is.
func (g *groups) snapshot(v *view) (s snapshot, extents []map[int32]bool, settled bool, err error) {
	for range mostScans {
		if v.live() {
			v.at = time.Now()
		}
		if s, err = g.scan(v.proc, g.known); err != nil {
			return nil, nil, false, err
		}
		extents, settled = extents[:0], v.live()
		for _, one := range g.list {
			extent := one.tree.extent(s, g.roots(one, v, s))
			extents = append(extents, extent)
			settled = settled && g.same(v.proc, s, extent)
		}
		if settled || !v.live() {
			break
		}
	}
	g.remember(s, extents)
	return s, extents, settled, nil
}

// wholeScan is every how many readings all processes are read but the kernel's.
const wholeScan = 8

// remember keeps s for the next reading, and in known the processes that are of no
// group and were there twice in a row. Those need not be read, which saves most of
// what a reading costs. They could only become members by changing their name, which
// those that do mostly do at once after their birth, or by giving their number to
// another. Either is noticed at the next whole scan. One that was born after the
// first reading then counts whole; of an older one that changed its name, what it
// has used between that and the scan is lost.
//
// A thread of the kernel's executes a program, if ever, at its birth (the kernel's
// umh.c), and most processes of many hosts are such threads: whole scans leave them
// out too.
func (g *groups) remember(s snapshot, extents []map[int32]bool) {
	g.known = make(snapshot, len(s))
	g.turn++
	for pid, p := range s {
		if g.last.has(p) && !contains(extents, pid) && (p.kernel || g.turn%wholeScan != 0) {
			g.known[pid] = p
		}
	}
	g.last = s
}

func contains(extents []map[int32]bool, pid int32) bool {
	for _, extent := range extents {
		if extent[pid] {
			return true
		}
	}
	return false
}

// roots is the processes in s that start a tree of their own: those that were
// found, and those that the selection would find now if it is one by name or by
// cgroup. A process that took over the number of another is not the one found.
func (g *groups) roots(one *group, v *view, s snapshot) []int32 {
	var roots []int32
	for _, i := range one.pinned {
		if p, ok := s[i.pid]; ok && p.start == i.start {
			roots = append(roots, i.pid)
		}
	}
	for _, c := range one.cgroups[:min(1, len(one.cgroups))] {
		roots = append(roots, g.members(v.cgroup, c)...)
	}
	if one.selection.Kind != ByName {
		return roots
	}
	own := ownTree(v.proc, s)
	for pid, p := range s {
		if !own[pid] && g.named(v.proc, &p, one.selection.Value, !g.last.has(p)) {
			roots = append(roots, pid)
		}
	}
	return roots
}
