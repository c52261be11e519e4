package sampler

// tree follows processes and their descendants from snapshot to snapshot and adds
// up their CPU time so that it never falls and counts nothing twice. It reads no
// file and no clock. The zero value is a tree without members.
//
// The time of a tree is the sum over its members of their own time and that of
// the children that they waited for (utime, stime, cutime and cstime of
// proc_pid_stat(5)). When a member ends and its parent, a member too, waits for
// it, the time moves from the one term to the other and the sum stays. When
// nobody of the tree waits, because the parent ignores SIGCHLD (wait(2)) or has
// ended first, the time would leave the sum: it is put on the ledger instead, as
// it was last seen.
type tree struct {
	client   int32       // the load generator, which is left out with all that it started unless it is a root; 0 if there is none
	before   map[id]bool // processes that were there at the first snapshot
	members  map[int32]*member
	ledger   ticks // of members that ended and that no member waited for
	base     ticks // what members had used before they counted
	total    ticks // by kind, each the most so far
	cpu      int64 // ticks of both kinds, the most so far
	lost     int   // members on the ledger, but for those that a torn snapshot may only have read too early
	unwaited int   // of lost, children of members, of which what they used at their end is missing: there are more like them
	unseen   int64 // ticks of children that were waited for and had never been seen
}

// member is a process of the tree at the last snapshot.
type member struct {
	procStat
	base     int64  // ticks of its own and its children's that do not count
	child    bool   // of a member, when it became one itself
	switches uint64 // of its first thread, the most so far; 0 if unknown
	switched bool   // it has run since the first snapshot, or may have
	reaped   bool   // it has waited for a child since then

	// Of a snapshot that may be torn, what the next one may put right.
	pending ticks // put on the ledger, though the parent may only have been read too early
	credit  int64 // ticks waited for that belong to no child known to have ended
}

// extent is the numbers of those in s that belong to the tree: members that still
// live, the roots given and the descendants of all of them but the client's. It
// changes nothing.
func (t *tree) extent(s snapshot, roots []int32) map[int32]bool {
	in := make(map[int32]bool, len(t.members)+len(roots))
	for pid, m := range t.members {
		if now, ok := s[pid]; ok && now.start == m.start {
			in[pid] = true
		}
	}
	for _, pid := range roots {
		if _, ok := s[pid]; ok {
			in[pid] = true
		}
	}
	out := make(map[int32]bool)
	if !in[t.client] {
		out[t.client] = true
	}
	for pid := range s {
		s.descend(pid, in, out)
	}
	return in
}

// descend puts pid, and the ancestors up to the first that is decided, into in or
// out. The path is marked as out while it is walked, which ends a circle.
func (s snapshot) descend(pid int32, in, out map[int32]bool) {
	var path [64]int32
	walked := path[:0]
	for !in[pid] && !out[pid] {
		p, ok := s[pid]
		if !ok {
			break
		}
		out[pid] = true
		walked = append(walked, pid)
		pid = p.parent
	}
	if !in[pid] {
		return
	}
	for _, descendant := range walked {
		delete(out, descendant)
		in[descendant] = true
	}
}

// above says whether an ancestor of pid in s is a member.
func (t *tree) above(s snapshot, pid int32) bool {
	for range len(s) { // as many steps as there can be without a circle
		p, ok := s[pid]
		if !ok {
			return false
		}
		if pid = p.parent; t.members[pid] != nil {
			return true
		}
	}
	return false
}

// advance goes on to the next snapshot, in which extent is of the tree. Settled
// says that the snapshot is of one instant; where it is not, a child's end may
// show in its parent one snapshot too early or too late.
func (t *tree) advance(s snapshot, extent map[int32]bool, settled bool) {
	if t.members == nil {
		t.members, t.before = make(map[int32]*member), make(map[id]bool, len(s))
		for _, p := range s {
			t.before[p.id()] = true
		}
	}
	t.settle(s, extent, settled)
	var sum ticks
	for pid := range extent {
		sum = sum.plus(t.update(s[pid], extent).total())
	}
	t.raise(sum.plus(t.ledger).less(t.base))
}

