package sampler

import "time"

// tickOfUptime is the resolution of /proc/uptime, which is cut, not rounded
// (proc_uptime(5)).
const tickOfUptime = 10 * time.Millisecond

// exchange is a question and the answer with the host's uptime: that was read
// between the two, so half the time between them bounds the offset.
type exchange struct {
	sent, received time.Time
	uptime         time.Duration
}

func (e exchange) trip() time.Duration { return e.received.Sub(e.sent) }

// middle is when the uptime was read, give or take half the trip.
func (e exchange) middle() time.Time { return e.sent.Add(e.trip() / 2) }

// offset is the host's clock less ours since origin, give or take within.
func (e exchange) offset(origin time.Time) time.Duration {
	return e.uptime + tickOfUptime/2 - e.middle().Sub(origin)
}

func (e exchange) within() time.Duration { return (e.trip() + tickOfUptime) / 2 }

// exchanges keeps as many of the first and of the last as the fastest is taken from.
// More would put them further apart from the beginning and the end.
type exchanges struct {
	first, last []exchange
}

const exchangesKept = 8

func (x *exchanges) add(e exchange) {
	if len(x.first) < exchangesKept {
		x.first = append(x.first, e)
	}
	if len(x.last) == exchangesKept {
		x.last = append(x.last[:0], x.last[1:]...)
	}
	x.last = append(x.last, e)
}

// clock is the host's clock beside ours. The network cannot make the fastest answer
// come too early, so that one tells most.
func (x *exchanges) clock() Clock {
	if len(x.first) == 0 {
		return Clock{}
	}
	origin := x.first[0].sent
	first, last := fastest(x.first), fastest(x.last)
	c := Clock{Offset: first.offset(origin), Within: first.within()}
	moved, elapsed := last.offset(origin)-c.Offset, last.middle().Sub(first.middle())
	if moved.Abs() > first.within()+last.within() && elapsed > 0 {
		c.Drift = float64(moved) / float64(elapsed)
	}
	return c
}

func fastest(of []exchange) exchange {
	best := of[0]
	for _, e := range of {
		if e.trip() < best.trip() {
			best = e
		}
	}
	return best
}
