package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// idleURL is the server that does nothing, as far as simulated runs know.
const idleURL = "http://127.0.0.1:1/"

// worker stands for attack.Run against one worker that serves so many requests a
// second, in their order, whether or not their clients have gone. It takes no time.
type worker struct {
	capacity float64
	plans    []*plan.Plan
	client   float64                      // the client fails to offer more than that; 0 for no limit
	spoil    func(run int, r *record.Run) // changes what is returned; nil for nothing
}

func (w *worker) attack(_ context.Context, p *plan.Plan, _ attack.Hooks) (*record.Run, error) {
	w.plans = append(w.plans, p)
	service := time.Duration(1e9 / w.capacity)
	if p.URL == idleURL {
		service = 0
	}
	run := queued(p, service)
	if w.client > 0 && p.Rate.PerSecond() > w.client {
		run.Verdict.Add(record.Finding{Code: "client_busy", Text: "the client is full", Status: record.Invalid})
	}
	if w.spoil != nil {
		w.spoil(len(w.plans), run)
	}
	return run, nil
}

// queued is what is recorded of a plan if a request takes service of one worker.
func queued(p *plan.Plan, service time.Duration) *record.Run {
	recorder := record.New(p, 1, nil, nil)
	recorder.Start(time.Now())
	shard := recorder.Shard(0)
	arrivals, free, n := p.Measurement(), time.Duration(0), uint64(0)
	var late []record.Outcome // timeouts, in the order of their ends
	for {
		a, more := arrivals.Next()
		if !more {
			break
		}
		o := record.NewOutcome(a.Seq, a.Due)
		o.Sent, o.Connected = a.Due+20*time.Microsecond, a.Due+60*time.Microsecond
		free = max(free, o.Connected) + service
		o.FirstByte, o.Done, o.Class, o.Status = free, free+5*time.Microsecond, record.Reply, 200
		if limit := a.Due + p.Timeout.Std(); o.Done > limit {
			o.FirstByte, o.Done, o.Class, o.Phase, o.Status = record.Never, limit, record.ClientTimeout, record.Wait, 0
		}
		late = append(late, o)
		n++
	}
	for i := range late { // a reply that comes in time is never behind a timeout that came before it
		shard.Tick(late[i].Done)
		shard.Record(&late[i])
	}
	run := recorder.Finish(n, false)
	run.Engine, run.MaxConnections, run.Addresses = plan.EngineEpoll, p.MaxConnections, []string{"127.0.0.1:1"}
	run.Client = record.Client{CPU: 0.1, CPUUser: 0.05, CPUSystem: 0.05, Cores: 0.1, Available: 2}
	record.Judge(p, run)
	return run
}

// against runs a command line against a simulated worker.
func against(t *testing.T, ctx context.Context, w *worker, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, attack: w.attack}
	a.idle = func(context.Context) (string, func(), error) { return idleURL, func() {}, nil }
	status := a.run(ctx, args)
	return result{status, stdout.String(), stderr.String()}
}

func TestQueuedRuns(t *testing.T) {
	p := plannedFor("300", func(p *plan.Plan) {
		p.URL, p.Duration, p.Timeout = url, plan.Seconds(4*time.Second), plan.Seconds(500*time.Millisecond)
	})
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	run := queued(p, 4*time.Millisecond)
	s := &run.Summary
	if why := unbalanced(s); why != "" || s.Planned != 1200 || s.Errors.ClientTimeout == 0 || run.Verdict.Status == record.Invalid {
		t.Errorf("%s: %+v, %+v", why, s.Errors, run.Verdict)
	}
	if run = queued(p, 0); run.Summary.Replies != 1200 || run.Verdict.Status == record.Invalid {
		t.Errorf("%+v", run.Verdict)
	}
}
