package report

import (
	"math"
	"slices"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// edge is how far inside the load the readings of a result lie: the first requests
// warm things up and the last ones let them run out.
const edge = 500 * time.Millisecond

// minSpan is the shortest span inside the load that a result is taken from, but for
// what readings stray. A shorter one has too few replies; the whole run has a few
// more.
const minSpan = 2 * time.Second

// uptimeStep is the step of a host's own clock (proc_uptime(5)).
const uptimeStep = 10 * time.Millisecond

// LeastSpan is the shortest span that tells anything: what a server uses from one
// tenth of a second to the next is chance, and a tick of its counters is much of it.
const LeastSpan = 500 * time.Millisecond

// resultSpan are the readings that a result is taken between, its first to its
// last: those strictly inside the load or, where that is too short, those around
// the run. Where the readings end before the run, all that is left is inside the
// load. all may be empty, and so is the result if no span is long enough.
func resultSpan(all []sampler.Reading, s *record.Summary) []sampler.Reading {
	within, whole := inside(all, length(s.Window)), around(all, s)
	switch {
	case lasts(within, minSpan-near):
		return within
	case lasts(whole, LeastSpan) && whole[0].At <= near && whole[len(whole)-1].At >= length(s.Window)-near:
		return whole
	case lasts(within, LeastSpan):
		return within
	}
	return nil
}

// inside are the readings strictly inside a load of that length.
func inside(all []sampler.Reading, window time.Duration) []sampler.Reading {
	from := 0
	for from < len(all) && all[from].At < edge {
		from++
	}
	to := len(all)
	for to > from && all[to-1].At > window-edge {
		to--
	}
	return all[from:to]
}

func lasts(span []sampler.Reading, least time.Duration) bool {
	return len(span) > 1 && span[len(span)-1].At-span[0].At >= least
}

// around are the readings from the one near the origin to the first one after the
// end of the last request. Where there is none near it the last before it is taken,
// or the first of all; the one near it may be behind it, because before it there may
// be a warm-up, which is not of the run.
func around(all []sampler.Reading, s *record.Summary) []sampler.Reading {
	elapsed := length(s.Elapsed)
	end := slices.IndexFunc(all, func(r sampler.Reading) bool { return r.At >= elapsed })
	if end < 0 {
		end = len(all) - 1
	}
	from := 0
	for i := range max(end, 0) {
		if at := all[i].At; at <= 0 || at <= near && at < -all[from].At {
			from = i
		}
	}
	return all[from : end+1]
}

// length is a number of seconds as a time.Duration, 0 if it is not defined.
func length(n record.Number) time.Duration {
	if !n.Defined() {
		return 0
	}
	return duration(n)
}

// elapsedBetween is the time from a to b. A host elsewhere has its own clock, which
// stamps a reading where it is made; it tells the time better than the exchange
// over the link where that was slow against the clock's step.
func elapsedBetween(host *sampler.HostInfo, a, b *sampler.Reading) time.Duration {
	if !isLocal(host.Name) && a.Within+b.Within > uptimeStep && b.Uptime > a.Uptime {
		return b.Uptime - a.Uptime
	}
	return b.At - a.At
}

func isLocal(host string) bool { return host == sampler.Host{}.String() }

// repliesAt is how many replies had ended at an instant of the run.
type repliesAt struct {
	n        float64
	rate     float64 // at that instant, per second; 0 outside the run
	variance float64 // of n, from where within its second the instant lies
}

// countReplies counts the replies that ended before at: those of whole seconds, and
// of the second that at falls into its share. Where replies come independently of
// each other the number of that share is binomial; replies at even distances
// vary less.
func countReplies(d *Document, at time.Duration) repliesAt {
	elapsed := float64(d.Summary.Elapsed)
	t := at.Seconds()
	var r repliesAt
	for i := range d.Intervals {
		v := &d.Intervals[i]
		start, n := float64(v.T), float64(v.Replies)
		end := math.Min(start+1, math.Max(elapsed, start))
		switch {
		case t >= end:
			r.n += n
		case t >= start:
			share := (t - start) / (end - start)
			r.n, r.rate, r.variance = r.n+share*n, n/(end-start), n*share*(1-share)
		}
	}
	return r
}

// repliesBetween is how many replies ended between two readings, and by how much
// that may be wrong: by what came within the uncertainty of the readings' instants
// and three standard deviations of what the interpolation leaves open.
func repliesBetween(d *Document, a, b *sampler.Reading) (n, precision float64) {
	from, to := countReplies(d, a.At), countReplies(d, b.At)
	timing := math.Hypot(from.rate*a.Within.Seconds(), to.rate*b.Within.Seconds())
	return to.n - from.n, math.Hypot(timing, 3*math.Sqrt(from.variance+to.variance))
}
