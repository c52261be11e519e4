package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// ksDistance is the Kolmogorov-Smirnov distance of values from the distribution cdf.
func ksDistance(values []float64, cdf func(float64) float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n, distance := float64(len(values)), 0.0
	for i, v := range values {
		p := cdf(v)
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
	}
	return distance
}

func uniformCDF(x float64) float64     { return min(max(x, 0), 1) }
func exponentialCDF(x float64) float64 { return -math.Expm1(-x) }

// ksLimit is passed by one sample in a hundred if the distribution is right. The
// samples here come from fixed seeds, so that a test either always passes or never.
func ksLimit(n int) float64 { return 1.63 / math.Sqrt(float64(n)) }

func TestKSDistance(t *testing.T) {
	if d := ksDistance([]float64{0.75, 0.25}, uniformCDF); d != 0.25 {
		t.Errorf("distance %v, want 0.25", d)
	}
	even := make([]float64, 1000)
	for i := range even {
		even[i] = 1 // gaps of a uniform plan are not exponential
	}
	if d := ksDistance(even, exponentialCDF); d < ksLimit(len(even)) {
		t.Errorf("equal gaps pass for exponential ones: distance %v", d)
	}
}

// positions are due times as shares of the window, gaps are in mean intervals.
func positionsAndGaps(p *Plan) (positions, gaps []float64) {
	last := 0.0
	for _, a := range take(p.Schedule(), all) {
		at := a.Due.Seconds()
		positions = append(positions, at/p.Window().Seconds())
		gaps = append(gaps, (at-last)*p.Rate.PerSecond())
		last = at
	}
	return positions, gaps
}

func TestPoissonArrivalsAreRandom(t *testing.T) {
	const n = 20_000
	for _, rate := range []string{"300", "0.5", "1/m", "700000"} {
		for seed := range uint64(4) {
			p := schedule(t, rate, n, Poisson)
			p.Seed = seed
			positions, gaps := positionsAndGaps(p)
			if d := ksDistance(positions, uniformCDF); d > ksLimit(n) {
				t.Errorf("%s, seed %d: the places in the window are not uniform: distance %.4f", rate, seed, d)
			}
			if d := ksDistance(gaps, exponentialCDF); d > ksLimit(n) {
				t.Errorf("%s, seed %d: the gaps are not exponential: distance %.4f", rate, seed, d)
			}
		}
	}
}

// Seeds beside each other must not give runs that begin alike.
func TestPoissonSeedsAreIndependent(t *testing.T) {
	const seeds = 2000
	var first, second []float64
	for seed := range uint64(seeds) {
		p := schedule(t, "1", 2, Poisson)
		p.Seed = seed
		positions, _ := positionsAndGaps(p)
		// The lesser and the greater of two uniform points, made uniform again.
		first = append(first, 1-math.Pow(1-positions[0], 2))
		second = append(second, (positions[1]-positions[0])/(1-positions[0]))
	}
	for name, values := range map[string][]float64{"first": first, "second": second} {
		if d := ksDistance(values, uniformCDF); d > ksLimit(seeds) {
			t.Errorf("the %s requests of %d seeds are not spread evenly: distance %.4f", name, seeds, d)
		}
	}
}

func TestPoissonIsAFunctionOfTheSeed(t *testing.T) {
	p := schedule(t, "300", 1000, Poisson)
	p.Warmup = Seconds(time.Second)
	p.Seed = 1
	once, twice := take(p.Schedule(), all), take(p.Schedule(), all)
	if !slices.Equal(once, twice) {
		t.Error("the same seed gave other due times")
	}
	p.Seed = 2
	if other := take(p.Schedule(), all); slices.Equal(once, other) {
		t.Error("another seed gave the same due times")
	}
	p.Seed, p.Warmup = 1, 0
	if alone := take(p.Schedule(), all); alone[0].Due != once[300].Due {
		t.Error("a warm-up changed the measurement")
	}
}

func ExamplePlan_Schedule() {
	p := New()
	p.Rate, _ = ParseRate("2")
	p.Total = 4
	p.Arrivals, p.Seed = Poisson, 1
	count := 0
	for arrivals := p.Schedule(); ; count++ {
		a, ok := arrivals.Next()
		if !ok {
			break
		}
		if a.Due < 0 || a.Due >= p.Window() {
			fmt.Println("outside the window")
		}
	}
	fmt.Println(count, "requests in", p.Window())
	// Output: 4 requests in 2s
}
