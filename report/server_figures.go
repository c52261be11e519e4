package report

import (
	"math"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// lifetime are the readings until the end of group i: those that found any of its
// processes to the last that did, and the first after it, nil if there is none.
func lifetime(all []sampler.Reading, i int) (alive []sampler.Reading, gone *sampler.Reading) {
	n := len(all)
	for n > 0 && all[n-1].Groups[i].Ended {
		n--
	}
	if n < len(all) {
		gone = &all[n]
	}
	return all[:n], gone
}

// newServer are the figures of group i of w.
func newServer(d *Document, w *sampler.Record, i int) Server {
	group := &w.Groups[i]
	s := noServer(w.Host.Name)
	s.Name, s.Source, s.Within = valid(group.Name), group.Source, valid(group.Within)
	if group.Quota > 0 {
		s.Quota = record.Number(group.Quota)
	}
	alive, _ := lifetime(w.Readings, i)
	s.Samples = serverSamples(&w.Host, alive, i)
	if span := resultSpan(alive, &d.Summary); len(span) > 1 {
		s.fillCPU(d, w, i, span)
		s.fillPeaks(span, i)
	}
	return s
}

// fillCPU sets what is the difference of the first and the last reading of span.
func (s *Server) fillCPU(d *Document, w *sampler.Record, i int, span []sampler.Reading) {
	first, last := &span[0], &span[len(span)-1]
	a, b := &first.Groups[i], &last.Groups[i]
	cpu, elapsed := b.CPU-a.CPU, elapsedBetween(&w.Host, first, last)
	s.From, s.To = record.Seconds(first.At), record.Seconds(last.At)
	s.CPU, s.Cores = timeUsed(cpu, elapsed), coresUsed(cpu, elapsed)
	s.Precision = record.Seconds(max(a.Precision, b.Precision))
	user, system := b.User-a.User, b.System-a.System
	if whole := user + system; user >= 0 && system >= 0 && (whole > 0 || cpu == 0) && timeUsed(whole, elapsed).Defined() {
		s.CPUUser, s.CPUSystem = record.Seconds(user), record.Seconds(system)
	}
	s.Available = coresAvailable(w, i, b)
	s.Throttled = timeUsed(b.Throttled-a.Throttled, elapsed)
	s.fillPerReply(repliesBetween(d, first, last))
}

// fillPerReply sets the headline. The errors of CPU time and replies have nothing
// to do with each other, so their squares add up. One that may be wrong by all of
// itself is not known.
func (s *Server) fillPerReply(replies, precision float64) {
	s.Replies = record.Number(replies)
	figure := record.Ratio(float64(s.CPU), replies)
	ofCPU, ofReplies := float64(s.Precision)/replies, float64(figure)*precision/replies
	if wrong := record.Number(math.Hypot(ofCPU, ofReplies)); wrong < figure {
		s.CPUPerReply, s.CPUPerReplyPrecision = figure, wrong
	}
}

// fillPeaks sets what is the most at one reading of span.
func (s *Server) fillPeaks(span []sampler.Reading, i int) {
	var processes, threads int
	var rss uint64
	for k := range span {
		g := &span[k].Groups[i]
		processes, threads, rss = max(processes, g.Processes), max(threads, g.Threads), max(rss, g.RSS)
	}
	s.Processes, s.Threads = record.Number(processes), record.Number(threads)
	s.RSSPeak = memory(rss)
}

// What is beyond these no machine has. A host that tells it is broken or lies, and
// its figure is not known.
const (
	mostCores = 4096
	mostBytes = 1 << 50
)

// memory is a number of bytes, for which 0 means that it is not known.
func memory(n uint64) record.Number {
	if n == 0 || n > mostBytes {
		return record.Undefined()
	}
	return record.Number(n)
}

// coresUsed is CPU time per time, 0 if the counter fell: that of stolen time does
// on kernels in use.
func coresUsed(cpu, elapsed time.Duration) record.Number {
	cores := record.Ratio(float64(max(cpu, 0)), float64(elapsed))
	if cores > mostCores {
		return record.Undefined()
	}
	return cores
}

// timeUsed is the seconds that coresUsed is of.
func timeUsed(cpu, elapsed time.Duration) record.Number {
	if !coresUsed(cpu, elapsed).Defined() {
		return record.Undefined()
	}
	return record.Seconds(max(cpu, 0))
}

// coresAvailable is how many cores group i can fill at most.
func coresAvailable(w *sampler.Record, i int, now *sampler.GroupCounters) record.Number {
	least := record.Undefined()
	for _, limit := range []float64{
		float64(w.Host.Cores), float64(len(w.Groups[i].CPUs)), w.Groups[i].Quota, float64(now.Parallel),
	} {
		if limit > 0 && !(record.Number(limit) >= least) {
			least = record.Number(limit)
		}
	}
	return least
}

// during calls see with each two readings in turn that have more of the run
// between them than of the time before it. One from long before has a warm-up after
// it, or a host that waits.
func during(all []sampler.Reading, see func(a, b *sampler.Reading)) {
	for k := 1; k < len(all); k++ {
		if a, b := &all[k-1], &all[k]; a.At+b.At > 0 && a.At >= -near {
			see(a, b)
		}
	}
}

func serverSamples(host *sampler.HostInfo, alive []sampler.Reading, i int) []ServerSample {
	samples := []ServerSample{}
	during(alive, func(before, now *sampler.Reading) {
		a, b := &before.Groups[i], &now.Groups[i]
		elapsed := elapsedBetween(host, before, now)
		samples = append(samples, ServerSample{
			T: record.Seconds(now.At), Cores: coresUsed(b.CPU-a.CPU, elapsed),
			RSS: memory(b.RSS), Processes: b.Processes, Threads: b.Threads,
			Throttled: timeUsed(b.Throttled-a.Throttled, elapsed),
		})
	})
	return samples
}

// use is s as a verdict looks at it.
func (s *Server) use(d *Document, w *sampler.Record, i int) record.ServerUse {
	u := record.ServerUse{
		Name: s.title(), Local: isLocal(s.Host), Part: s.Within != "", CPUs: w.Groups[i].CPUs,
		Available: s.Available, Cores: s.Cores, CPU: s.CPU, Precision: s.Precision / s.CPU,
		Throttled: s.Throttled / (s.To - s.From), Ended: record.Undefined(), Gap: record.Undefined(),
	}
	if s.CPUPerReply.Defined() {
		u.Precision = s.CPUPerReplyPrecision / s.CPUPerReply
	}
	for _, r := range w.Readings {
		u.Unwaited, u.Client = u.Unwaited || r.Groups[i].Unwaited, u.Client || r.Groups[i].Client
	}
	// One that ended when the load was over is missed by no figure.
	if alive, gone := lifetime(w.Readings, i); gone != nil && len(alive) > 0 && alive[len(alive)-1].At < length(d.Summary.Window) {
		last := alive[len(alive)-1].At
		u.Ended, u.Gap = record.Seconds(last), record.Seconds(gone.At-last)
	}
	return u
}

// title names a server for people, with its host if that is elsewhere.
func (s *Server) title() string {
	if isLocal(s.Host) {
		return s.Name
	}
	return s.Name + " on " + s.Host
}
