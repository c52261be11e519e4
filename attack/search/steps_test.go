package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ratebench/attack/plan"
)

func listed(steps []Step) string {
	var words []string
	for _, s := range steps {
		words = append(words, fmt.Sprintf("%v.%d", s.Rate, s.Pass))
	}
	return strings.Join(words, " ")
}

func rates(t *testing.T, texts ...string) []plan.Rate {
	t.Helper()
	var list []plan.Rate
	for _, text := range texts {
		list = append(list, rateFrom(t, text))
	}
	return list
}

func TestSteps(t *testing.T) {
	r := func(text string) plan.Rate { return rateFrom(t, text) }
	for want, s := range map[string]Steps{
		"100.1 200.1 300.1 400.1":                      {From: r("100"), To: r("400"), Step: r("100")},
		"100.1 170.1 240.1 310.1 380.1":                {From: r("100"), To: r("400"), Step: r("70"), Order: Up},
		"0.3.1 0.2.1 0.1.1":                            {From: r("0.1"), To: r("0.3"), Step: r("0.1"), Order: Down},
		"100.1 150.1 225.1 337.5.1":                    {From: r("100"), To: r("400"), Factor: 1.5},
		"10.1 20.1 40.1":                               {From: r("10"), To: r("40"), Factor: 2},
		"1.1 1.1.1 1.21.1 1.331.1":                     {From: r("1"), To: r("1.331"), Factor: 1.1},
		"5.1":                                          {From: r("5"), To: r("5"), Step: r("1")},
		"100.1 300.1 400.1 100.2 300.2 400.2":          {Rates: rates(t, "300", "100", "400"), Repeat: 2},
		"0.016666666666666666.1 0.03333333333333333.1": {From: r("1/m"), To: r("2/m"), Factor: 2},
		"0.016666666666666666.1 0.033333.1":            {From: r("1/m"), To: r("0.04"), Factor: 2},
		"20.1 20.1 40.1 80.1":                          {Rates: rates(t, "20", "40", "80", "20")},
		"1000000000.1 999999999.1 999999998.1":         {From: r("999999998"), To: r("1000000000"), Step: r("1"), Order: Down},
		"0.000001.1 0.000002.1 0.000004.1":             {From: r("0.000001"), To: r("0.000004"), Factor: 2},
	} {
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := listed(s.List()); got != want {
			t.Errorf("steps %s, want %s", got, want)
		}
	}
}

// Each pass has each rate once, in an order of its own that the seed alone decides.
func TestShuffledSteps(t *testing.T) {
	s := Steps{From: rateFrom(t, "100"), To: rateFrom(t, "1000"), Step: rateFrom(t, "100"), Order: Shuffled, Seed: 5, Repeat: 3}
	list := s.List()
	if listed(list) != listed(s.List()) {
		t.Error("the order differs from call to call")
	}
	passes := map[string]bool{}
	for pass := range 3 {
		part := list[10*pass : 10*pass+10]
		var order []float64
		for _, step := range part {
			if step.Pass != pass+1 {
				t.Errorf("step %+v in pass %d", step, pass+1)
			}
			order = append(order, step.Rate.PerSecond())
		}
		passes[fmt.Sprint(order)] = true
		slices.Sort(order)
		if want := []float64{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}; !slices.Equal(order, want) {
			t.Errorf("pass %d has %v", pass+1, order)
		}
	}
	if len(passes) != 3 {
		t.Errorf("%d orders in 3 passes", len(passes))
	}
	other := s
	if other.Seed = 6; listed(other.List()) == listed(list) {
		t.Error("the seed changes nothing")
	}
}

func TestStepsErrors(t *testing.T) {
	r := func(text string) plan.Rate { return rateFrom(t, text) }
	for want, s := range map[string]Steps{
		"which rates?":               {},
		"want one of --step":         {From: r("1"), To: r("2")},
		"one of --step and --factor": {From: r("1"), To: r("2"), Step: r("1"), Factor: 2},
		"--from 3 is above --to 2":   {From: r("3"), To: r("2"), Step: r("1")},
		"--factor 1: want at least":  {From: r("1"), To: r("2"), Factor: 1},
		"--factor -2":                {From: r("1"), To: r("2"), Factor: -2},
		"--rates names all rates":    {Rates: rates(t, "1"), To: r("2")},
		"a rate of 0":                {Rates: make([]plan.Rate, 1)},
		`--order "sideways"`:         {Rates: rates(t, "1"), Order: "sideways"},
		"--repeat -1":                {Rates: rates(t, "1"), Repeat: -1},
		"999999999001 steps":         {From: r("1"), To: r("1000000000"), Step: r("0.001")},
		"10100 steps: want at most":  {From: r("1"), To: r("101"), Step: r("1"), Repeat: 100},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", s, err, want)
		}
	}
	s := Steps{Order: "sideways", Repeat: -1}
	if err := s.Validate(); err == nil || len(strings.Split(err.Error(), "\n")) != 4 {
		t.Errorf("not all faults at once: %v", err)
	}
}
