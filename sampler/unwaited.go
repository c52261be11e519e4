package sampler

import "time"

// fewForks is how many processes a second a host starts of itself, or for the
// sampler, while nothing that is watched starts any.
const fewForks = 5

// unwaited says whether children's CPU time goes missing: some were seen to end so,
// or one of the processes lets it happen and the host starts many. A cgroup has it all.
func (one *group) unwaited(r *Reading) bool {
	elapsed := (r.Uptime - one.began.uptime).Seconds()
	many := float64(r.Host.Forks-min(one.began.host.Forks, r.Host.Forks)) > fewForks*max(elapsed, 1)
	return !one.began.isCgroup && (one.tree.unwaited > 0 || one.deserts && many)
}

// missing is the most that children which nobody waits for can have used: all that
// the host was busy with but for the group and the load generator.
func (g *groups) missing(one *group, v *view, seen time.Duration, r *Reading) time.Duration {
	others := r.Host.Busy - one.began.host.Busy - seen
	if !one.counts(one.tree.client) {
		others -= time.Duration(g.clientTicks(one, v).less(one.began.client).sum()) * g.host.Tick
	}
	return max(0, others)
}

// counts says whether a process is of the group.
func (one *group) counts(pid int32) bool { return one.tree.members[pid] != nil }

// clientTicks is what the load generator has used if it runs on this host.
func (g *groups) clientTicks(one *group, v *view) ticks {
	if one.tree.client == 0 {
		return ticks{}
	}
	p, _ := g.stat(v.proc, one.tree.client)
	return p.own
}
