package search

import "ratebench/attack/plan"

// Limits of the client.
const (
	// clientShare of what the client can offer is the most that a search asks of
	// it. Nearer to its ceiling it is late, and the server looks slow.
	clientShare = 0.70

	// ceilingSteps: the ceiling is tried at that many times the rate to come, so
	// that one proof lasts for the next doublings.
	ceilingSteps = 8
)

// Client is how much the client can offer to a server that does nothing, as far
// as that was tried. Zero means not tried. A single pass is proof enough, since the
// client tells in every later trial as well whether it kept up.
type Client struct {
	Offers float64 `json:"offers_per_s"` // the highest rate that it kept up
	Fails  float64 `json:"fails_per_s"`  // the lowest that it did not
	Limits bool    `json:"limits"`       // it kept the search from higher rates
}

// within is the highest rate that the ceiling allows.
func (c *Client) within() float64 { return rounded(clientShare * c.Offers) }

// proof is the rate at which the client must be tried before it offers r to the
// server, 0 if it need not be; able is false if it has failed that trial.
func (s *Search) proof(r float64) (try float64, able bool) {
	c := &s.Client
	if s.Goal.Lengths.Ceiling == 0 || (c.Offers > 0 && r <= c.within()) {
		return 0, true
	}
	far := min(ceilingSteps*r, plan.MaxRate)
	if most := s.Goal.Most.PerSecond(); most > 0 {
		far = min(far, 2*most)
	}
	near := min(r/clientShare, plan.MaxRate)
	try = rounded(max(far, near))
	if c.Fails > 0 && try >= c.Fails {
		try = rounded(near)
	}
	// Not above what it offers already: no plan has a rate so high.
	return try, (c.Fails == 0 || try < c.Fails) && try > c.Offers
}

func (s *Search) recordCeiling(r *Result) {
	at := r.Trial.Rate.PerSecond()
	if s.ceiling.rate != at {
		s.ceiling = vote{step: step{Ceiling, at}, missed: map[string]int{}}
	}
	if !r.Valid && r.Passed() { // what a server shows by missing an objective, the client shows so
		r.Missed = []string{"client"}
	}
	r.Valid = true
	s.ceiling.count(r)
	passed, decided := s.ceiling.decided(&s.Goal)
	switch {
	case passed:
		s.Client.Offers = max(s.Client.Offers, at)
	case decided:
		s.Client.Fails = at
	}
}

// clientWas is why a rate was not measured.
const clientWas = "the client was the limit"

// beyondClient gives up a rate above the client's ceiling. A ramp goes on to the
// highest rate below it; no other step but those beyond the answer gets so high.
func (s *Search) beyondClient() {
	if s.at.purpose == Overload {
		s.Beyond = append(s.Beyond, s.at.unmeasured(clientWas))
	} else {
		s.Client.Limits = true
		s.most = s.Client.within()
	}
	if s.at.purpose == Baseline {
		s.outcome = ClientLimited
	}
	s.at = vote{}
}
