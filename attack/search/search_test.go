package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// server is a fake engine without noise, but for the trials that faults names by
// their numbers.
type server struct {
	capacity float64 // per second; beyond it p99 is missed
	client   float64 // per second; beyond it trials are invalid; 0 for no limit
	beyond   float64 // goodput above the capacity, a share of it
	faults   map[int]func(*Result)
}

func (v *server) run(t Trial) Result {
	load := t.Rate.PerSecond()
	r := Result{
		Trial: t, Valid: v.client == 0 || load <= v.client,
		Requests: 100_000, Response: 0.010, CPU: 0.001, CPUWithin: 0.0001, GoodputRate: record.Number(load),
	}
	if load > v.capacity && t.Purpose != Ceiling {
		r.Missed, r.GoodputRate = []string{"p99<250ms"}, record.Number(v.beyond*v.capacity)
	}
	r.GoodReplies = r.GoodputRate
	if fault := v.faults[t.Number]; fault != nil {
		fault(&r)
	}
	return r
}

func spoil(r *Result)    { r.Missed = []string{"errors<=0.1%"} }
func mend(r *Result)     { r.Missed = nil }
func disturb(r *Result)  { r.Valid = false }
func slowDown(r *Result) { r.Response = 0.0121 }
func dearer(r *Result)   { r.CPU = 0.0014 }

// short is a goal with few trials.
func short(t *testing.T) Goal {
	g := Quick()
	g.From = rateFrom(t, "100")
	g.Lengths.Ceiling, g.Lengths.Overload = 0, 0
	g.BestNarrow, g.BestDecide = 3, 3
	g.Width, g.Coarse = 0.1, 0.4
	return g
}

// told is a search in words: purpose, rate, and what came of it.
func told(s *Search) string {
	var words []string
	for _, r := range s.Trials {
		sign := "+"
		switch {
		case !r.Valid:
			sign = "?"
		case !r.Passed():
			sign = "-"
		}
		words = append(words, fmt.Sprintf("%s %v%s", r.Trial.Purpose, r.Trial.Rate, sign))
	}
	return strings.Join(words, ", ")
}

func check(t *testing.T, s *Search, trials, answer string) {
	t.Helper()
	if got := told(s); trials != "" && got != trials {
		t.Errorf("trials\n%s, want\n%s", got, trials)
	}
	if got := s.Answer().String(); got != answer {
		t.Errorf("answer %q, want %q", got, answer)
	}
}

func TestSearch(t *testing.T) {
	s := drive(t, short(t), (&server{capacity: 333}).run)
	check(t, s, "baseline 100+, ramp 200+, ramp 400-, sentinel 100+, ramp 400-, sentinel 100+, "+
		"narrow 282.84+, narrow 282.84+, narrow 336.36-, sentinel 100+, narrow 336.36-, sentinel 100+, "+
		"decide 308.44+, decide 308.44+, decide 336.36-, sentinel 100+, decide 336.36-, sentinel 100+",
		"capacity 308.44/s: passes there, at 336.36/s it misses p99<250ms")
	a := s.Answer()
	if a.Outcome != Found || !a.Confirmed || a.Goodput != 308.44 {
		t.Errorf("%+v", a)
	}
	for _, r := range s.Trials {
		if failed := !r.Passed(); (r.Sentinels == 1) != failed {
			t.Errorf("trial %d, %s %v, has %d sentinels", r.Trial.Number, r.Trial.Purpose, r.Trial.Rate, r.Sentinels)
		}
	}
	var repeats string
	seeds := map[uint64]bool{}
	for _, r := range s.Trials {
		repeats += fmt.Sprint(r.Trial.Repeat)
		seeds[r.Trial.Seed] = true
	}
	if want := "111121121121121121"; repeats != want || len(seeds) != len(s.Trials) {
		t.Errorf("repeats %s, want %s; %d seeds", repeats, want, len(seeds))
	}
}