// raise sets the total, which never falls: a sum below it means that the last
// snapshot held a child's time twice.
func (t *tree) raise(sum ticks) {
	t.total.user = max(t.total.user, sum.user)
	t.total.system = max(t.total.system, sum.system)
	t.cpu = max(t.cpu, sum.sum())
}

// update takes over how a member is now, or makes it one. What it used before it
// became a member does not count if it was there at the first snapshot; one that
// was born later counts whole.
func (t *tree) update(p procStat, extent map[int32]bool) *member {
	m := t.members[p.pid]
	if m == nil {
		m = &member{procStat: p, child: extent[p.parent]}
		t.members[p.pid] = m
		if t.before[p.id()] {
			t.base = t.base.plus(p.total())
			m.base = p.total().sum()
			return m
		}
		m.switched, m.reaped = p.own != ticks{}, p.children != ticks{}
		return m
	}
	m.switched = m.switched || p.own != m.own
	m.reaped = m.reaped || p.children != m.children
	m.procStat = p
	return m
}

// settle closes the accounts of the members that have ended. Their time is charged
// to the nearest ancestor that still lives, which has waited for it, directly or
// through another that ended; without one it goes on the ledger.
//
// Rounding makes no difference between a child's last known ticks and the growth
// of its parent's: the parent adds up finer time than ticks and floors the sum,
// which is never below the sum of the floors.
func (t *tree) settle(s snapshot, extent map[int32]bool, settled bool) {
	owed := make(map[*member]ticks)
	for pid, m := range t.members {
		if extent[pid] && s[pid].start == m.start {
			continue
		}
		used := m.total().plus(m.pending) // whoever waited for m has all of it
		t.ledger = t.ledger.less(m.pending)
		if heir := t.heir(m, s, extent); heir != nil {
			owed[heir] = owed[heir].plus(used)
		} else if used.sum() > 0 {
			t.ledger, t.lost = t.ledger.plus(used), t.lost+1
			if m.child && t.members[m.parent] == nil { // its parent ended before and left it to init
				t.unwaited++
			}
		}
	}
	for pid, m := range t.members {
		if now := s[pid]; extent[pid] && now.start == m.start {
			t.balance(m, now.children.less(m.children), owed[m], settled)
		}
	}
	for pid, m := range t.members {
		if !extent[pid] || s[pid].start != m.start {
			delete(t.members, pid)
		}
	}
}

// heir is the nearest ancestor of m, as they were last seen, that lives in s.
func (t *tree) heir(m *member, s snapshot, extent map[int32]bool) *member {
	for range len(t.members) { // as many steps as there can be without a circle
		m = t.members[m.parent]
		if m == nil {
			return nil
		}
		if now := s[m.pid]; extent[m.pid] && now.start == m.start {
			return m
		}
	}
	return nil
}

// balance compares what a member has waited for since the last snapshot with what
// is owed for children that ended, and puts on the ledger what is missing. What the
// last snapshot may have been too early for is paid first.
func (t *tree) balance(m *member, grown, owed ticks, settled bool) {
	back := owedShare(m.pending, min(grown.sum(), m.pending.sum()))
	t.ledger = t.ledger.less(back)
	if back.sum() < m.pending.sum() {
		t.lose()
	}
	surplus := grown.sum() - back.sum() - owed.sum()
	missing := owedShare(owed, max(0, -surplus-m.credit))
	m.pending, m.credit = ticks{}, 0
	switch {
	case surplus >= 0:
		t.unseen += surplus
		if !settled {
			m.credit = surplus
		}
	case missing.sum() > 0:
		t.ledger = t.ledger.plus(missing)
		if settled {
			t.lose()
		} else {
			m.pending = missing
		}
	}
}

// lose notes a child that its parent, which lives, did not wait for.
func (t *tree) lose() { t.lost, t.unwaited = t.lost+1, t.unwaited+1 }

// owedShare is n ticks, split as those of whole are.
func owedShare(whole ticks, n int64) ticks {
	if whole.sum() <= 0 {
		return ticks{}
	}
	user := int64(float64(n) * float64(whole.user) / float64(whole.sum()))
	return ticks{user, n - user}
}
