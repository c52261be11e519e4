package sampler

import "time"

// Record is all that a Watch saw.
type Record struct {
	Host     HostInfo
	Groups   []GroupInfo // one for each selection
	Readings []Reading   // in order of time; where a reading failed there is none
	Lost     *Loss       // why the readings stop before the end; nil if they do not
	Notes    []string    // doubts, one line each
	Cost     Cost
	Clock    Clock
}

// HostInfo is what does not change on a host.
type HostInfo struct {
	Name   string        // "local" or as ssh was told: user@host:port
	Kernel string        // release; empty if unknown
	Cores  int           // online
	Tick   time.Duration // of its process times: 10 ms where USER_HZ is 100
}

// GroupInfo is what does not change of the processes that a selection names.
type GroupInfo struct {
	Selection Selection
	Name      string  // for people: nginx, nginx (:8080), cgroup:system.slice/nginx.service
	Within    string  // name of a group that has processes of this one, so that sums leave this one out; empty if none has
	Source    string  // one of the Source constants
	Quota     float64 // cores that its cgroup may use; 0 if it is not limited
	CPUs      []int   // cores that its processes may run on; empty if unknown
	// Identity is the same for groups that begin with the same process of the same
	// start of the same host, by whatever way that is reached; empty if unknown.
	Identity string
}

// Sources of a group's CPU time, in order of trust.
const (
	SourceCgroup2 = "cgroup v2"    // cpu.stat usage_usec: dead children included
	SourceCgroup1 = "cgroup v1"    // cpuacct.usage: the same
	SourceTree    = "process tree" // utime + stime + reaped children (proc(5))
)

// Reading is a host at one instant. Counters are cumulative.
type Reading struct {
	At     time.Duration // since the origin, on this machine's monotonic clock; negative before it
	Within time.Duration // the reading was taken at At, give or take this
	Uptime time.Duration // the host's own clock, to 10 ms
	Host   HostCounters
	Groups []GroupCounters // one for each selection
}

// HostCounters are of the whole host. Its CPU times are sampled at the timer's
// tick, which load at a fixed rate may fall in step with: they are context, not a
// result (proc_stat(5)). Sockets and bytes are those of the network namespace that
// the sampler is in, so that a container's own are not among them
// (network_namespaces(7)). What a host does not tell, for good or this once, is
// unknown and 0.
type HostCounters struct {
	Busy, Steal     time.Duration // all cores; Busy counts a guest's time once and no waiting for I/O
	Interrupts      time.Duration // of Busy: hard and soft interrupts
	Forks           uint64
	Switches        uint64 // of context, threads of the kernel included
	ListenOverflows uint64 // connections that a full accept queue turned away
	ListenDrops     uint64 // connections dropped at listening sockets for any reason
	ListenUnknown   bool   // both
	TimeWait        uint64 // sockets, now
	TimeWaitUnknown bool
	Received, Sent  uint64 // bytes over all interfaces but loopback
	BytesUnknown    bool   // both
}

// GroupCounters are of the processes that a selection names. CPU times count from
// the first reading and never fall.
type GroupCounters struct {
	CPU, User, System time.Duration // User and System may be less exact than their sum
	Precision         time.Duration // of a difference of CPU between two readings: at most that, but for one in a hundred; what may be Unwaited included
	RSS               uint64        // bytes, now, a page that processes share once for each of them; 0 if unknown
	Processes         int           // now
	Threads           int           // now
	Parallel          int           // threads of the processes that did nearly all of the work so far, and of their siblings of the same name; of all while that is less than 0.2 s
	Throttled         time.Duration // by quotas since the first reading, of each interval what the strictest held back
	Ended             bool          // none of the processes is left
	Unwaited          bool          // since the first reading, children have ended that nobody of them waits for, or are likely to have: CPU is missing
	Client            bool          // the load generator is one of the processes, and its CPU in the figures
}

// Loss is the end of the readings before that of the run.
type Loss struct {
	At  time.Duration // of the last reading
	Why string        // one line
}

// Cost is what sampling cost the watched host from the first reading on. What it
// took to find the processes before that, some milliseconds, is not in it.
type Cost struct {
	CPU     time.Duration // of the sampler there and of its ssh session
	Elapsed time.Duration
}

// Clock is how the host's own clock stands to this machine's, by the fastest
// exchanges at the beginning and the end; zero for this machine.
type Clock struct {
	Offset time.Duration // host's uptime − this machine's monotonic time since the first exchange
	Within time.Duration // Offset is right, give or take this: half the fastest round trip and the clock's 10 ms
	Drift  float64       // relative, of the host's clock over the run; 0 if it is within the uncertainty
}