// Whatever the capacity, an undisturbed search encloses it, at the width asked for.
func TestSearchEncloses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		capacity := 101 + 1e5*random.Float64()*random.Float64()
		g := thorough(t)
		a := drive(t, g, (&server{capacity: capacity, beyond: 1}).run).Answer()
		if a.Outcome != Found || float64(a.Passes) > capacity || float64(a.Fails) <= capacity ||
			float64(a.Fails/a.Passes) > 1+g.Width+1e-9 || !a.Confirmed || a.Behaviour != Holds {
			t.Fatalf("capacity %v: %+v", capacity, a)
		}
	}
}

func TestOutcomes(t *testing.T) {
	bounded := func(g Goal, most string) Goal {
		g.Most = rateFrom(t, most)
		return g
	}
	ceiling := func(g Goal) Goal {
		g.Lengths.Ceiling = seconds(1)
		return g
	}
	for _, c := range []struct {
		goal           Goal
		server         server
		outcome        Outcome
		trials, answer string
	}{
		{short(t), server{capacity: 50}, FailsLowest,
			"baseline 100-, baseline 100-, decide 100-, decide 100-",
			"fails at the lowest rate, 100/s: misses p99<250ms"},
		{bounded(short(t), "300"), server{capacity: 1e9}, PassesHighest,
			"baseline 100+, ramp 200+, ramp 300+, decide 300+, decide 300+",
			"passes at the highest rate asked for, 300/s"},
		{bounded(ceiling(short(t)), "300"), server{capacity: 1e9, client: 700}, PassesHighest,
			"ceiling 600+, baseline 100+, ramp 200+, ramp 300+, decide 300+, decide 300+",
			"passes at the highest rate asked for, 300/s"},
		// The ceiling is 500/s, of which 70 % of what was proved may be used.
		{ceiling(short(t)), server{capacity: 1e9, client: 500}, ClientLimited,
			"ceiling 800?, ceiling 800?, ceiling 800?, ceiling 142.86+, baseline 100+, ceiling 285.71+, ramp 200+, " +
				"ceiling 571.43?, ceiling 571.43?, ceiling 571.43?, decide 200+, decide 200+",
			"client limited: passes at 200/s"},
		{ceiling(short(t)), server{capacity: 1e9, client: 100}, ClientLimited,
			"ceiling 800?, ceiling 800?, ceiling 800?, ceiling 142.86?, ceiling 142.86?, ceiling 142.86?",
			"client limited: no rate passed"},
		// Without it the trials themselves tell.
		{short(t), server{capacity: 1e9, client: 290}, ClientLimited,
			"baseline 100+, ramp 200+, ramp 400?, ramp 400?, ramp 400?, ramp 400?, narrow 282.84+, narrow 282.84+, " +
				"narrow 336.36?, narrow 336.36?, narrow 336.36?, narrow 336.36?, " +
				"decide 308.44?, decide 308.44?, decide 308.44?, decide 308.44?, decide 282.84+, decide 282.84+",
			"client limited: passes at 282.84/s, at 308.44/s the client was the limit"},
		{short(t), server{capacity: 333, client: 99}, ClientLimited,
			"baseline 100?, baseline 100?, baseline 100?, baseline 100?",
			"client limited: no rate passed, at 100/s the client was the limit"},
		// A failing rate below the client's limit is the server's.
		{short(t), server{capacity: 290, client: 350}, Found, "",
			"capacity 282.84/s: passes there, at 308.44/s it misses p99<250ms"},
	} {
		s := drive(t, c.goal, c.server.run)
		check(t, s, c.trials, c.answer)
		if a := s.Answer(); a.Outcome != c.outcome {
			t.Errorf("outcome %q, want %q", a.Outcome, c.outcome)
		}
	}
}

