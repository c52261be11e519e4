package record

import (
	"fmt"
	"math"
	"time"

	"ratebench/attack/plan"
)

// summarize turns the tally into the figures of the document.
func (r *Recorder) summarize(t *tally, started uint64) Summary {
	planned, cohort := r.planned(started), r.cohort(t)
	s := Summary{
		Planned: planned, Sent: t.sent, Replies: t.classes[Reply], Aborted: t.classes[Aborted], Waited: t.waited,
		Unsent:       planned - min(started, planned),
		Errors:       t.errors(),
		TimeoutPhase: map[string]uint64{},
		Reasons:      map[string]string{},
		Status:       map[string]uint64{},
		Window:       Seconds(cohort.window),
		Elapsed:      Seconds(t.last),
		OfferedRate:  cohort.perSecond(t.due),
		SentRate:     cohort.perSecond(t.sentInWindow),
		ReplyRate:    r.replyRate(t.repliesInWindow, cohort),
		Goodput:      r.goodput(t, cohort),
		Connections:  t.connections,
		InFlight:     t.inFlight(),
		Bytes:        t.bytes,
		sentInTime:   t.sentInTime,
		drain:        Seconds(t.last - t.lastDue),
		standstill:   Seconds(r.standstill()),
	}
	if r.plan.Closed() {
		s.OfferedRate = Undefined()
	}
	for p, n := range t.timeoutPhases {
		s.TimeoutPhase[Phase(p).String()] = n
	}
	for c, reason := range t.reasons {
		if reason != "" {
			s.Reasons[Class(c).Key()] = reason
		}
	}
	for status, n := range t.statuses {
		if n > 0 {
			s.Status[fmt.Sprintf("%03d", status)] = n
		}
	}
	s.Time = t.times(s.Errors.Total)
	return s
}

// Check is nil if every planned request is in exactly one account:
// planned = replies + errors + aborted + unsent, and the parts of each add up.
// Anything else is a fault of this program.
func (s *Summary) Check() error {
	if sum := s.Replies + s.Errors.Total + s.Aborted + s.Unsent; sum != s.Planned {
		return fmt.Errorf("accounts: planned %d ≠ replies %d + errors %d + aborted %d + unsent %d",
			s.Planned, s.Replies, s.Errors.Total, s.Aborted, s.Unsent)
	}
	var classes, statuses, phases uint64
	for _, c := range ErrorClasses() {
		classes += s.Errors.Of(c)
	}
	for _, n := range s.Status {
		statuses += n
	}
	for _, n := range s.TimeoutPhase {
		phases += n
	}
	if classes != s.Errors.Total || statuses != s.Replies || phases != s.Errors.ClientTimeout {
		return fmt.Errorf("accounts: error classes %d of %d, statuses %d of %d, timeout phases %d of %d",
			classes, s.Errors.Total, statuses, s.Replies, phases, s.Errors.ClientTimeout)
	}
	return nil
}

func (t *tally) inFlight() InFlight {
	return InFlight{
		Mean:   Ratio(t.inFlightArea, float64(max(t.last, t.inFlightUntil))),
		Little: Ratio(t.timeInSystem, float64(t.last)),
		Peak:   t.peakInFlight,
	}
}

func (t *tally) errors() Errors {
	var e Errors
	for _, c := range ErrorClasses() {
		*e.field(c) = t.classes[c]
		e.Total += t.classes[c]
	}
	return e
}

// cohort is what a run's rates are shares of: the requests due in the arrival
// window.
type cohort struct {
	window time.Duration
	lived  time.Duration // the part of the window before an interrupt
	due    uint64
	rate   float64 // the plan's if that is due ÷ window, otherwise 0
}

// cohort of an interrupted run is that of a plan which ends with the last request
// due before the interrupt. Only arrivals at random are cut off at the interrupt:
// it does not depend on them, so that they have the plan's rate but for chance.
func (r *Recorder) cohort(t *tally) cohort {
	if r.plan.Closed() {
		return r.closedCohort(t)
	}
	window := r.plan.At(t.due)
	c := cohort{window: window, lived: window, due: t.due, rate: r.plan.Rate.PerSecond()}
	if r.plan.Ramp != nil {
		c.rate = 0
	}
	if t.due == r.plan.Planned() {
		return c
	}
	stop := time.Duration(0)
	for _, s := range r.shards {
		if s.until != forever {
			stop = max(stop, s.until)
		}
	}
	if r.plan.Arrivals == plan.Poisson {
		return cohort{window: stop, lived: stop, due: t.due}
	}
	c.lived = min(window, stop)
	return c
}

// perSecond is n as a rate over the window, undefined if that has no length. What
// was due has the plan's rate exactly, though the window is rounded to a nanosecond.
func (c cohort) perSecond(n uint64) Number {
	if c.rate > 0 {
		return Ratio(float64(n)*c.rate, float64(c.due))
	}
	return Ratio(float64(n), c.window.Seconds())
}

func (r *Recorder) goodput(t *tally, c cohort) Goodput {
	return Goodput{
		Within: Seconds(r.plan.GoodWithin()),
		Count:  t.good,
		Share:  Ratio(float64(t.good), float64(c.due)),
		Rate:   c.perSecond(t.good),
	}
}

// replyRate is the mean over the window and the spread over those full seconds of
// it that the run lived to see. Seconds after the last event had no reply.
func (r *Recorder) replyRate(inWindow uint64, c cohort) RateStats {
	u := Undefined()
	stats := RateStats{Mean: c.perSecond(inWindow), Min: u, Max: u, StdDev: u}
	seconds := int(min(c.lived/time.Second, math.MaxInt32))
	if seconds == 0 {
		return stats
	}
	rows := r.intervals()[:min(seconds, r.length())]
	least, greatest, spread := uint64(math.MaxUint64), uint64(0), sums{}
	for i := range rows {
		n := rows[i].Replies
		least, greatest = min(least, n), max(greatest, n)
		spread.add(n)
	}
	if len(rows) < seconds {
		least = 0
	}
	stats.Samples = seconds
	stats.Min, stats.Max = Number(least), Number(greatest)
	stats.StdDev = spread.stddev(uint64(seconds))
	return stats
}

// times are the rows of the time table. Failed requests rank above all replies.
func (t *tally) times(failed uint64) Times {
	h := &t.histograms
	all := Times{
		Response:    h[response].Stats(),
		ResponseAll: responseAll(h[response], failed),
		Service:     h[service].Stats(),
		SendLag:     h[sendLag].Stats(),
		ReceiveLag:  h[receiveLag].Stats(),
		Connect:     h[connect].Stats(),
		TLS:         h[tlsHandshake].Stats(),
		Wait:        h[wait].Stats(),
		Transfer:    h[transfer].Stats(),
	}
	if h[processing] != nil {
		stats := h[processing].Stats()
		all.Processing = &stats
	}
	return all
}
