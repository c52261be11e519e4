package record

import (
	"math"
	"time"

	"ratebench/attack/plan"
)

// grace is how long a second stays open after its end for replies that the
// client reads late. A reply read later still is counted in its second; only
// that second's percentiles lack it.
const grace = 100 * time.Millisecond

// forever is later than every instant of a run.
const forever time.Duration = math.MaxInt64

// Shard counts the outcomes of one share of the plan. One goroutine owns it: it
// takes no lock and, once warm, allocates only for each new second.
//
// The shard follows the plan by itself, so that a request counts as due and in
// flight from its due time on, whether or not the engine has taken it up.
type Shard struct {
	plan       *plan.Plan
	closed     chan<- closedSecond
	tap        func(*Outcome) // sees every measured outcome; may be nil
	timeout    time.Duration
	goodWithin time.Duration
	window     time.Duration // arrival window, as far as is known

	dues    *plan.Arrivals // this share of the plan, as far as it is due
	nextDue plan.Arrival
	hasNext bool
	until   time.Duration // later requests of the plan never fall due
	clock   time.Duration // latest instant that the shard was told of

	tally
	latest span // in which the request with the greatest send lag was due and not sent
	rows   []row
	open   [2]openSecond // the oldest second not yet closed and the one after it
}

func newShard(p *plan.Plan, i, k int, closed chan<- closedSecond, tap func(*Outcome)) *Shard {
	s := &Shard{
		plan: p, closed: closed, tap: tap,
		timeout: p.Timeout.Std(), goodWithin: p.GoodWithin(), window: p.Window(),
		dues: p.Share(i, k), until: forever, clock: Never,
	}
	for m := range s.histograms {
		if metric(m) != processing || p.Closed() {
			s.histograms[m] = NewHistogram()
		}
	}
	for i := range s.open {
		s.open[i] = openSecond{i, NewHistogram()}
	}
	s.dues.SkipWarmup()
	s.nextDue, s.hasNext = s.dues.Next()
	return s
}

// Tick tells the shard the time: seconds that are over are closed. An engine
// calls it at least some times a second, also when nothing comes back, and after
// it has recorded what had come back by then.
func (s *Shard) Tick(now time.Duration) {
	s.advance(now)
	for now >= time.Duration(s.open[0].second+1)*time.Second+grace {
		s.closeSecond()
	}
}

// Stop tells the shard that no request due after now will be started: the arrival
// window ends with what was due, unless the whole share was. The shards of a run
// may be told a little apart; what each counted as due adds up. A request
// due a little later that the engine had in hand may still be recorded; it widens
// the window.
func (s *Shard) Stop(now time.Duration) {
	s.advance(now)
	if (s.hasNext || s.plan.Closed()) && s.until == forever {
		s.until = now
		s.window = min(s.window, s.windowUntil(now))
	}
}

// windowUntil is the arrival window of a plan of which nothing falls due after stop.
func (s *Shard) windowUntil(stop time.Duration) time.Duration {
	if s.plan.Arrivals == plan.Poisson || s.plan.Closed() {
		return max(stop, 0)
	}
	return s.plan.At(s.plan.Before(max(stop, -1) + 1))
}

// SetConnections sets what the engine counted of its connections.
func (s *Shard) SetConnections(c Connections) { s.connections = c }

// Record counts one ended request. Requests of the warm-up are passed over.
//
// Two things are put right in o. A reply that came later than the plan's timeout
// is made the client timeout that it is, whatever the engine's timers did. An
// end before the due time, which two clocks may yield, is moved to it.
func (s *Shard) Record(o *Outcome) {
	if o.Due < 0 {
		return
	}
	o.Done = max(o.Done, o.Due)
	if o.Class == Reply && o.Response() > s.timeout {
		o.Class, o.Phase = ClientTimeout, o.phaseAt(o.Due+s.timeout)
	}
	if o.Due > s.until {
		s.until, s.window = o.Due, s.windowUntil(o.Due)
	}
	s.Tick(o.Done)
	s.count(o)
	if s.tap != nil {
		seen := *o // the tap's own, so that without one the caller's need not be on the heap
		s.tap(&seen)
	}
}

// advance moves the plan on to now.
func (s *Shard) advance(now time.Duration) {
	for s.hasNext && s.nextDue.Due <= min(now, s.until) {
		s.integrate(s.nextDue.Due)
		s.due++
		s.row(s.nextDue.Due).due++
		s.nextDue, s.hasNext = s.dues.Next()
	}
	s.peakInFlight = max(s.peakInFlight, s.due-s.ended)
	s.integrate(now)
}

// integrate adds the requests in flight up to now to their area under time.
func (s *Shard) integrate(now time.Duration) {
	if now <= s.clock {
		return
	}
	if inFlight := s.due - s.ended; inFlight > 0 { // then the clock is not Never
		s.inFlightArea += float64(now-s.clock) * float64(inFlight)
		s.inFlightUntil = now
	}
	s.clock = now
}

// row is the row of the second that holds the instant at.
func (s *Shard) row(at time.Duration) *row {
	i := secondOf(at)
	for len(s.rows) <= i {
		s.rows = append(s.rows, row{})
	}
	return &s.rows[i]
}

func secondOf(at time.Duration) int { return int(max(at, 0) / time.Second) }

func (s *Shard) closeSecond() {
	oldest := s.open[0]
	s.row(time.Duration(oldest.second) * time.Second)
	s.closed <- closedSecond{oldest.second, s.rows[oldest.second], s.inFlightAfter(oldest.second), oldest.response}
	s.open[0] = s.open[1]
	s.open[1] = openSecond{oldest.second + 2, NewHistogram()}
}

// inFlightAfter is the number in flight when the second ended, as far as is
// known: the present number without what happened in later seconds.
func (s *Shard) inFlightAfter(second int) uint64 {
	n := s.due - s.ended
	for i := second + 1; i < len(s.rows); i++ {
		n += s.rows[i].ended() - s.rows[i].due
	}
	return n
}

// closeAll closes the seconds before the given one.
func (s *Shard) closeAll(end int) {
	for s.open[0].second < end {
		s.closeSecond()
	}
}