// Single spoilt trials, by the server's or the client's fault, are outvoted.
func TestSpoiltTrials(t *testing.T) {
	want := drive(t, short(t), (&server{capacity: 333}).run).Answer().String()
	for number := 1; number <= 14; number++ {
		for name, fault := range map[string]func(*Result){"spoilt": spoil, "mended": mend, "invalid": disturb, "slow": slowDown} {
			if number == 1 && name == "slow" {
				continue // it is what the sentinel is measured by
			}
			v := server{capacity: 333, faults: map[int]func(*Result){number: fault}}
			s := drive(t, short(t), v.run)
			if name == "mended" && number == 3 {
				check(t, s, "", "capacity 308.44/s: passes there, at 336.36/s it misses p99<250ms")
				continue
			}
			if got := s.Answer().String(); got != want {
				t.Errorf("trial %d %s: %s\n%s", number, name, got, told(s))
			}
		}
	}
}

// Long trials overrule short ones at both ends, and the gap opens to what was
// known before.
func TestLongTrialsOverrule(t *testing.T) {
	lenient := func(t Trial) Result { // short trials pass up to 380/s, long ones up to 210/s
		v := server{capacity: 210}
		if t.Purpose != Decide {
			v.capacity = 380
		}
		return v.run(t)
	}
	check(t, drive(t, short(t), lenient), "", "capacity 200/s: passes there, at 218.1/s it misses p99<250ms")
	strict := func(t Trial) Result {
		v := server{capacity: 1500}
		if t.Purpose != Decide && t.Purpose != Sentinel {
			v.capacity = 150
		}
		return v.run(t)
	}
	s := drive(t, short(t), strict)
	if a := s.Answer(); a.Outcome != Found || a.Passes < 1300 || a.Passes > 1500 || a.Fails <= 1500 {
		t.Errorf("%+v\n%s", a, told(s))
	}
}

