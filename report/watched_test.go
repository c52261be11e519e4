package report

import (
	"time"

	"ratebench/sampler"
)

// watching invents what a sampler saw of a host with the given groups during the
// seconds of a run: readings just before the origin, a little after each whole
// second and at the end.
type watching struct {
	record sampler.Record
	groups []watchedGroup
}

// watchedGroup is one group's behaviour: what it uses for each reply.
type watchedGroup struct {
	info               sampler.GroupInfo
	user, system       time.Duration // per reply
	precision          time.Duration
	processes, threads int
	parallel           int
	rss                uint64
	throttled          time.Duration // per second
	endsAfter          time.Duration // 0 for never
}

// watch adds the readings of d's run, as a sampler with that delay behind the
// second takes them, until the given time.
func (w *watching) watch(d *Document, delay, until time.Duration) *sampler.Record {
	end := min(length(d.Summary.Elapsed)+3*time.Millisecond, until)
	w.read(d, -40*time.Millisecond)
	for at := time.Duration(0); at+delay < end; at += time.Second {
		w.read(d, at+delay)
	}
	if until > end {
		w.read(d, end)
	}
	w.record.Cost.Elapsed = end
	return &w.record
}

// read adds the reading at an instant.
func (w *watching) read(d *Document, at time.Duration) {
	replies := countReplies(d, at).n
	seconds := max(at, 0).Seconds()
	r := sampler.Reading{At: at, Within: 200 * time.Microsecond, Uptime: (5000*time.Second + at).Truncate(uptimeStep)}
	r.Host = w.host(replies, seconds)
	for _, g := range w.groups {
		r.Groups = append(r.Groups, g.counters(replies, seconds, at))
	}
	w.record.Readings = append(w.record.Readings, r)
}

func (w *watching) host(replies, seconds float64) sampler.HostCounters {
	h := sampler.HostCounters{
		Busy:       100*time.Second + times(60*time.Millisecond, seconds),
		Interrupts: times(20*time.Millisecond, seconds), Forks: 1000 + uint64(seconds),
		TimeWait: uint64(min(replies, 500)), Received: 1_000_000 + uint64(316*replies), Sent: 2_000_000 + uint64(1600*replies),
	}
	for _, g := range w.groups {
		h.Busy += times(g.user+g.system, replies)
	}
	return h
}

func (g *watchedGroup) counters(replies, seconds float64, at time.Duration) sampler.GroupCounters {
	if g.endsAfter > 0 && at > g.endsAfter {
		return sampler.GroupCounters{Ended: true}
	}
	c := sampler.GroupCounters{
		User: times(g.user, replies), System: times(g.system, replies), Precision: g.precision,
		RSS: g.rss + uint64(64*1024*min(seconds, 4)), Processes: g.processes, Threads: g.threads, Parallel: g.parallel,
		Throttled: times(g.throttled, seconds),
	}
	c.CPU = c.User + c.System
	return c
}

func times(d time.Duration, n float64) time.Duration { return time.Duration(float64(d) * n) }

// The groups of the recorded runs.
func nginxGroup() watchedGroup {
	return watchedGroup{
		info: sampler.GroupInfo{Name: "nginx", Source: sampler.SourceTree, CPUs: []int{0, 1}},
		user: 120 * time.Microsecond, system: 190 * time.Microsecond, precision: 10 * time.Millisecond,
		processes: 2, threads: 2, parallel: 1, rss: 12 << 20,
	}
}

func phpGroup() watchedGroup {
	return watchedGroup{
		info: sampler.GroupInfo{Name: "system.slice/php-fpm.service", Source: sampler.SourceCgroup2, Quota: 1.5, CPUs: []int{0, 1, 2, 3}},
		user: 3300 * time.Microsecond, system: 310 * time.Microsecond, precision: 40 * time.Microsecond,
		processes: 9, threads: 9, parallel: 8, rss: 210 << 20, throttled: 15 * time.Millisecond,
	}
}

func watchingHost(name string, cores int, groups ...watchedGroup) *watching {
	w := &watching{groups: groups}
	w.record.Host = sampler.HostInfo{Name: name, Kernel: "6.12.48", Cores: cores, Tick: 10 * time.Millisecond}
	for _, g := range groups {
		w.record.Groups = append(w.record.Groups, g.info)
	}
	w.record.Cost.CPU = 18 * time.Millisecond
	return w
}

// answered is a run in which every request has a reply after about that wait.
func answered(rate string, total uint64, wait time.Duration) *Document {
	s := newSimulation(rate, total)
	for n := range s.plan.Total {
		s.reply(s.begin(n), s.about(wait), 200)
	}
	return s.document()
}

// localNginxRun: nothing amiss, and nginx on this machine watched.
func localNginxRun() *Document {
	d := answered("200", 2400, 180*time.Microsecond)
	AddServers(d, []*sampler.Record{watchingHost("local", 2, nginxGroup()).watch(d, 400*time.Microsecond, time.Hour)})
	return d
}

// twoHostsRun: a front end that drops connections, and a back end with a quota
// whose link is lost.
func twoHostsRun() *Document {
	d := answered("300", 3000, 4*time.Millisecond)
	d.Environment.Server.Address = []string{"192.0.2.7:80"}
	front := watchingHost("bench@front:2222", 2, nginxGroup()).watch(d, 12*time.Millisecond, time.Hour)
	for i := range front.Readings {
		front.Readings[i].Within = 6 * time.Millisecond // a slow link
		front.Readings[i].Host.Steal = time.Duration(i) * 90 * time.Millisecond
		front.Readings[i].Host.ListenDrops, front.Readings[i].Host.ListenOverflows = uint64(7+12*i), uint64(7+11*i)
	}
	front.Clock = sampler.Clock{Offset: 5000 * time.Second, Within: 10300 * time.Microsecond}
	back := watchingHost("bench@back", 4, phpGroup()).watch(d, 3*time.Millisecond, 7500*time.Millisecond)
	back.Lost = &sampler.Loss{At: back.Readings[len(back.Readings)-1].At, Why: "no answer for 5s"}
	back.Clock = sampler.Clock{Offset: 5000 * time.Second, Within: 10300 * time.Microsecond, Drift: 25e-6}
	back.Notes = []string{"process 812 was replaced by 977: the same name"}
	AddServers(d, []*sampler.Record{front, back})
	return d
}

// noProcRun: the server's host could not be watched.
func noProcRun() *Document {
	d := answered("200", 1200, 180*time.Microsecond)
	d.Environment.Server.Address = []string{"192.0.2.9:80"}
	Unwatched(d, "bench@tiny", "bench@tiny: host has no /proc: CPU not sampled")
	return d
}
