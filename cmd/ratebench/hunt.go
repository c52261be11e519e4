package main

import (
	"context"
	"fmt"
	"slices"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/report"
)

// hunt is a search with what its trials need.
type hunt struct {
	trials
	document *report.Capacity
	idle     string // URL of a server that does nothing, empty as long as none was needed
	stop     func() // ends that server
}

func (h *hunt) end() {
	if h.stop != nil {
		h.stop()
	}
}

// try makes one trial, and records it unless it was interrupted.
func (h *hunt) try(ctx context.Context, next search.Trial) error {
	made, err := h.make(ctx, next)
	if err != nil {
		return err
	}
	d := h.document
	d.Runs = append(d.Runs, report.CapacityRun{Trial: next.Number, Pause: made.pause, LeftOver: made.leftOver, Run: made.document})
	if made.run.Interrupted {
		d.Interrupted = true
		return nil
	}
	cpu, within := report.CPUPerReply(made.document)
	result := search.Judge(next, made.run, d.Criteria, cpu, within)
	if next.Purpose == search.Ceiling || result.Passed() {
		result.Valid = keptUp(&made.run.Verdict)
	}
	h.tell(fmt.Sprintf("trial %d, %s  %s  %s", next.Number, next.Purpose, told(made.document), outcome(&result)))
	return d.Search.Record(result)
}

// keptUp says whether the client offered what it was to, however late it started
// single requests. Lateness is part of the response time, so that a rate which
// passes in spite of it passes; and at a ceiling it is no limit of what can be
// offered, and largest beside the response times of a server that takes none. A
// trial that misses its criteria has no such excuse: the client may be why.
func keptUp(v *record.Verdict) bool {
	return !slices.ContainsFunc(v.Findings, func(f record.Finding) bool {
		return f.Status == record.Invalid && f.Code != "send_lag"
	})
}

func outcome(r *search.Result) string {
	switch {
	case !r.Valid:
		return ""
	case r.Passed():
		return "passed"
	}
	return fmt.Sprintf("missed %v", r.Missed)
}

func (h *hunt) make(ctx context.Context, next search.Trial) (*trial, error) {
	p := *h.settings.plan
	p.Rate, p.Duration, p.Total, p.Seed = next.Rate, next.Length, 0, next.Seed
	if next.Purpose != search.Ceiling {
		return h.next(ctx, &p)
	}
	if err := h.aside(ctx, &p); err != nil {
		return nil, err
	}
	made := &trial{}
	return made, h.perform(ctx, &p, made, watching{off: true})
}

// aside turns a plan towards the server that does nothing, which is started if
// need be. It is on this machine and speaks plain HTTP: what TLS and the network
// cost the client is not in its ceiling.
func (h *hunt) aside(ctx context.Context, p *plan.Plan) (err error) {
	if h.idle == "" {
		if h.idle, h.stop, err = h.app.idle(ctx); err != nil {
			return fmt.Errorf("starting a server that does nothing: %w", err)
		}
	}
	p.URL, p.Targets, p.TargetsFile, p.Addresses = h.idle, nil, "", nil
	p.UnixSocket, p.Family, p.Sources, p.TLS, p.Expect = "", 0, nil, plan.TLS{}, plan.Statuses{}
	return p.Resolve()
}
