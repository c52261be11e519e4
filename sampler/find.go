package sampler

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// finder looks selections up in a view that was fetched to find them.
type finder struct {
	*files
	view
	all    snapshot
	own    map[int32]bool // ratebench and its descendants, which no name selects
	mounts []hierarchy
}

func newFinder(f *files, v view) (*finder, error) {
	all, err := f.scan(v.proc, nil)
	if err != nil {
		return nil, err
	}
	mountinfo, _ := f.read(v.proc + "/self/mountinfo")
	mounts := parseMounts(mountinfo)
	if len(mounts) == 0 {
		mounts = usualHierarchies[:]
	}
	return &finder{f, v, all, ownTree(v.proc, all), mounts}, nil
}

// ownTree is this process and its descendants, if proc is this machine's.
func ownTree(proc string, all snapshot) map[int32]bool {
	link, _ := os.Readlink(proc + "/self")
	pid, err := strconv.ParseInt(link, 10, 32)
	if err != nil {
		return nil
	}
	return new(tree).extent(all, []int32{int32(pid)})
}

// nameOf is the selection as people know it: a number alone says little of what
// runs there.
func (f *finder) nameOf(g *group) string {
	switch g.selection.Kind {
	case ByPID, ByPort, ByPIDFile, ByUnix:
		first := f.all[g.pinned[0].pid]
		return fmt.Sprintf("%s (%s)", first.name(), g.selection)
	}
	return g.selection.String()
}

// group is the group that s names, or an error that says what there is not.
func (f *finder) group(s Selection) (*group, error) {
	g := &group{selection: s}
	var roots []int32
	var err error
	switch s.Kind {
	case ByName:
		roots, err = f.byName(s.Value)
	case ByPID:
		roots, err = f.byPID(s.Value)
	case ByPIDFile:
		roots, err = f.byPIDFile(s.Value)
	case ByPort:
		roots, err = f.byPort(s.Value)
	case ByUnix:
		roots, err = f.byUnix(s.Value)
	case ByCgroup:
		g.cgroups, err = f.byCgroup(s.Value)
	case ByUnit:
		g.cgroups, err = f.byUnit(s.Value)
	}
	if err != nil {
		return nil, err
	}
	if len(g.cgroups) > 0 {
		roots = f.inCgroup(g.cgroups[0])
	}
	for _, pid := range roots {
		p := f.all[pid]
		g.pinned = append(g.pinned, p.id())
	}
	g.cpus, g.limits = f.cpus(roots), f.limits(roots, g.cgroups)
	return g, nil
}

func (f *finder) byName(name string) ([]int32, error) {
	var found []int32
	for pid, p := range f.all {
		if !f.own[pid] && f.named(f.proc, &p, name, true) {
			found = append(found, pid)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no process named %q", name)
	}
	slices.Sort(found)
	return found, nil
}

// named says whether p is called name: by the kernel, whose names end after 15
// bytes, or by its command line, which is read if so wanted and if it is there: of
// another host it only is for finding. No thread of the kernel and nothing that has
// ended is called anything. A name that is a path is that of a program's file, of
// which neither says more than the base name.
func (f *files) named(proc string, p *procStat, name string, commandLine bool) bool {
	const most = 15
	name = path.Base(name)
	if p.kernel || p.over() {
		return false
	}
	comm := p.name()
	if string(comm) == name {
		return true
	}
	isCut := len(name) > most && string(comm) == name[:most]
	if !isCut && !commandLine {
		return false
	}
	text, _ := f.read(proc + "/" + pidText(p.pid) + "/cmdline")
	return titled(text, name, isCut)
}

// titled says whether a command line is that of a program called name. Programs
// that show a title write it over the command line: nginx: worker process. Of a
// cut name the whole may also be that of a script, which its interpreter has as
// an argument.
func titled(commandLine []byte, name string, isCut bool) bool {
	if len(commandLine) == 0 {
		return isCut
	}
	for n, argument := range bytes.Split(bytes.TrimRight(commandLine, "\x00"), []byte{0}) {
		if n > 0 && !isCut {
			break
		}
		title, _, _ := strings.Cut(string(argument), ": ")
		program, _, _ := strings.Cut(title, " ")
		if path.Base(title) == name || path.Base(program) == name {
			return true
		}
	}
	return false
}

func (f *finder) byPID(number string) ([]int32, error) {
	pid, err := strconv.ParseInt(number, 10, 32)
	if _, ok := f.all[int32(pid)]; !ok || err != nil {
		return nil, fmt.Errorf("no process %s", number)
	}
	return []int32{int32(pid)}, nil
}

func (f *finder) byPIDFile(name string) ([]int32, error) {
	text, err := f.read(path.Join(f.root, name))
	if err != nil {
		var wrapped *os.PathError
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the path may be that of a copy
		}
		return nil, fmt.Errorf("pid file %s: %w", name, err)
	}
	word, _ := nextWord(text)
	if _, ok := parseUint(word); !ok {
		return nil, fmt.Errorf("pid file %s: %.20q is no process number", name, text)
	}
	pids, err := f.byPID(string(word))
	if err != nil {
		return nil, fmt.Errorf("pid file %s: %w", name, err)
	}
	return pids, nil
}

// cpus is the cores that any of the processes may run on.
func (f *finder) cpus(pids []int32) []int {
	var cpus []int
	for _, pid := range pids {
		text, _ := f.read(f.proc + "/" + pidText(pid) + "/status")
		cpus = append(cpus, parseCPUs(lineAfter(text, "Cpus_allowed_list:"))...)
	}
	slices.Sort(cpus)
	return slices.Compact(cpus)
}
