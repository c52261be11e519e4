package report

import (
	"ratebench/attack/record"
	"ratebench/sampler"
)

// Server is what the processes of one selection on a watched host used. CPU time
// and replies are of one and the same span, from From to To. Figures that are not
// known are undefined, and all are of a host that could not be watched.
type Server struct {
	Name   string `json:"name"`   // of the selection; empty if the host could not be watched
	Host   string `json:"host"`   // local, or as ssh was told: user@host:port
	Source string `json:"source"` // of the CPU time, in the sampler's words; empty if there is none
	Within string `json:"within"` // name of the server that has these processes too; sums leave this one out. Empty if there is none

	From record.Number `json:"from_s"` // of the span, from the origin; negative before it
	To   record.Number `json:"to_s"`

	CPU                  record.Number `json:"cpu_s"`
	CPUUser              record.Number `json:"cpu_user_s"` // user and system may be less exact than their sum
	CPUSystem            record.Number `json:"cpu_system_s"`
	Precision            record.Number `json:"precision_s"` // of CPU: off by at most that, but for one span in a hundred
	Cores                record.Number `json:"cpu_cores"`   // CPU ÷ the time measured between the readings
	Replies              record.Number `json:"replies"`     // that ended in the span, interpolated within its first and last second
	CPUPerReply          record.Number `json:"cpu_s_per_reply"`
	CPUPerReplyPrecision record.Number `json:"cpu_s_per_reply_precision"` // as Precision, with what the readings' instants leave open of Replies

	Available record.Number `json:"available_cores"` // that it can fill: the least of quota, allowed cores and threads at work
	Quota     record.Number `json:"quota_cores"`     // of its cgroup; undefined if it has none
	Throttled record.Number `json:"throttled_s"`     // by the quota, summed over cores: may be more than the span

	Processes record.Number `json:"processes"`      // the most at one reading, as the two that follow
	Threads   record.Number `json:"threads"`        //
	RSSPeak   record.Number `json:"rss_peak_bytes"` // of what lived at a reading: short-lived children and peaks between readings are not seen

	Samples []ServerSample `json:"samples"` // of the whole run, in order of time
}

// ServerSample is a group at one reading and what it used since the one before.
type ServerSample struct {
	T         record.Number `json:"t_s"` // of the reading, from the origin
	Cores     record.Number `json:"cpu_cores"`
	RSS       record.Number `json:"rss_bytes"` // now
	Processes int           `json:"processes"` // now
	Threads   int           `json:"threads"`   // now
	Throttled record.Number `json:"throttled_s"`
}

// Host is what was seen of a watched host as a whole. Its CPU times are sampled at
// the timer's tick, which a load at a fixed rate may fall in step with: they are
// context to the figures of Server. Shares and cores are of the span from From to To,
// counts from the reading at the origin, or the last before it, to that at the run's
// end, or the last.
type Host struct {
	Name   string `json:"name"` // as in Server
	Kernel string `json:"kernel"`
	Cores  int    `json:"cores"` // online

	From record.Number `json:"from_s"`
	To   record.Number `json:"to_s"`

	Busy       record.Number `json:"busy_cores"`
	Interrupts record.Number `json:"interrupts_cores"` // of Busy
	Steal      record.Number `json:"steal_share"`      // of the time of all cores

	HostCounts

	SamplerCPU  record.Number `json:"sampler_cpu_share"` // of one core, that watching cost this host
	ClockOffset record.Number `json:"clock_offset_s"`    // as in sampler.Clock; undefined for this machine, as the two that follow
	ClockWithin record.Number `json:"clock_within_s"`
	ClockDrift  record.Number `json:"clock_drift"` // relative

	Lost    *LinkLoss    `json:"lost"`  // null if the readings did not end before the run
	Notes   []string     `json:"notes"` // doubts of the sampler
	Samples []HostSample `json:"samples"`
}

// HostCounts are counts of a host between two readings. Those that it does not tell
// are undefined.
type HostCounts struct {
	Overflows record.Number `json:"listen_overflows"` // connections that a full accept queue turned away
	Drops     record.Number `json:"listen_drops"`     // connections dropped at listening sockets, for any reason
	Received  record.Number `json:"received_bytes"`   // over all interfaces but loopback
	Sent      record.Number `json:"sent_bytes"`
	Forks     record.Number `json:"forks"`
	// Switches are context switches; nil if not known, as in documents of before they were counted.
	Switches *record.Number `json:"context_switches,omitempty"`
}

// LinkLoss is the end of a host's readings before that of the run.
type LinkLoss struct {
	T   record.Number `json:"t_s"` // of the last reading
	Why string        `json:"why"`
}

// HostSample is a host at one reading and what it did since the one before.
type HostSample struct {
	T          record.Number `json:"t_s"`
	Busy       record.Number `json:"busy_cores"`
	Interrupts record.Number `json:"interrupts_cores"`
	Steal      record.Number `json:"steal_share"`
	TimeWait   record.Number `json:"time_wait"` // sockets, now
	HostCounts
}

// AddServers adds to d what was watched during the run: a Host for each record, a
// Server for each of its groups, their CPU to the intervals, and findings to the
// verdict. It is called once; the records' readings have the run's origin.
func AddServers(d *Document, watched []*sampler.Record) {
	var servers []record.ServerUse
	var hosts []record.HostUse
	watched = withoutTwins(watched)
	for _, w := range watched {
		host, first := newHost(d, w), len(d.Server)
		for i := range w.Groups {
			server := newServer(d, w, i)
			d.Server, servers = append(d.Server, server), append(servers, server.use(d, w, i))
		}
		d.Hosts, hosts = append(d.Hosts, host), append(hosts, host.use(&d.Client, d.Server[first:]))
	}
	fillIntervals(d, watched)
	record.JudgeServers(&d.Verdict, &d.Client, servers, hosts)
}

// Unwatched notes that the CPU of a host is not known and why, in one line that
// names the host: a Server without figures and a finding.
func Unwatched(d *Document, host, why string) {
	d.Server = append(d.Server, noServer(host))
	d.Verdict.Add(record.Unwatched(valid(why)))
}

// NotWatched notes that no server was watched although nobody turned that off, and
// why, in words such as "its processes are another user's". The run is none the
// worse for it: a finding that leaves the verdict as it is.
func NotWatched(d *Document, why string) { d.Verdict.Add(record.NotWatched(valid(why))) }

func noServer(host string) Server {
	u := record.Undefined()
	return Server{
		Host: valid(host), From: u, To: u,
		CPU: u, CPUUser: u, CPUSystem: u, Precision: u, Cores: u, Replies: u, CPUPerReply: u, CPUPerReplyPrecision: u,
		Available: u, Quota: u, Throttled: u, Processes: u, Threads: u, RSSPeak: u,
		Samples: []ServerSample{},
	}
}
