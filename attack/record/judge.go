package record

import (
	"fmt"
	"math"
	"time"

	"ratebench/attack/plan"
)

// Judge sets the verdict of a run from what was recorded of it. Reasons to
// distrust the client make it invalid, other doubts suspect.
func Judge(p *plan.Plan, run *Run) {
	run.Verdict = Verdict{Status: Valid, Findings: []Finding{}}
	add := func(f *Finding) {
		if f != nil {
			run.Verdict.Add(*f)
		}
	}
	s := &run.Summary
	add(interrupted(run))
	add(noReply(run))
	add(notSent(s, run.Interrupted))
	add(rateMissed(s))
	add(exhausted(s))
	add(late(s))
	add(stood(s))
	add(busy(&run.Client))
	add(oneCore(&run.Client))
	add(heldBack(s, p.MaxConnections))
	add(stale(s))
	add(little(s, run.Interrupted))
	add(growing(run.Intervals, s))
	add(drifting(run.Intervals, s, run.Interrupted))
	add(fewSamples(s))
}

func interrupted(run *Run) *Finding {
	if !run.Interrupted {
		return nil
	}
	s := &run.Summary
	done := s.Planned - s.Unsent
	return &Finding{"interrupted", fmt.Sprintf("interrupted after %d of %d planned requests", done, s.Planned),
		Number(done), Number(s.Planned), Suspect}
}

func noReply(run *Run) *Finding {
	s := &run.Summary
	if s.Replies > 0 || s.Errors.Total == 0 {
		return nil
	}
	return &Finding{"no_reply", "nothing answered", 0, Undefined(), Suspect}
}

// notSent: requests that an uninterrupted run never took up.
func notSent(s *Summary, interrupted bool) *Finding {
	if s.Unsent == 0 || interrupted {
		return nil
	}
	return &Finding{"unsent", fmt.Sprintf("the client did not start %d requests that were due", s.Unsent),
		Number(s.Unsent), 0, Invalid}
}

// rateMissed: a load other than the planned one. At the window's end a request
// may be sent after it, by as much as it may be late, without having been missed.
func rateMissed(s *Summary) *Finding {
	missing := (s.OfferedRate - s.SentRate) * s.Window
	tolerated := rateTolerance*s.OfferedRate*s.Window + s.OfferedRate*Seconds(sendLagFloor) + 1
	if !(missing > tolerated) {
		return nil
	}
	return &Finding{"rate_missed",
		fmt.Sprintf("the client sent %.1f/s of the %.1f/s offered: the figures do not describe %.1f/s",
			s.SentRate, s.OfferedRate, s.OfferedRate),
		s.SentRate, s.OfferedRate - tolerated/s.Window, Invalid}
}

// exhausted: the client ran out of something that the server has no part in.
func exhausted(s *Summary) *Finding {
	e := &s.Errors
	n := e.FDUnavailable + e.AddressUnavailable + e.FileTableFull
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("the client ran out of descriptors for %d requests (ulimit -n)", n)
	if e.AddressUnavailable > 0 {
		text = fmt.Sprintf("the client ran out of local ports for %d requests (ip_local_port_range, sockets in TIME_WAIT): reuse connections or add source addresses", e.AddressUnavailable)
	}
	return &Finding{"client_exhausted", text, Number(n), 0, Invalid}
}

func late(s *Summary) *Finding {
	limit := Seconds(sendLagFloor)
	if share := sendLagShare * s.Time.Response.P50; share > limit {
		limit = share
	}
	if !(s.Time.SendLag.P99 > limit) {
		return nil
	}
	return &Finding{"send_lag",
		fmt.Sprintf("the client started requests late: p99 %s, limit %s", ms(s.Time.SendLag.P99), ms(limit)),
		s.Time.SendLag.P99, limit, Invalid}
}

func stood(s *Summary) *Finding {
	if !(s.Time.SendLag.Max > Seconds(stallLimit)) {
		return nil
	}
	return &Finding{"client_stall", fmt.Sprintf("the client stood still: one request started %s late", ms(s.Time.SendLag.Max)),
		s.Time.SendLag.Max, Seconds(stallLimit), Suspect}
}

func busy(c *Client) *Finding {
	limit := Number(clientBusy * float64(c.Available))
	if !(c.Cores > limit) {
		return nil
	}
	return &Finding{"client_cpu", fmt.Sprintf("the client used %.2f of its %d cores", c.Cores, c.Available), c.Cores, limit, Invalid}
}

func oneCore(c *Client) *Finding {
	if !(c.Cores > clientCore) || float64(c.Cores) > clientBusy*float64(c.Available) {
		return nil
	}
	return &Finding{"client_core", fmt.Sprintf("the client used %.2f cores: a loop may be near its limit", c.Cores), c.Cores, clientCore, Suspect}
}

func heldBack(s *Summary, limit int) *Finding {
	if s.Waited == 0 {
		return nil
	}
	return &Finding{"connection_limit",
		fmt.Sprintf("%d requests waited for one of %d connections, their clock running", s.Waited, limit),
		Number(s.Waited), 0, Suspect}
}

func stale(s *Summary) *Finding {
	if s.Errors.Stale == 0 {
		return nil
	}
	return &Finding{"stale",
		fmt.Sprintf("%d requests met a kept connection that the server was closing; they were not sent again", s.Errors.Stale),
		Number(s.Errors.Stale), 0, Suspect}
}

// little compares the mean number in flight, integrated event by event, with
// rate × time in system, added up request by request.
func little(s *Summary, interrupted bool) *Finding {
	gap := math.Abs(float64(s.InFlight.Mean)/float64(s.InFlight.Little) - 1)
	if interrupted || !(gap > littleTolerance) || s.InFlight.Mean*s.Elapsed < Seconds(10*time.Millisecond) {
		return nil
	}
	return &Finding{"little",
		fmt.Sprintf("mean in flight %.2f, by Little's law %.2f: the client recorded ends late", s.InFlight.Mean, s.InFlight.Little),
		s.InFlight.Mean, s.InFlight.Little, Suspect}
}

// fewSamples: the 99th percentile is printed, so it must be supported.
func fewSamples(s *Summary) *Finding {
	limit := Number(math.Round(percentileSamples / (1 - 0.99)))
	n := s.Time.Response.Count
	if n == 0 || Number(n) >= limit {
		return nil
	}
	return &Finding{"few_samples", fmt.Sprintf("%d replies are few for a 99th percentile", n), Number(n), limit, Suspect}
}

// ms is a number of seconds in milliseconds with three digits, more above 1 s.
func ms(n Number) string {
	if n >= 1 {
		return fmt.Sprintf("%.0f ms", float64(n)*1e3)
	}
	return fmt.Sprintf("%.3g ms", float64(n)*1e3)
}
