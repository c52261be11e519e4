// Package attack offers a plan to a server and records what came back.
//
// Run follows one request's journey: the plan says when it is due, an engine
// sends it then whether or not the server keeps up (an open loop; in a closed one
// the reply before says when it is due), stamps what happens to it, and a recorder
// counts it. The verdict says whether the client or the server was measured.
package attack

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"ratebench/attack/epoll"
	"ratebench/attack/nethttp"
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// interruptGrace is how long requests in flight may still end by themselves
// after an interrupt, before they are aborted.
const interruptGrace = 500 * time.Millisecond

// watchdogSlack is how long after last due time + timeout an engine may take to
// notice that its last request is over. Nothing outlives it.
const watchdogSlack = time.Second

// Run offers p, which must be validated and resolved, until it is over or ctx is
// done, and returns what was recorded. Cancelling ctx starts no more requests;
// those in flight get half a second to end and then count as aborted, and the
// run is returned all the same. An error means that no run took place: a host
// that cannot be found, a hook that was not Ready, or ctx done before the first
// request.
func Run(ctx context.Context, p *plan.Plan, hooks Hooks) (*record.Run, error) {
	offered := *p
	p = &offered
	p.Engine = engineFor(p)
	asked := p.MaxConnections
	p.MaxConnections = min(asked, connectionLimit()/descriptorsEach(p))
	if p.Concurrency > p.MaxConnections && !p.HTTP2 {
		return nil, fmt.Errorf("--concurrency %d: the descriptor limit (ulimit -n) leaves %d connections", p.Concurrency, p.MaxConnections)
	}
	findings, err := resolve(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := checkSources(p); err != nil {
		return nil, err
	}
	findings = append(findings, preflight(p, asked)...)
	local := onThisMachine(p)
	if err := hooks.ready(ctx, local); err != nil {
		return nil, err
	}
	if p.Priority == plan.PriorityAuto && !local {
		p.Priority = plan.PriorityHigh // it cannot take the server's time
	}
	run, err := offer(ctx, p, hooks)
	if err != nil {
		return nil, err
	}
	run.Engine, run.MaxConnections, run.Addresses = p.Engine, p.MaxConnections, addresses(p)
	for _, f := range findings {
		run.Verdict.Add(f)
	}
	return run, run.Summary.Check()
}

// offer lets the engine work under the run's two deadlines.
func offer(ctx context.Context, p *plan.Plan, hooks Hooks) (*record.Run, error) {
	var rec *record.Recorder
	loops := loopsFor(p)
	rec = record.New(p, loops, hooks.Second, hooks.tap(func() time.Time { return rec.Origin() }))
	abandon, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	finished := make(chan struct{})
	var told sync.WaitGroup
	defer told.Wait()
	defer close(finished)
	go endInTime(ctx, p, rec, giveUp, finished)
	told.Go(func() { hooks.tellOrigin(rec, finished) })

	var started uint64
	var err error
	if p.Engine == plan.EngineEpoll {
		started, err = epoll.Run(ctx, abandon, p, rec, loops)
	} else {
		started, err = nethttp.Run(ctx, abandon, p, rec)
	}
	select {
	case <-rec.Started():
	default:
		return nil, fmt.Errorf("%s engine: %w", p.Engine, err)
	}
	run := rec.Finish(started, ctx.Err() != nil)
	if err != nil {
		run.Verdict.Add(failed(p.Engine, err))
	}
	return run, nil
}

// failed is the finding of a run that the engine broke off by its own fault.
func failed(engine string, err error) record.Finding {
	return record.Finding{
		Code: "engine_failed", Text: fmt.Sprintf("the %s engine broke the run off: %v", engine, err),
		Value: record.Undefined(), Limit: record.Undefined(), Status: record.Invalid,
	}
}

// engineFor is the engine that runs p: the native one wherever it can serve it.
func engineFor(p *plan.Plan) string {
	if p.Engine != plan.EngineAuto {
		return p.Engine
	}
	if runtime.GOOS == "linux" && !p.HTTP2 {
		return plan.EngineEpoll
	}
	return plan.EngineVegeta
}

// loopRate is the load up to which one loop keeps its schedule with a core half
// idle: at some 9 µs of CPU a request on kept connections, more on new ones.
const loopRate = 40_000

// loopsFor is the number of loops: one for each loopRate of the load, but no
// more than leave half of the cores to others. The load of a closed loop is not
// known beforehand, so it may take that half; each loop needs a slot of it.
func loopsFor(p *plan.Plan) int {
	if p.Engine != plan.EngineEpoll {
		return 1
	}
	loops := p.Loops
	if loops == 0 {
		wanted := 1 + int(min(p.PeakRate(), 1e6)/loopRate)
		if p.Closed() {
			wanted = p.Concurrency
		}
		loops = min(wanted, max(runtime.NumCPU()/2, 1))
	}
	if p.Closed() {
		loops = min(loops, p.Concurrency)
	}
	return min(loops, p.MaxConnections) // each needs a connection to work with
}

// endInTime calls giveUp when nothing may be in flight any more: shortly after
// an interrupt, or when the last timeout is long over. It ends with finished.
func endInTime(ctx context.Context, p *plan.Plan, rec *record.Recorder, giveUp func(), finished <-chan struct{}) {
	if overdue(ctx, p, rec, finished) {
		giveUp()
		return
	}
	select {
	case <-finished:
	case <-time.After(interruptGrace):
		giveUp()
	}
}

// overdue returns when the run is finished or interrupted, or, with true, when it
// should have been over. Making the requests ready is not the run's time.
func overdue(ctx context.Context, p *plan.Plan, rec *record.Recorder, finished <-chan struct{}) bool {
	select {
	case <-finished:
		return false
	case <-ctx.Done():
		return false
	case <-rec.Started():
	}
	watchdog := time.NewTimer(saturate(max(time.Until(rec.Origin()), 0), p.Window(), p.Timeout.Std(), watchdogSlack))
	defer watchdog.Stop()
	select {
	case <-finished:
		return false
	case <-ctx.Done():
		return false
	case <-watchdog.C:
		return true
	}
}

// saturate is the sum of spans, at most the longest time.Duration.
func saturate(spans ...time.Duration) time.Duration {
	const longest = time.Duration(1<<63 - 1)
	var sum time.Duration
	for _, d := range spans {
		if d > longest-sum {
			return longest
		}
		sum += d
	}
	return sum
}

// addresses are the places that the plan's connections go to, in order.
func addresses(p *plan.Plan) []string {
	if p.UnixSocket != "" {
		return []string{p.UnixSocket}
	}
	set := map[string]bool{}
	for _, list := range p.Addresses {
		for _, a := range list {
			set[a.String()] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
