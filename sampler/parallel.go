package sampler

// kind is what the workers of a server have in common.
type kind struct {
	parent int32
	comm   [16]byte
}

// parallel is how many threads the work can be spread over: those of the processes
// that did some, and of their siblings of the same name. These would be counted by
// chance otherwise, as a kernel that wakes one worker first leaves the others idle.
// A single tick tells nothing, a master's now and then is one.
func (t *tree) parallel() int {
	work := make(map[kind]bool)
	for _, m := range t.members {
		if used := m.total().sum() - m.base; used > 1 && used*share >= t.cpu {
			work[kind{m.parent, m.comm}] = true
		}
	}
	threads := 0
	for _, m := range t.members {
		if !m.over() && work[kind{m.parent, m.comm}] {
			threads += int(m.threads)
		}
	}
	return threads
}
