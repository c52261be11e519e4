package stats

import (
	"fmt"
	"math"
	"testing"
)

func TestOf(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "NaN [NaN NaN] 0"},
		{[]float64{nan}, "NaN [NaN NaN] 0"},
		{[]float64{nan, inf}, "+Inf [NaN NaN] 1"},
		{[]float64{1, 2, 3, 4, 5, inf, inf}, "4 [1 +Inf] 7"},
		{[]float64{1, 2, 3, inf, inf, inf}, "+Inf [1 +Inf] 6"},
		{[]float64{3, 1, 2}, "2 [NaN NaN] 3"},
		{[]float64{6, 1, 2, 3, 4, nan}, "3 [NaN NaN] 5"},
		{[]float64{6, 1, 2, 3, 4, 5}, "3.5 [1 6] 6"},               // [least, greatest] is 96.9 %
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "5.5 [2 9] 10"}, // [x2, x9] is 97.9 %
	} {
		e := Of(c.values)
		if got := fmt.Sprintf("%.4g [%.4g %.4g] %d", e.Center, e.Low, e.High, e.N); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestRatio(t *testing.T) {
	base := []float64{100, 110, 90, 105, 95, 100, math.NaN()}
	times := func(f float64, noise ...float64) []float64 {
		var all []float64
		for i, b := range base {
			n := 1.0
			if len(noise) > 0 {
				n = noise[i%len(noise)]
			}
			all = append(all, b*f*n)
		}
		return all
	}
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		of   []float64
		want string
	}{
		"the same":         {base, "6 pairs 1.000 [0.999 1.001] p 1"},
		"exactly twice":    {times(2), "6 pairs 2.000 [1.998 2.002] p 1.3e-15"},
		"less than a step": {times(1.0005), "6 pairs 1.000 [0.999 1.002] p 0.28"},
		"a tenth more":     {times(1.1, 1.01, 0.99), "6 pairs 1.100 [1.087 1.113] p 4.2e-06"},
		"five pairs":       {append(times(1)[:4], nan, 5), "5 pairs NaN [NaN NaN] p NaN"},
		"zeroes":           {make([]float64, 7), "6 pairs less 100.000 [-107.421 -92.579] p 3.8e-07"},
		"other length":     {base[:5], "5 pairs NaN [NaN NaN] p NaN"},
		"nothing at all":   {nil, "0 pairs NaN [NaN NaN] p NaN"},
		"beyond":           {[]float64{inf, inf, inf, inf, inf, inf, 1}, "6 pairs NaN [1.000 +Inf] p 0.031"},
		"partly beyond":    {[]float64{inf, inf, 1, 1, 1, inf, 1}, "6 pairs NaN [0.000 +Inf] p 1"},
	} {
		e := Ratio(c.of, base)
		got := fmt.Sprintf("%d pairs %.3f [%.3f %.3f] p %.2g", e.Pairs, e.Value, e.Low, e.High, e.P)
		if !e.Relative && e.Pairs >= Fewest {
			got = fmt.Sprintf("%d pairs less %.3f [%.3f %.3f] p %.2g", e.Pairs, -e.Value, e.Low, e.High, e.P)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if e := Difference(make([]float64, 6), make([]float64, 6)); e.P != 1 || e.Value != 0 {
		t.Errorf("no errors on either side: %+v", e)
	}
	if e := Ratio([]float64{inf, inf, inf, inf, inf, inf}, []float64{inf, inf, inf, inf, inf, inf}); e.P != 1 || e.Low != 0 {
		t.Errorf("both beyond: %+v", e)
	}
}

// RC-109: constant samples differ, equal ones do not, and five say that they are few.
func TestUnpaired(t *testing.T) {
	for name, c := range map[string]struct {
		of, base []float64
		want     string
	}{
		"five":      {[]float64{115, 114, 115, 115, 115}, []float64{78.8, 78.8, 78.8, 78.8, 78.8}, "5: 1.459 p NaN"},
		"constant":  {[]float64{1, 1, 1, 1, 1, 1}, []float64{2, 2, 2, 2, 2, 2}, "6: 0.500 p 0.0022"},
		"the same":  {[]float64{1, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1, 1}, "6: 1.000 p 1"},
		"no values": {nil, []float64{1}, "0: NaN p NaN"},
		"zeroes":    {[]float64{1, 1, 1, 1, 1, 1}, make([]float64, 6), "6: NaN p 0.0022"},
	} {
		e := Unpaired(c.of, c.base)
		if got := fmt.Sprintf("%d: %.3f p %.2g", e.Pairs, e.Value, e.P); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestPlausible(t *testing.T) {
	for _, c := range []struct {
		n           int
		p           float64
		least, most int
	}{{0, 0.05, 0, 0}, {20, 0.05, 0, 3}, {100, 0.05, 1, 10}, {100, 0.5, 40, 60}, {10, 1, 10, 10}} {
		if least, most := Plausible(c.n, c.p); least != c.least || most != c.most {
			t.Errorf("Plausible(%d, %v) = %d, %d, want %d, %d", c.n, c.p, least, most, c.least, c.most)
		}
	}
}

func TestFloor(t *testing.T) {
	for _, c := range []struct {
		e    Effect
		want string
	}{
		{Effect{6, true, 1, 0.98, 0.98 * 1.0404, 1}, "0.0200"},
		{Effect{6, false, 0, -0.01, 0.03, 1}, "0.0200"},
		{Effect{6, true, math.NaN(), 1, math.Inf(1), 0.03}, "NaN"},
		{Ratio(nil, nil), "NaN"},
	} {
		if got := fmt.Sprintf("%.4f", Floor(c.e)); got != c.want {
			t.Errorf("Floor(%+v) = %s, want %s", c.e, got, c.want)
		}
	}
}

// Holm's own example in most books: 0.01, 0.04, 0.03, 0.005 of four tests.
func TestHolm(t *testing.T) {
	got := fmt.Sprintf("%.3f", Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005}))
	if got != "[0.030 0.060 NaN 0.060 0.020]" {
		t.Error(got)
	}
	if got := fmt.Sprint(Holm([]float64{0.9, 0.8})); got != "[1 1]" {
		t.Error(got)
	}
}

// about is six blocks around a center, whose noise is small beside what differs.
func about(center float64) []float64 {
	var all []float64
	for _, n := range []float64{0.99, 1.01, 1, 0.995, 1.005, 1.002} {
		all = append(all, center*n)
	}
	return all
}

func TestRank(t *testing.T) {
	mixed := []float64{100, 130, 90, 125, 95, 110} // of no other within its noise
	for name, c := range map[string]struct {
		samples [][]float64
		lower   bool
		want    string
	}{
		"clear":    {[][]float64{about(30), about(10), about(20)}, true, "[1 2 0] [3 1 2]"},
		"higher":   {[][]float64{about(30), about(10), about(20)}, false, "[0 2 1] [1 3 2]"},
		"the same": {[][]float64{about(10), about(10)}, true, "[0 1] [1 1]"},
		"unclear":  {[][]float64{about(100), mixed, about(150)}, true, "[0 1 2] [1 1 2]"},
		"no value": {[][]float64{{math.NaN()}, about(10)}, true, "[1 0] [0 1]"},
		"too few":  {[][]float64{{1, 1, 1}, {9, 9, 9}}, true, "[0 1] [0 0]"},
		"one few":  {[][]float64{{1, 1, 1}, about(10), about(90)}, true, "[0 1 2] [0 1 2]"},
	} {
		order, group := Rank(c.samples, c.lower, Ratio)
		if got := fmt.Sprint(order, " ", group); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