func TestSentinels(t *testing.T) {
	// Trial 3 fails at 400/s; its sentinels are 4 and on.
	lasting := func(n int, fault func(*Result)) map[int]func(*Result) {
		faults := map[int]func(*Result){}
		for i := range n {
			faults[4+i] = fault
		}
		return faults
	}
	for name, fault := range map[string]func(*Result){"slow": slowDown, "dear": dearer, "failing": spoil} {
		s := drive(t, short(t), (&server{capacity: 333, faults: lasting(3, fault)}).run)
		if got := s.Trials[2].Sentinels; got != 4 {
			t.Errorf("%s for three sentinels: recovered at number %d", name, got)
		}
		s = drive(t, short(t), (&server{capacity: 333, faults: lasting(5, fault)}).run)
		check(t, s, "", "not recovered: passes at 200/s; the server did not recover from trial 3")
		if a := s.Answer(); a.Outcome != NotRecovered || s.Trials[2].Sentinels != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	s := drive(t, short(t), (&server{capacity: 333, faults: lasting(4, spoil)}).run)
	if got := s.Trials[2].Sentinels; got != 5 {
		t.Errorf("four bad sentinels: recovered at number %d", got)
	}
	s = drive(t, short(t), (&server{capacity: 333, faults: lasting(5, disturb)}).run)
	check(t, s, "", "client limited: passes at 200/s")
}

func TestRecovered(t *testing.T) {
	u := record.Undefined()
	ease := Result{Requests: 10_000, Response: 0.1, CPU: 0.001, CPUWithin: 0.00001}
	for want, results := range map[bool][]Result{
		true: {
			{Requests: 10_000, Response: 0.1, CPU: 0.001},
			{Requests: 10_000, Response: 0.110, CPU: 0.001},
			{Requests: 10_000, Response: 0.05, CPU: 0.0005},
			{Requests: 10_000, Response: 0.1, CPU: 0.00111, CPUWithin: 0.00001},
			{Requests: 10_000, Response: 0.1, CPU: 0.005, CPUWithin: u},
			{Requests: 10_000, Response: 0.1, CPU: u, CPUWithin: u},
			{Requests: 100, Response: 0.18, CPU: 0.001},
		},
		false: {
			{Requests: 10_000, Response: 0.112, CPU: 0.001},
			{Requests: 100, Response: 0.19, CPU: 0.001},
			{Requests: 10_000, Response: 0.1, CPU: 0.0012, CPUWithin: 0.00001},
			{Requests: 10_000, Response: u, CPU: 0.001},
			{Requests: 10_000, Response: 0.1, CPU: 0.001, Missed: []string{"errors<=0.1%"}},
		},
	} {
		for _, r := range results {
			if got := recovered(&ease, &r); got != want {
				t.Errorf("%+v: recovered %t", r, got)
			}
		}
	}
	if recovered(nil, &ease) {
		t.Error("recovered to what was never seen")
	}
	fast := Result{Requests: 10_000, Response: 0.0001}
	if slower := (Result{Requests: 10_000, Response: 0.0009}); !recovered(&fast, &slower) {
		t.Error("less than a millisecond matters")
	}
}

// At ease is how the server first passed, not how it failed or passed later.
func TestAtEase(t *testing.T) {
	var w watch
	lowest := Trial{Rate: rateFrom(t, "100")}
	for _, r := range []Result{
		{Trial: lowest, Response: 1},
		{Trial: lowest, Response: 2, Valid: true, Missed: []string{"p99<250ms"}},
		{Trial: lowest, Response: record.Undefined(), Valid: true},
		{Trial: Trial{Rate: rateFrom(t, "200")}, Response: 3, Valid: true},
		{Trial: lowest, Response: 4, Valid: true},
		{Trial: lowest, Response: 5, Valid: true},
	} {
		w.load(&r, lowest.Rate, 0)
	}
	if w.ease == nil || w.ease.Response != 4 || w.owed {
		t.Errorf("%+v", w)
	}
}

// The client is the limit if it spoils four trials of a rate and more than it leaves.
func TestHopeless(t *testing.T) {
	for _, c := range []struct {
		vote vote
		want bool
	}{
		{vote{invalid: 3}, false},
		{vote{invalid: 4}, true},
		{vote{invalid: 4, passes: 2, fails: 1}, true},
		{vote{invalid: 4, passes: 2, fails: 2}, false},
	} {
		if got := c.vote.hopeless(); got != c.want {
			t.Errorf("%+v: %t", c.vote, got)
		}
	}
}

// However the trials come out, a search ends, tells what it knows, and comes to the
// same state from the same results.
func TestAnySearchEnds(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 3))
		bad, invalid := random.Float64(), random.Float64()/2
		g := thorough(t)
		if seed%2 == 0 {
			g.Most = rateFrom(t, "5000")
		}
		s := drive(t, g, func(t Trial) Result {
			r := (&server{capacity: 1e9, beyond: 1}).run(t)
			if random.Float64() < bad {
				spoil(&r)
			}
			r.Valid = random.Float64() >= invalid
			return r
		})
		for i := 1; i < len(s.Bracket.Passing)+len(s.Bracket.Failing); i++ {
			if all := slices.Concat(s.Bracket.Passing, s.Bracket.Failing); all[i-1].Rate >= all[i].Rate {
				t.Fatalf("seed %d: %+v", seed, s.Bracket)
			}
		}
		if a := s.Answer(); a.Outcome == Unfinished {
			t.Fatalf("seed %d: %+v", seed, a)
		}
		replayed := 0
		again := drive(t, g, func(Trial) Result { replayed++; return s.Trials[replayed-1] })
		if a, b := document(t, s), document(t, again); a != b {
			t.Fatalf("seed %d: replayed to\n%s, not\n%s", seed, b, a)
		}
	}
}

