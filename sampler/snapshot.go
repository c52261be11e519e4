package sampler

import "os"

// snapshot holds all processes of a host as of one instant, by number.
type snapshot map[int32]procStat

// has says whether p is in s too, as the same process.
func (s snapshot) has(p procStat) bool {
	other, ok := s[p.pid]
	return ok && other.start == p.start
}

// scan reads every process's stat, once each, but takes over those in known that
// still have their number. A process that ends between the listing and its reading
// is left out.
func (f *files) scan(proc string, known snapshot) (snapshot, error) {
	pids, err := listPIDs(proc)
	if err != nil {
		return nil, err
	}
	s := make(snapshot, len(pids))
	for _, pid := range pids {
		p, ok := known[pid]
		if !ok {
			p, ok = f.stat(proc, pid)
		}
		if ok {
			s[pid] = p
		}
	}
	return s, nil
}

// listPIDs is the numbers of the processes in proc, in no order.
func listPIDs(proc string) ([]int32, error) {
	dir, err := os.Open(proc)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	pids := make([]int32, 0, len(names))
	for _, name := range names {
		if n, ok := parseUint([]byte(name)); ok && n > 0 && n < 1<<31 {
			pids = append(pids, int32(n))
		}
	}
	return pids, err
}

func (f *files) stat(proc string, pid int32) (procStat, bool) {
	text, err := f.slurp(proc+"/"+pidText(pid)+"/stat", true)
	if err != nil {
		return procStat{}, false
	}
	p, ok := parseStat(text)
	return p, ok && p.pid == pid
}

// same says whether the members of s are still there and have waited for no
// child since they were read. Then there was an instant, after the last of the
// first readings and before the first of these, at which all of them lived and
// the times of their ended children were as in s: no child's time is in s twice,
// as its own and as its parent's, and none is lost between the two. A wait that
// moved no tick moved no time that s shows.
func (f *files) same(proc string, s snapshot, members map[int32]bool) bool {
	if len(members) < 2 {
		return true // nothing passes between members
	}
	for pid := range members {
		now, ok := f.stat(proc, pid)
		then := s[pid]
		if !ok || now.start != then.start || now.children != then.children {
			return false
		}
	}
	return true
}
