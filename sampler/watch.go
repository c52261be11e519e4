package sampler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A run goes on and ends on time whatever the link does: a reading that takes
// longer than lostAfter is a gap, and when one is overdue by that the link counts as
// lost.
const (
	openPatience = 15 * time.Second // to reach the host and read it for the first time
	lostAfter    = 5 * time.Second
	lastPatience = 1250 * time.Millisecond // for the reading under way at the end and the last, together
	stopPatience = 1500 * time.Millisecond // for all of the end, before force is used
)

// lostError is the end of a transport: its link is gone for good.
type lostError struct{ why error }

func (e *lostError) Error() string { return e.why.Error() }
func (e *lostError) Unwrap() error { return e.why }

// mostWithin bounds the doubt about when a reading was made. One beyond it, from a
// host that was stopped or a link that hung, is a gap: its counters, put at a wrong
// instant, would show CPU that was never used and then miss it.
const mostWithin = 250 * time.Millisecond

var errVague = errors.New("a reading is left out, as nobody knows of which instant it is")

// Watch samples one host. Use Open, then Start, then Stop; or Open and Stop.
type Watch struct {
	config    Config
	transport transport
	groups    *groups
	record    Record

	setUp   time.Duration      // CPU time that finding cost, before the load
	origin  time.Time          // of the readings' times; that of the first until Start
	end     context.CancelFunc // the schedule; nil before Start
	giveUp  context.CancelFunc // a reading under way
	sampled sync.WaitGroup
	lost    chan struct{} // closed when the readings have ended by themselves
}

// Open reaches the host, finds the processes that the selections name and reads
// them once, so that whatever is wrong is said before the load: an error that is
// not of Config.Validate begins with the host. It takes at most 15 s, less if ctx
// ends.
func Open(ctx context.Context, c Config) (*Watch, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	t, err := dial(ctx, &c)
	if err != nil {
		return nil, ofHost(c.Host, err)
	}
	w := newWatch(c, t)
	if err := w.find(ctx); err != nil {
		return nil, ofHost(c.Host, errors.Join(err, t.close(ctx)))
	}
	return w, nil
}

func newWatch(c Config, t transport) *Watch {
	return &Watch{config: c, transport: t, lost: make(chan struct{})}
}

// dial is the transport to the host.
func dial(ctx context.Context, c *Config) (transport, error) {
	if c.Host.Local() {
		return newLocal(), nil
	}
	return connect(ctx, c.Host, c.SSH)
}

// find looks the selections up and reads the host for the first time.
func (w *Watch) find(ctx context.Context) error {
	w.groups = newGroups(&w.config)
	v, err := w.transport.fetch(ctx, w.groups.first())
	if err != nil {
		return err
	}
	host, found, err := w.groups.find(v)
	if err != nil {
		return err
	}
	host.Name = w.config.Host.String()
	w.record.Host, w.record.Groups = host, found
	if len(found) == 0 { // a host that has some of several selections lacks the others by design
		for _, lack := range w.groups.lacks {
			w.record.Notes = append(w.record.Notes, lack.Error())
		}
	}
	err = w.read(ctx)
	w.setUp = w.transport.cost()
	return err
}

// Host is the host that is watched.
func (w *Watch) Host() HostInfo { return w.record.Host }

// Groups are the selections that were found, in their order.
func (w *Watch) Groups() []GroupInfo { return w.record.Groups }

// Missing are the selections that were not found, where Config.Optional lets that
// be, a line for each, which names the host unless it is this machine; nil if all
// were.
func (w *Watch) Missing() error {
	if w.config.Host.Local() || len(w.groups.lacks) == 0 {
		return errors.Join(w.groups.lacks...)
	}
	return ofHost(w.config.Host, errors.Join(w.groups.lacks...))
}

// Discard removes what a Watch keeps in files, for a process that ends at once
// instead of calling Stop; while it samples, or after Stop, it may do so too.
func (w *Watch) Discard() {
	if r, ok := w.transport.(*remote); ok {
		_ = r.layout.discard() // there is nobody left to tell
	}
}

