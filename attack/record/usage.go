package record

import (
	"runtime"
	"time"
)

// usage is one reading of what this process has used.
type usage struct {
	at           time.Time
	user, system time.Duration // CPU time
	rssPeak      uint64        // bytes
}

func (u usage) cpu() time.Duration { return u.user + u.system }

// minUsageSpan is the shortest span over which a share of cores is told. The
// wakes of a moment fill a shorter one, which says nothing of the run.
const minUsageSpan = 100 * time.Millisecond

// cores is the mean number of cores used since before; undefined over less than
// minUsageSpan and where the system does not tell.
func (u usage) cores(before usage) Number {
	span := u.at.Sub(before.at)
	if !usageKnown || span < minUsageSpan {
		return Undefined()
	}
	return Ratio(float64(u.cpu()-before.cpu()), float64(span))
}

// client is what the process used from before to u. A run that ended in its
// warm-up has no such span.
func (u usage) client(before usage) Client {
	none := Undefined()
	c := Client{
		CPU: none, CPUUser: none, CPUSystem: none, Cores: u.cores(before),
		Available: runtime.NumCPU(), CPUs: allowedCPUs(), RSSPeak: u.rssPeak,
	}
	if usageKnown && !u.at.Before(before.at) {
		c.CPU = Seconds(u.cpu() - before.cpu())
		c.CPUUser, c.CPUSystem = Seconds(u.user-before.user), Seconds(u.system-before.system)
	}
	return c
}
