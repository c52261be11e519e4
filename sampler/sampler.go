// Package sampler watches hosts while an attack runs: the CPU time, memory and
// sockets of the processes that serve, and of the host that they run on.
//
// A host's counters are read from copies of its /proc and /sys/fs/cgroup. For this
// machine they are the real ones; for another they are brought here through one ssh
// process and laid out in a directory. Everything after that is the same code, so
// local and remote figures differ in transport only.
//
// A Watch reads its host when the load begins, after each interval and at the end.
// Counters only grow, and every figure is the difference of two readings over the
// time that was measured between them, never over the nominal interval. Times of
// readings are offsets from the attack's origin on this machine's monotonic clock.
package sampler

import (
	"errors"
	"fmt"
	"time"
)

// DefaultInterval is the time between two readings, and MinInterval the least.
const (
	DefaultInterval = time.Second
	MinInterval     = 100 * time.Millisecond
)

// Config says which host to watch, how to reach it and what on it.
type Config struct {
	Host       Host          // zero: this machine
	Selections []Selection   // none: the host alone
	Optional   bool          // what matches nothing is left out instead of being an error
	Merge      bool          // a selection whose processes are all another's makes no group of its own
	Interval   time.Duration // between readings; 0 is DefaultInterval
	SSH        SSH           // for a Host elsewhere
	OnReading  func(Reading) // after each reading, one at a time: in Open and Stop, and on a goroutine of the sampler's between; may be nil
}

// SSH is how other hosts are reached: by the system's client, so that the user's
// configuration, agent, jump hosts and known hosts hold (ssh_config(5)).
type SSH struct {
	Command  []string // program and its first arguments; empty is ssh
	Identity string   // file of the one key to try; empty leaves it to the configuration

	pace pace // for tests to shorten
}

// Validate reports what is wrong with c, every fault at once.
func (c *Config) Validate() error {
	var faults []error
	if c.Interval != 0 && c.Interval < MinInterval {
		faults = append(faults, fmt.Errorf("sampling every %v: want %v or more", c.Interval, MinInterval))
	}
	for _, s := range c.Selections {
		if !s.Kind.known() {
			faults = append(faults, fmt.Errorf("%q: %q is no kind of selection", s, s.Kind))
		} else if _, err := s.check(s.String()); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func (c *Config) interval() time.Duration {
	if c.Interval == 0 {
		return DefaultInterval
	}
	return c.Interval
}
