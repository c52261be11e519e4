package chart

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
)

// reaches are the least and the greatest Y of each column.
func reaches(lines ...[]vg.Point) map[float64][2]vg.Length {
	all := map[float64][2]vg.Length{}
	for _, line := range lines {
		for _, p := range line {
			if math.IsNaN(float64(p.Y)) {
				continue
			}
			at := math.Floor(float64(p.X))
			r, ok := all[at]
			if !ok {
				r = [2]vg.Length{p.Y, p.Y}
			}
			all[at] = [2]vg.Length{min(r[0], p.Y), max(r[1], p.Y)}
		}
	}
	return all
}

func sameReaches(a, b map[float64][2]vg.Length) bool {
	for at, r := range a {
		if b[at] != r {
			return false
		}
	}
	return len(a) == len(b)
}

// TestThinKeepsExtremes: whatever the points, each column keeps what it reaches,
// has four points at most, and they stay in order.
func TestThinKeepsExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var points []vg.Point
		x := 0.0
		for range random.IntN(400) {
			x += random.Float64() * math.Pow(10, float64(random.IntN(3)-2))
			y := vg.Length(random.NormFloat64())
			if random.IntN(5) == 0 {
				y = vg.Length(math.NaN())
			}
			points = append(points, vg.Point{X: vg.Length(x), Y: y})
		}
		lines := thin(points, 1)
		if !sameReaches(reaches(points), reaches(lines...)) {
			t.Fatalf("columns differ: %v, thinned %v", points, lines)
		}
		perColumn, last := map[float64]int{}, vg.Length(-1)
		for _, line := range lines {
			for _, p := range line {
				if perColumn[math.Floor(float64(p.X))]++; p.X < last || perColumn[math.Floor(float64(p.X))] > 4 {
					t.Fatalf("%v: out of order or too many: %v", p, lines)
				}
				last = p.X
			}
		}
	}
}

func TestReachesDiffer(t *testing.T) {
	a := []vg.Point{{X: 0, Y: 1}, {X: 0.5, Y: 9}, {X: 2, Y: 3}}
	for _, b := range [][]vg.Point{a[:2], {a[0], a[2]}, {a[0], {X: 0.5, Y: 8}, a[2]}} {
		if sameReaches(reaches(a), reaches(b)) {
			t.Errorf("%v passes for %v", b, a)
		}
	}
}

func TestThinGaps(t *testing.T) {
	gap := vg.Length(math.NaN())
	check := func(want int, ys ...vg.Length) {
		t.Helper()
		var points []vg.Point
		for i, y := range ys {
			points = append(points, vg.Point{X: vg.Length(i), Y: y})
		}
		if lines := thin(points, 1); len(lines) != want {
			t.Errorf("%v: %d lines, want %d: %v", ys, len(lines), want, lines)
		}
	}
	check(0)
	check(0, gap, gap)
	check(1, 1, 2, 3)
	check(2, 1, gap, 3)
	check(1, gap, 1, gap)
	check(3, 1, gap, 2, gap, 3)
	// A gap within a column, and one at its end.
	if n := len(thin([]vg.Point{{X: 0, Y: 1}, {X: 0.3, Y: gap}, {X: 0.6, Y: 2}, {X: 1, Y: 3}}, 1)); n != 1 {
		t.Errorf("a gap inside a column: %d lines", n)
	}
	if n := len(thin([]vg.Point{{X: 0, Y: 1}, {X: 0.3, Y: gap}, {X: 1, Y: 3}}, 1)); n != 2 {
		t.Errorf("a gap at the end of a column: %d lines", n)
	}
}
