package record

import "fmt"

// The findings of this file say that the client was the limit, or near it.

// notSent: requests that an uninterrupted run never took up.
func notSent(s *Summary, interrupted bool) *Finding {
	if s.Unsent == 0 || interrupted {
		return nil
	}
	return &Finding{"unsent", fmt.Sprintf("the client did not start %d requests that were due", s.Unsent),
		Number(s.Unsent), 0, Invalid}
}

// rateMissed: a load other than the planned one. What was sent within a moment of
// the window's end has not been missed; and an interrupt strikes requests that are
// due, but not yet late. However short the window is, a client that sends next to
// nothing of a load in its time is found.
func rateMissed(s *Summary, interrupted bool) *Finding {
	due := s.OfferedRate * s.Window
	tolerated := rateTolerance*due + 1
	if interrupted {
		tolerated += s.OfferedRate * Seconds(sendLagFloor)
	}
	if !(due-Number(s.sentInTime) > tolerated) {
		return nil
	}
	return &Finding{"rate_missed",
		fmt.Sprintf("the client sent %.0f of %.0f requests in their window of %.4g s (%d in all), %.1f/s of the %.1f/s offered: the figures do not describe that load",
			s.SentRate*s.Window, due, s.Window, s.Sent, s.SentRate, s.OfferedRate),
		s.SentRate, (due - tolerated) / s.Window, Invalid}
}

// exhausted: the client ran out of something that the server has no part in.
func exhausted(s *Summary) *Finding {
	e := &s.Errors
	n := e.exhausted()
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("the client ran out of descriptors for %d requests (ulimit -n)", n)
	if e.AddressUnavailable > 0 {
		text = fmt.Sprintf("the client ran out of local ports for %d requests (ip_local_port_range, sockets in TIME_WAIT): reuse connections or add source addresses", e.AddressUnavailable)
	}
	return &Finding{"client_exhausted", text, Number(n), 0, Invalid}
}

// exhausted counts the requests for which the client's host lacked something.
func (e *Errors) exhausted() uint64 {
	return e.FDUnavailable + e.AddressUnavailable + e.FileTableFull
}

// late: the client's own lateness colours the response times. Only a percentile
// that the run's requests support makes it invalid: the 99th of few requests is one
// of them, and one that is late says little of the others.
func late(s *Summary) *Finding {
	lag := &s.Time.SendLag
	limit := lagLimit(s)
	text := "the client started requests late"
	if s.behind() {
		text = fmt.Sprintf("the client fell behind and started requests up to %s late", ms(lag.Max))
	}
	if name, value := lag.supported(); value > limit {
		return &Finding{"send_lag", fmt.Sprintf("%s: %s %s, limit %s", text, name, ms(value), ms(limit)), value, limit, Invalid}
	}
	if !(lag.P99 > limit) {
		return nil
	}
	return &Finding{"send_lag",
		fmt.Sprintf("the client started some of %d requests late: p99 %s, limit %s", lag.Count, ms(lag.P99), ms(limit)),
		lag.P99, limit, Suspect}
}

func lagLimit(s *Summary) Number {
	limit := Seconds(sendLagFloor)
	if share := sendLagShare * s.Time.Response.P50; share > limit {
		return share
	}
	return limit
}

// stood: one request started very late, of which percentiles need not tell.
func stood(s *Summary) *Finding {
	longest := s.Time.SendLag.Max
	if !(longest > Seconds(stallLimit)) {
		return nil
	}
	text := "stood still"
	if s.behind() {
		if f := late(s); f != nil && f.Status == Invalid {
			return nil // that one says so
		}
		text = "fell behind"
	}
	return &Finding{"client_stall", fmt.Sprintf("the client %s: one request started %s late", text, ms(longest)),
		longest, Seconds(stallLimit), Suspect}
}

// behind says whether a very late request waited for the client to start others. If
// nothing was sent for most of its time, the client stood still.
func (s *Summary) behind() bool {
	longest := s.Time.SendLag.Max
	return longest > Seconds(stallLimit) && s.standstill < longest/2
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
