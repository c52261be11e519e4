package sampler

// kind is what the workers of a server have in common.
type kind struct {
	parent int32
	comm   [16]byte
}

// fewTicks are too few to tell who works: which worker the kernel woke for them, and
// at which of its tasks the timer's tick found it, is chance.
const fewTicks = 20

// parallel is how many threads the work can be spread over: those of the processes
// that did some, and of their siblings of the same name, whom chance left idle. A
// single tick tells nothing: a master's now and then is one.
func (t *tree) parallel() int {
	work := make(map[kind]int64)
	for _, m := range t.members {
		work[kind{m.parent, m.comm}] += m.total().sum() - m.base
	}
	threads, all := 0, 0
	for _, m := range t.members {
		if m.over() {
			continue
		}
		all += int(m.threads)
		if used := work[kind{m.parent, m.comm}]; used > 1 && used*share >= t.cpu {
			threads += int(m.threads)
		}
	}
	if t.cpu < fewTicks || threads == 0 {
		return all
	}
	return threads
}
