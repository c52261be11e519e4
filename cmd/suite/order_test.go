package suite

import (
	"fmt"
	"reflect"
	"testing"
)

func TestTrials(t *testing.T) {
	s := &Suite{Repeat: 40, Seed: 7, Servers: make([]Server, 3), Loads: []Load{{}, {Overload: true}, {}, {}}}
	all := s.Trials()
	if why := disorder(s, all); why != "" {
		t.Error(why)
	}
	if !reflect.DeepEqual(all, s.Trials()) {
		t.Error("the same suite has another order")
	}
	seeds, firsts := map[uint64]bool{}, map[string]int{}
	for _, trial := range all {
		seeds[trial.Seed] = true
		if trial.Place%12 == 1 {
			firsts[fmt.Sprint(trial.Server, trial.Load)]++
		}
	}
	if len(seeds) != 40 || len(firsts) < 7 { // of 9 that can be: each is missing with (8/9)^40, 0.9 %
		t.Errorf("%d seeds of blocks, blocks begin in %d ways: %v", len(seeds), len(firsts), firsts)
	}
	other := *s
	if other.Seed = 8; reflect.DeepEqual(all, other.Trials()) {
		t.Error("another seed has the same order")
	}
	few := *s
	if few.Repeat = 6; !reflect.DeepEqual(all[:72], few.Trials()) {
		t.Error("how many blocks there are changes the first ones")
	}
}

// disorder says what is wrong with an order, empty if nothing is.
func disorder(s *Suite, all []Trial) string {
	if want := s.Repeat * len(s.Servers) * len(s.Loads); len(all) != want {
		return fmt.Sprintf("%d trials, want %d", len(all), want)
	}
	made := map[[3]int]bool{}
	for i, t := range all {
		key := [3]int{t.Block, t.Server, t.Load}
		starts := i > 0 && i%len(s.Loads) != 0
		switch {
		case made[key]:
			return fmt.Sprintf("%v is made twice", key)
		case t.Place != i+1 || t.Block != i/(len(s.Servers)*len(s.Loads))+1:
			return fmt.Sprintf("trial %d has place %d and block %d", i+1, t.Place, t.Block)
		case starts && all[i-1].Server != t.Server:
			return fmt.Sprintf("trial %d: another server before the loads are over", i+1)
		case starts && s.Loads[all[i-1].Load].Overload && !s.Loads[t.Load].Overload:
			return fmt.Sprintf("trial %d: comes after an overload", i+1)
		case i > 0 && all[i-1].Block == t.Block && all[i-1].Seed != t.Seed:
			return fmt.Sprintf("trial %d: another seed in the same block", i+1)
		}
		made[key] = true
	}
	return ""
}

func TestDisorderTellsADifference(t *testing.T) {
	s := &Suite{Repeat: 6, Servers: make([]Server, 2), Loads: []Load{{Overload: true}, {}}}
	for name, spoil := range map[string]func([]Trial) []Trial{
		"short":    func(all []Trial) []Trial { return all[1:] },
		"twice":    func(all []Trial) []Trial { all[1] = all[0]; return all },
		"place":    func(all []Trial) []Trial { all[3].Place = 9; return all },
		"seed":     func(all []Trial) []Trial { all[3].Seed++; return all },
		"overload": func(all []Trial) []Trial { all[0].Load, all[1].Load = all[1].Load, all[0].Load; return all },
		"server":   func(all []Trial) []Trial { all[1].Server, all[2].Server = all[2].Server, all[1].Server; return all },
	} {
		if disorder(s, spoil(s.Trials())) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}
