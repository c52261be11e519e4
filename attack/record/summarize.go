package record

import (
	"fmt"
	"math"
	"time"
)

// summarize turns the tally into the figures of the document.
func (r *Recorder) summarize(t *tally, started uint64) Summary {
	planned, window := r.plan.Planned(), r.shards[0].window
	s := Summary{
		Planned: planned, Sent: t.sent, Replies: t.classes[Reply], Aborted: t.classes[Aborted], Waited: t.waited,
		Unsent:       planned - min(started, planned),
		Errors:       t.errors(),
		TimeoutPhase: map[string]uint64{},
		Reasons:      map[string]string{},
		Status:       map[string]uint64{},
		Window:       Seconds(window),
		Elapsed:      Seconds(t.last),
		OfferedRate:  r.offered(t),
		SentRate:     perSecond(t.sentInWindow, window),
		ReplyRate:    r.replyRate(t.repliesInWindow, window),
		Goodput:      r.goodput(t.good, t.due, window),
		Connections:  t.connections,
		InFlight:     t.inFlight(),
		Bytes:        t.bytes,
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

func perSecond(n uint64, window time.Duration) Number { return Ratio(float64(n), window.Seconds()) }

func (t *tally) inFlight() InFlight {
	return InFlight{
		Mean:   Ratio(t.inFlightArea, float64(t.last)),
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

// offered is the planned rate; of an interrupted run, what fell due until then.
func (r *Recorder) offered(t *tally) Number {
	window := r.shards[0].window
	if window == r.plan.Window() {
		return perSecond(r.plan.Planned(), window)
	}
	return perSecond(t.due, window)
}

func (r *Recorder) goodput(good, offered uint64, window time.Duration) Goodput {
	return Goodput{
		Within: Seconds(r.plan.GoodWithin()),
		Count:  good,
		Share:  Ratio(float64(good), float64(offered)),
		Rate:   perSecond(good, window),
	}
}

// replyRate is the mean over the window and the spread over its full seconds.
func (r *Recorder) replyRate(inWindow uint64, window time.Duration) RateStats {
	u := Undefined()
	stats := RateStats{Mean: perSecond(inWindow, window), Min: u, Max: u, StdDev: u}
	rows := r.intervals()
	full := min(int(min(window/time.Second, math.MaxInt32)), len(rows))
	if full == 0 {
		return stats
	}
	stats.Samples = full
	stats.Min, stats.Max = Number(rows[0].Replies), Number(rows[0].Replies)
	var sum, squares float64
	for _, row := range rows[:full] {
		n := Number(row.Replies)
		stats.Min, stats.Max = min(stats.Min, n), max(stats.Max, n)
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	if full > 1 {
		variance := (squares - sum*sum/float64(full)) / float64(full-1)
		stats.StdDev = Number(math.Sqrt(max(variance, 0)))
	}
	return stats
}

// times are the rows of the time table. Failed requests rank above all replies.
func (t *tally) times(failed uint64) Times {
	h := &t.histograms
	return Times{
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
}

// responseAll ranks failed requests above all replies, as type-I censored
// observations: a percentile that falls among them is undefined, and so is the
// mean as soon as there is one.
func responseAll(replies *Histogram, failed uint64) Stats {
	s := undefinedStats(replies.Count() + failed)
	if failed == 0 {
		return replies.Stats()
	}
	if replies.Count() > 0 {
		s.Min = replies.Stats().Min
	}
	s.fillPercentiles(func(q float64) Number { return replies.Rank(rankOf(q, s.Count)) })
	return s
}
