package sampler

import (
	"fmt"
	"slices"
	"time"
)

// group is the processes that one selection names.
type group struct {
	selection Selection
	pinned    []id     // processes that were found
	cgroups   []cgroup // that were found; once begun, the one that is read
	limits    []cgroup // whose quotas hold
	cpus      []int

	tree      tree
	began     *beginning      // nil before the first reading
	deserts   bool            // a process has been seen that leaves its children's times to nobody
	account   account         // of the cgroup
	counted   time.Duration   // of it at the last reading
	throttled []time.Duration // by each of limits at the last reading that told
	held      time.Duration   // by limits since the first
	ended     bool            // at the last reading
	told      map[string]bool // notes that were made
}

// beginning is what the first reading settled.
type beginning struct {
	uptime   time.Duration
	host     HostCounters
	client   ticks // of the load generator on this host
	isCgroup bool  // a cgroup counts the CPU time, not the tree
}

// begin settles at the first reading where the CPU time comes from and puts that
// and the quota into info.
func (g *groups) begin(one *group, info *GroupInfo, v *view, r *Reading) {
	one.began, one.told = &beginning{uptime: r.Uptime, host: r.Host, client: g.clientTicks(one, v)}, make(map[string]bool)
	for n, c := range one.cgroups {
		if now, ok := g.usage(v.cgroup, c, g.host.Tick); ok {
			one.cgroups, one.account.last, one.began.isCgroup = one.cgroups[n:n+1], now, true
			info.Source = c.source()
			break
		}
	}
	for _, c := range one.limits {
		if quota := g.quota(v.cgroup, c); quota > 0 && (info.Quota == 0 || quota < info.Quota) {
			info.Quota = quota
		}
	}
	one.limits = slices.DeleteFunc(one.limits, func(c cgroup) bool {
		held, ok := g.files.throttled(v.cgroup, c)
		if ok {
			one.throttled = append(one.throttled, held)
		}
		return !ok // there is none, as at the top
	})
}

// count is one group's counters, with notes on them.
func (g *groups) count(one *group, v *view, s snapshot, r *Reading) (GroupCounters, []string) {
	c := one.tree.counters(g.host.Tick)
	for pid, m := range one.tree.members {
		text, _ := g.slurp(v.proc+"/"+pidText(pid)+"/status", true)
		status := parseStatus(text)
		m.ran(status.switches, one.tree.before[m.id()])
		one.deserts = one.deserts || status.deserts
		c.RSS += m.memory(status.rss)
	}
	pairs, hidden := one.tree.pairs(), one.tree.unseen*share > one.tree.cpu
	c.Precision = treePrecision(pairs, g.host.Tick)
	if one.began.isCgroup {
		seen := c.CPU + treePrecision(pairs, g.host.Tick)
		g.countCgroup(one, v, &c, r.Uptime-one.began.uptime)
		hidden = hidden || (c.CPU-seen)*share > c.CPU
	}
	if hidden {
		c.Parallel = max(c.Parallel, g.host.Cores)
	}
	c.Throttled = g.countThrottled(one, v)
	if c.Unwaited = one.unwaited(r); c.Unwaited {
		c.Precision += g.missing(one, v, c.CPU, r)
	}
	c.Client = one.counts(one.tree.client)
	notes := one.doubts(s, c, v.at)
	one.ended = c.Ended
	return c, notes
}

// share is the part of a group's CPU time below which a process counts as idle:
// one in a hundred.
const share = 100

// counters is what the tree alone tells.
func (t *tree) counters(tick time.Duration) GroupCounters {
	c := GroupCounters{
		CPU:    time.Duration(t.cpu) * tick,
		User:   time.Duration(t.total.user) * tick,
		System: time.Duration(t.total.system) * tick,
	}
	for _, m := range t.members {
		if m.over() {
			continue
		}
		c.Processes++
		c.Threads += int(m.threads)
	}
	c.Ended = c.Processes == 0
	c.Parallel = max(t.parallel(), 1)
	return c
}