// Lost is closed when the link is lost and there will be no more readings. Stop
// says why.
func (w *Watch) Lost() <-chan struct{} { return w.lost }

// Start samples at origin and after each interval from then on, until Stop.
func (w *Watch) Start(origin time.Time) {
	w.setOrigin(origin)
	schedule, end := context.WithCancel(context.Background())
	reading, giveUp := context.WithCancel(context.Background())
	w.end, w.giveUp = end, giveUp
	w.sampled.Go(func() { w.sample(schedule, reading) })
}

// setOrigin gives the readings made so far their place before or after it.
func (w *Watch) setOrigin(origin time.Time) {
	for i := range w.record.Readings {
		w.record.Readings[i].At += w.origin.Sub(origin)
	}
	w.origin = origin
}

// sample reads on schedule until that is done or the link is lost. Of the instants
// that pass while a reading takes its time the latest is made up for at once, and
// those before it are left out.
func (w *Watch) sample(schedule, reading context.Context) {
	interval := w.config.interval()
	var failing time.Time // when the first reading of those that failed in a row was due
	for next := time.Duration(0); ; next += interval {
		next = max(next, (time.Since(w.origin)/interval)*interval)
		select {
		case <-schedule.Done():
			return
		case <-time.After(next - time.Since(w.origin)):
		}
		ctx, cancel := context.WithTimeout(reading, lostAfter)
		err := w.read(ctx)
		cancel()
		switch {
		case err == nil:
			failing = time.Time{}
		case failing.IsZero():
			failing = w.origin.Add(next)
		}
		if isLost(err, failing) {
			w.lose(err)
			close(w.lost)
			return
		}
	}
}

// isLost says whether err is the end of the readings. When one is overdue by
// lostAfter the link is as good as gone, whatever it says of itself.
func isLost(err error, failing time.Time) bool {
	_, ended := errors.AsType[*lostError](err)
	return err != nil && (ended || time.Since(failing) >= lostAfter)
}

// lose notes the end of the readings.
func (w *Watch) lose(why error) {
	w.record.Lost = &Loss{w.record.Readings[len(w.record.Readings)-1].At, why.Error()}
}

// read adds a reading, unless nobody knows of which instant it is.
func (w *Watch) read(ctx context.Context) error {
	v, err := w.transport.fetch(ctx, w.groups.next())
	if err != nil {
		return err
	}
	r, notes, err := w.groups.read(&v)
	if err != nil {
		return err
	}
	w.record.Notes = append(w.record.Notes, notes...)
	if w.origin.IsZero() {
		w.origin = v.at
	} else if v.within > mostWithin {
		return fmt.Errorf("%w: it took %v", errVague, (2 * v.within).Round(time.Millisecond))
	}
	r.At, r.Within = v.at.Sub(w.origin), v.within
	w.record.Readings = append(w.record.Readings, r)
	if w.config.OnReading != nil {
		w.config.OnReading(r)
	}
	return nil
}

// Stop reads for the last time, ends the sampling and the connection, and returns
// what was seen. It takes at most 2 s. It is called once.
func (w *Watch) Stop() *Record {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	w.finish(ctx)
	readings := w.record.Readings
	w.record.Cost = Cost{w.transport.cost() - w.setUp, readings[len(readings)-1].At - readings[0].At}
	w.record.Clock = w.transport.clock()
	if err := w.transport.close(ctx); err != nil {
		w.record.Notes = append(w.record.Notes, err.Error())
	}
	return &w.record
}

// finish waits for the reading under way and adds the last, unless the time for
// both is over before.
func (w *Watch) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastPatience)
	defer cancel()
	if w.end != nil {
		w.end()
		stop := context.AfterFunc(ctx, w.giveUp)
		w.sampled.Wait()
		stop()
		w.giveUp()
	}
	if w.record.Lost == nil {
		switch err := w.read(ctx); {
		case errors.Is(err, errVague):
			w.record.Notes = append(w.record.Notes, err.Error())
		case err != nil:
			w.lose(err)
		}
	}
}
