package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ratebench/attack/plan"
)

// Order is the order of a sweep's rates.
type Order string

const (
	Up       Order = "up" // the default: overload comes last and harms nothing after it
	Down     Order = "down"
	Given    Order = "given"    // as Rates has them
	Shuffled Order = "shuffled" // anew in each pass, by seed: a drift of the server is not taken for its curve
)

// maxSteps bounds the runs of a sweep.
const maxSteps = 10_000

// Steps are the offered rates of a sweep: From to To by Step or by Factor, or
// Rates. To is offered if the steps meet it. The zero value is invalid.
type Steps struct {
	From   plan.Rate   `json:"from_per_s"`
	To     plan.Rate   `json:"to_per_s"`
	Step   plan.Rate   `json:"step_per_s"`      // added each time; 0 for none
	Factor float64     `json:"factor"`          // multiplied each time, above 1; 0 for none
	Rates  []plan.Rate `json:"rates,omitempty"` // instead of all these
	Order  Order       `json:"order"`           // empty means Up
	Seed   uint64      `json:"seed"`            // of Shuffled
	Repeat int         `json:"repeat"`          // passes over all rates; 0 means 1
}

// Step is one run of a sweep.
type Step struct {
	Rate plan.Rate `json:"rate_per_s"`
	Pass int       `json:"pass"` // from 1
}

// Validate reports every fault at once, joined, each naming its option and value.
func (s *Steps) Validate() error {
	var errs []error
	if s.Order != "" && s.Order != Up && s.Order != Down && s.Order != Given && s.Order != Shuffled {
		errs = append(errs, fmt.Errorf("--order %q: want up, down or shuffled", s.Order))
	}
	if s.Order == Given && len(s.Rates) == 0 {
		errs = append(errs, errors.New("the given order is that of --rates"))
	}
	if s.Repeat < 0 {
		errs = append(errs, fmt.Errorf("--repeat %d: must be 1 or more", s.Repeat))
	}
	errs = append(errs, s.validateRates())
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if n := s.count() * float64(max(s.Repeat, 1)); n > maxSteps {
		return fmt.Errorf("%.0f steps: want at most %d", n, maxSteps)
	}
	return nil
}

func (s *Steps) validateRates() error {
	none := plan.Rate{}
	if len(s.Rates) > 0 {
		if s.From != none || s.To != none || s.Step != none || s.Factor != 0 {
			return errors.New("--rates names all rates: leave out --from, --to, --step and --factor")
		}
		if slices.Contains(s.Rates, none) {
			return errors.New("--rates: a rate of 0 is none")
		}
		return nil
	}
	var errs []error
	if s.From == none || s.To == none {
		errs = append(errs, errors.New("which rates? want --from, --to and --step, or --rates"))
	} else if s.From.PerSecond() > s.To.PerSecond() {
		errs = append(errs, fmt.Errorf("--from %v is above --to %v: want --order down for the highest first", s.From, s.To))
	}
	if (s.Step == none) == (s.Factor == 0) {
		errs = append(errs, errors.New("want one of --step and --factor"))
	} else if s.Step == none && !(s.Factor >= minFactor && s.Factor <= plan.MaxRate) {
		errs = append(errs, fmt.Errorf("--factor %g: want at least %g", s.Factor, minFactor))
	}
	return errors.Join(errs...)
}

// minFactor tells steps apart by more than the client's tolerance of rates.
const minFactor = 1.01

// count is the number of rates of a pass. A step that meets To but for rounding
// errors does meet it.
func (s *Steps) count() float64 {
	if len(s.Rates) > 0 {
		return float64(len(s.Rates))
	}
	from, to := s.From.PerSecond(), s.To.PerSecond()
	steps := math.Log(to/from) / math.Log(s.Factor)
	if s.Factor == 0 {
		steps = (to - from) / s.Step.PerSecond()
	}
	return 1 + math.Floor(steps+1e-6)
}

// List is every run in order, pass by pass; each pass offers each rate once. The
// steps must be valid.
func (s *Steps) List() []Step {
	rates := s.ascending()
	switch s.Order {
	case Down:
		slices.Reverse(rates)
	case Given:
		rates = slices.Clone(s.Rates)
	}
	random := rand.New(rand.NewPCG(s.Seed, uint64(len(rates))))
	var list []Step
	for pass := 1; pass <= max(s.Repeat, 1); pass++ {
		if s.Order == Shuffled {
			random.Shuffle(len(rates), func(i, j int) { rates[i], rates[j] = rates[j], rates[i] })
		}
		for _, r := range rates {
			list = append(list, Step{Rate: r, Pass: pass})
		}
	}
	return list
}

// ascending are the rates of a pass, each found from the first so that no rounding
// error adds up. The end is To itself where it is met.
func (s *Steps) ascending() []plan.Rate {
	if len(s.Rates) > 0 {
		return slices.SortedStableFunc(slices.Values(s.Rates), func(a, b plan.Rate) int {
			return cmp.Compare(a.PerSecond(), b.PerSecond())
		})
	}
	from, to := s.From.PerSecond(), s.To.PerSecond()
	rates := []plan.Rate{s.From}
	for i := 1; i < int(s.count()); i++ {
		at := from + float64(i)*s.Step.PerSecond()
		if s.Factor != 0 {
			at = from * math.Pow(s.Factor, float64(i))
		}
		rates = append(rates, rate(math.Round(min(at, to)*1e6)/1e6))
	}
	if last := len(rates) - 1; math.Abs(rates[last].PerSecond()-to) <= 1e-6+1e-9*to {
		rates[last] = s.To
	}
	return rates
}
