package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// experiments is how many are simulated for each figure: of a chance of 5 % their share
// is within 3.6 to 6.4 % in 99.7 of 100 seeds, and the seeds here are fixed.
const experiments = 2000

// trials are blocks of trials of servers whose true values are given, with a noise of
// each trial's own and what a disturbance adds to all trials at their place in time,
// where each block's order is drawn at random.
func trials(random *rand.Rand, blocks int, noise noise, disturb func(place float64) float64, truth ...float64) [][]float64 {
	samples := make([][]float64, len(truth))
	for b := range blocks {
		for at, server := range random.Perm(len(truth)) {
			place := (float64(b) + float64(at)/float64(len(truth))) / float64(blocks)
			samples[server] = append(samples[server], truth[server]*math.Exp(noise(random))*disturb(place))
		}
	}
	return samples
}

type noise func(*rand.Rand) float64

// normal and spiky are noise of 1 %; one in ten of the spiky's is of 10 %.
func normal(r *rand.Rand) float64 { return 0.01 * r.NormFloat64() }
func spiky(r *rand.Rand) float64 {
	if r.IntN(10) == 0 {
		return 0.1 * r.NormFloat64()
	}
	return 0.01 * r.NormFloat64()
}

func none(float64) float64            { return 1 }
func drift(place float64) float64     { return 1 + 0.02*place }
func alternate(place float64) float64 { return 1 + 0.01*float64(int(place*20)%2) }

// disturbances are what can be the matter with a machine and its noise.
func disturbances() map[string]struct {
	noise   noise
	disturb func(float64) float64
} {
	return map[string]struct {
		noise   noise
		disturb func(float64) float64
	}{"none": {normal, none}, "drift": {normal, drift}, "alternate": {normal, alternate}, "spiky": {spiky, drift}}
}

// share is of how many experiments f holds.
func share(f func(random *rand.Rand) bool) float64 {
	random := rand.New(rand.NewPCG(11, 1))
	n := 0
	for range experiments {
		if f(random) {
			n++
		}
	}
	return float64(n) / experiments
}

func TestCoverage(t *testing.T) {
	for _, blocks := range []int{Fewest, 10} {
		for name, d := range disturbances() {
			ratio := share(func(r *rand.Rand) bool {
				s := trials(r, blocks, d.noise, d.disturb, 1, 1.05)
				e := Ratio(s[1], s[0])
				return e.Low <= 1.05 && 1.05 <= e.High
			})
			most := 0.97
			if name == "spiky" { // too wide is no lie
				most = 0.995
			}
			if ratio < 0.93 || ratio > most {
				t.Errorf("%d blocks, %s: the interval of a ratio holds the true one in %.1f %%", blocks, name, 100*ratio)
			}
		}
		median := share(func(r *rand.Rand) bool {
			e := Of(trials(r, blocks, spiky, none, 1)[0])
			return e.Low <= 1 && 1 <= e.High
		})
		if median < 0.95 {
			t.Errorf("%d blocks: the interval of a median holds the true one in %.1f %%", blocks, 100*median)
		}
	}
}

func TestFalsePositives(t *testing.T) {
	_, most := Plausible(experiments, Level)
	for name, d := range disturbances() {
		found := share(func(r *rand.Rand) bool {
			s := trials(r, 10, d.noise, d.disturb, 1, 1)
			return Ratio(s[1], s[0]).P < Level
		})
		if found*experiments > float64(most) {
			t.Errorf("%s: a difference is found between equals in %.1f %%", name, 100*found)
		}
	}
}

// claimed is in what share of comparisons of servers at three loads something is
// claimed, the others being compared with the first by test. Five servers are a family
// of 12.
func claimed(blocks int, d func() (noise, func(float64) float64), test func(of, base []float64) float64, truth ...float64) float64 {
	noise, disturb := d()
	return share(func(r *rand.Rand) bool {
		var p []float64
		for range 3 {
			s := trials(r, blocks, noise, disturb, truth...)
			for i := 1; i < len(s); i++ {
				p = append(p, test(s[i], s[0]))
			}
		}
		return slices.Min(Holm(p)) < Level
	})
}

func byRatio(of, base []float64) float64 { return Ratio(of, base).P }

func TestFamilyWiseError(t *testing.T) {
	for name, d := range disturbances() {
		machine := func() (noise, func(float64) float64) { return d.noise, d.disturb }
		if wrong := claimed(10, machine, byRatio, 1, 1, 1, 1, 1); wrong > 0.06 {
			t.Errorf("%s: a difference is claimed among equals in %.1f %%", name, 100*wrong)
		}
	}
}

// A difference of 5 % at a noise of 1 % is found, in the fewest blocks too, where
// signed ranks cannot.
func TestPower(t *testing.T) {
	machine := func() (noise, func(float64) float64) { return normal, drift }
	for blocks, least := range map[int]float64{Fewest: 0.95, 10: 0.999} {
		if right := claimed(blocks, machine, byRatio, 1, 1, 1, 1, 1.05); right < least {
			t.Errorf("%d blocks: one of 5 %% is found in %.1f %% only", blocks, 100*right)
		}
	}
	if right := claimed(Fewest, machine, signedRanks, 1, 1, 1, 1, 1.05); right > 0 {
		t.Errorf("signed ranks find one of 5 %% in %.1f %%: the package comment says that they cannot", 100*right)
	}
	if right := claimed(10, machine, signedRanks, 1, 1, 1, 1, 1.05); right < 0.9 {
		t.Errorf("signed ranks find one of 5 %% in ten blocks in %.1f %% only: are they right here?", 100*right)
	}
}

// signedRanks is the exact P of Wilcoxon's test, by all 2^n signs.
func signedRanks(of, base []float64) float64 {
	n := len(of)
	all := make([]float64, n)
	for i := range all {
		all[i] = math.Log(of[i] / base[i])
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	rankSum := func(negative func(i int) bool) (sum int) {
		for i := range all {
			if negative(i) {
				sum += i + 1
			}
		}
		return sum
	}
	lesser := rankSum(func(i int) bool { return all[i] < 0 })
	lesser = min(lesser, n*(n+1)/2-lesser)
	as := 0
	for signs := range 1 << n {
		if rankSum(func(i int) bool { return signs>>i&1 == 1 }) <= lesser {
			as++
		}
	}
	return min(2*float64(as)/float64(int(1)<<n), 1)
}

// What is compared in order instead of at random is misled by a drift: this
// simulation can tell.
func TestSimulationShowsDrift(t *testing.T) {
	found := share(func(r *rand.Rand) bool {
		var early, late []float64
		for i := range 10 {
			early = append(early, math.Exp(0.01*r.NormFloat64())*drift(float64(i)/20))
			late = append(late, math.Exp(0.01*r.NormFloat64())*drift(0.5+float64(i)/20))
		}
		return Ratio(late, early).P < Level
	})
	if found < 0.3 {
		t.Errorf("a drift is found in %.1f %%", 100*found)
	}
}