// document is the search and its answer as JSON, which has no NaN.
func document(t *testing.T, s *Search) string {
	t.Helper()
	text, err := json.Marshal(struct {
		Search *Search
		Answer Answer
	}{s, s.Answer()})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUnfinished(t *testing.T) {
	s, err := New(short(t))
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, "", "unfinished: no rate passed")
	first, _ := s.Next()
	if again, ok := s.Next(); !ok || again != first {
		t.Errorf("asked twice: %+v and %+v", first, again)
	}
	v := server{capacity: 333}
	other := v.run(first)
	other.Trial.Rate = rateFrom(t, "7")
	if err := s.Record(other); err == nil || !strings.Contains(err.Error(), "baseline at 7/s") {
		t.Errorf("a result of another trial: %v", err)
	}
	for range 6 {
		trial, _ := s.Next()
		if err := s.Record(v.run(trial)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Record(v.run(first)); err == nil {
		t.Error("a result is recorded that no trial was made for")
	}
	check(t, s, "", "unfinished: passes at 200/s, at 400/s it misses p99<250ms")
	for _, want := range []string{`"passes_per_s":200`, `"fails_per_s":400`, `"outcome":""`, `"confirmed":false`, `"goodput_per_s":null`} {
		if text := document(t, s); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// With n trials of one length, MLRsearch's classification at an exceed ratio of one
// half is: an upper bound if the failing time H > W/2, a lower bound if W − P <= W/2,
// where P passes and W is H + P or, if greater, the time of all n.
func TestVotesAreMLRsearchs(t *testing.T) {
	g := Thorough()
	for fails := range 4 {
		for passes := range 4 {
			h, p := float64(fails), float64(passes)
			w := max(h+p, 5)
			upper, lower := h > w/2, w-p <= w/2
			v := vote{step: step{purpose: Decide}, passes: passes, fails: fails}
			if passes == 3 && fails == 3 {
				continue // decided before
			}
			passed, ok := v.decided(&g)
			if ok != (upper || lower) || ok && passed != lower {
				t.Errorf("%d passes, %d fails: decided %t, passed %t", passes, fails, ok, passed)
			}
		}
	}
}

// Trials are offered the very rates of the bracket, and the user's to the digit.
func TestRates(t *testing.T) {
	for _, text := range []string{"1/m", "7/h", "123.456789", "0.000001", "1000000000", "300"} {
		g := short(t)
		g.From = rateFrom(t, text)
		g.Most = g.From
		s, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		if trial, _ := s.Next(); trial.Rate != g.From {
			t.Errorf("%s is offered as %v", text, trial.Rate)
		}
	}
	for f, want := range map[float64]float64{123.4567: 123.46, 0.0000014: 0.0000014, 0.0012345678: 0.0012346, 1.23456e-6: 0.000001, 98765.432: 98765, 2e9: plan.MaxRate, 0: plan.MinRate} {
		if got := rounded(f); got != want || rate(got).PerSecond() != want {
			t.Errorf("%v is rounded to %v, want %v", f, got, want)
		}
	}
}

func TestGoalErrors(t *testing.T) {
	for _, g := range []Goal{Thorough(), Quick()} {
		if g.From = rateFrom(t, "1"); g.Validate() != nil {
			t.Errorf("%+v: %v", g, g.Validate())
		}
	}
	g := Goal{Most: rateFrom(t, "5"), Width: 2, Coarse: 1, BestNarrow: 2, BestDecide: 0, BestOverload: 101}
	if _, err := New(g); err == nil || len(strings.Split(err.Error(), "\n")) != 7 {
		t.Errorf("not all faults at once: %v", err)
	}
	g = short(t)
	g.Lengths.Decide = g.Lengths.Narrow - 1
	if err := g.Validate(); err == nil || !strings.Contains(err.Error(), "trials that decide last 2.999999999s: want no less than the 3s") {
		t.Error(err)
	}
	g = short(t)
	g.Most = rateFrom(t, "50")
	if err := g.Validate(); err == nil || !strings.Contains(err.Error(), "highest rate 50 is below the lowest, 100") {
		t.Error(err)
	}
}