// ran notes whether m has run, or may have, since the first snapshot, at which it
// was there before or not. Its context switches tell if they are known, but are
// those of its first thread alone: one that has others is taken to have run.
func (m *member) ran(switches uint64, before bool) {
	grown := switches > m.switches && (m.switches > 0 || !before)
	m.switched = m.switched || grown || m.threads > 1
	m.switches = max(m.switches, switches)
}

// memory is m's resident set. Its stat has it in pages, whose size another host
// does not tell; that is used only until its status is brought.
func (m *member) memory(rss uint64) uint64 {
	const usualPage = 4096
	if rss == 0 {
		return m.pages * usualPage
	}
	return rss
}

// account adds up a cgroup's CPU time since the first reading. A cgroup that was
// removed and made again begins at 0.
type account struct{ used, last usage }

func (a *account) add(now usage) {
	if now.cpu < a.last.cpu {
		a.last = usage{}
	}
	a.used.cpu += now.cpu - a.last.cpu
	a.used.user += max(0, now.user-a.last.user)
	a.used.system += max(0, now.system-a.last.system)
	a.last = now
}

// countCgroup replaces the tree's CPU time by the cgroup's. When that is gone the
// last figure stays. As long as the cgroup works it has processes, even if none is
// known, as of those that were moved into a cgroup below it that is new.
func (g *groups) countCgroup(one *group, v *view, c *GroupCounters, elapsed time.Duration) {
	if now, ok := g.usage(v.cgroup, one.cgroups[0], g.host.Tick); ok {
		one.account.add(now)
	}
	used := one.account.used
	c.Ended = c.Ended && used.cpu == one.counted
	one.counted = used.cpu
	c.CPU, c.User, c.System = used.cpu, used.user, used.system
	c.Precision = cgroupPrecision(used.cpu, elapsed, g.host.Cores)
}

// countThrottled is how long quotas have held the group back. Levels are not
// added up, since a task that one of them holds back may be held by another too:
// what counts of each interval is the level that held back most in it.
func (g *groups) countThrottled(one *group, v *view) time.Duration {
	most := time.Duration(0)
	for n, c := range one.limits {
		if now, ok := g.files.throttled(v.cgroup, c); ok {
			most = max(most, now-one.throttled[n])
			one.throttled[n] = now
		}
	}
	one.held += most
	return one.held
}

// doubts is what has happened to the group that its reader should know, once each.
func (one *group) doubts(s snapshot, c GroupCounters, at time.Time) []string {
	var notes []string
	add := func(format string, values ...any) {
		if note := fmt.Sprintf(format, values...); !one.told[note] {
			one.told[note] = true
			notes = append(notes, note)
		}
	}
	clock := at.Format("15:04:05.0")
	for _, i := range one.pinned {
		p, taken := s[i.pid]
		if taken && p.start != i.start && one.tree.members[i.pid] == nil && !one.told[pidText(i.pid)] {
			one.told[pidText(i.pid)] = true
			add("%s: process %d ended by %s; its number is another's now, which is not counted", one.selection, i.pid, clock)
		}
	}
	if c.Ended && !one.ended {
		add("%s: the last of its processes ended by %s%s", one.selection, clock, one.afterwards())
	}
	if one.tree.lost > 0 && !c.Ended && !one.began.isCgroup {
		add("%s: processes ended that none of the others waited for; what they used after the reading before is not counted", one.selection)
	}
	switch client := one.tree.client; {
	case c.Client:
		add("%s: ratebench itself is among its processes, and its CPU in the figures", one.selection)
	case client != 0 && one.tree.above(s, client):
		add("%s: ratebench itself, which it started, is left out", one.selection)
	}
	return notes
}

// afterwards says what becomes of the selection when all its processes have ended.
func (one *group) afterwards() string {
	switch one.selection.Kind {
	case ByName:
		return "; new ones of the name are counted"
	case ByPort, ByUnix:
		return "; what listens there after them is not counted"
	case ByPID, ByPIDFile:
		return ""
	}
	return "; new ones in the cgroup are counted"
}

// pids adds the members to pids, before the first reading those that were found.
func (one *group) pids(pids []int32) []int32 {
	if one.began == nil {
		for _, i := range one.pinned {
			pids = append(pids, i.pid)
		}
	}
	for pid := range one.tree.members {
		pids = append(pids, pid)
	}
	return pids
}
