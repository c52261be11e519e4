package attack

import (
	"context"
	"sync"
	"time"

	"ratebench/attack/record"
)

// Hooks let a caller watch a run. The zero value watches nothing. None of the
// functions is called after Run has returned.
type Hooks struct {
	// Ready is called once, when the servers' addresses are known and nothing has
	// been sent. local says that a server is on this machine. An error ends the run,
	// and Run returns it as it is. It may take its time, but must heed ctx.
	Ready func(ctx context.Context, local bool) error
	// Origin is called once, on a goroutine of its own, as soon as the instant is
	// known from which due times count: before it, by the whole warm-up if there is
	// one, unless the machine is too busy for that.
	Origin func(time.Time)
	Second func(record.Interval) // after each second of the run, warm-up excluded; must not block for long
	Log    *Log                  // gets every request of the measurement; nil for none
}

// ready asks the caller whether the run may begin. An interrupt meanwhile is the
// stronger word.
func (h Hooks) ready(ctx context.Context, local bool) error {
	var err error
	if h.Ready != nil {
		err = h.Ready(ctx, local)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// tellOrigin tells the caller the origin once the engine has set it, which one
// that fails does not do.
func (h Hooks) tellOrigin(rec *record.Recorder, finished <-chan struct{}) {
	if h.Origin == nil {
		return
	}
	select {
	case <-rec.Started():
	case <-finished:
		select {
		case <-rec.Started(): // both at once
		default:
			return
		}
	}
	h.Origin(rec.Origin())
}

// tap passes outcomes on to the log, which must first know the origin.
func (h Hooks) tap(origin func() time.Time) func(*record.Outcome) {
	if h.Log == nil {
		return nil
	}
	var once sync.Once
	return func(o *record.Outcome) {
		once.Do(func() { h.Log.Start(origin()) })
		h.Log.Record(o)
	}
}
