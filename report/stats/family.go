package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm is each P as the chance of a claim so strong anywhere in its family, at most 1
// (Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal
// of Statistics 6(2), 1979). NaN is no test and stays.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i := range p {
		if !math.IsNaN(p[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	least := 0.0
	for step, i := range order {
		least = max(least, min(p[i]*float64(len(order)-step), 1))
		adjusted[i] = least
	}
	return adjusted
}

// Rank puts samples, a server's each, in order of their medians and in groups. The best
// begins the first group, and whoever follows and does not differ from it is in it too;
// the first that differs begins the next. Not to differ is not transitive, groups are:
// none differs from its group's first, but two of one group may differ from each other,
// and two of neighbouring groups may not. Groups are from 1; 0 is a sample that cannot
// be compared with its group's first: of either, or of their pairs, there are too few.
//
// Differing is that of all pairs of these samples as one family, apart from others.
func Rank(samples [][]float64, lowerIsBetter bool, compare func(of, base []float64) Effect) (order, group []int) {
	centers := make([]float64, len(samples))
	for i, s := range samples {
		centers[i] = Of(s).Center
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return better(centers[a], centers[b], lowerIsBetter) })
	p := pairwise(samples, compare)
	group = make([]int, len(samples))
	first, number := -1, 0
	for _, i := range order {
		alone := Of(samples[i]).N < Fewest
		if first >= 0 && !alone {
			alone = math.IsNaN(p[min(first, i)][max(first, i)])
		}
		switch {
		case alone:
			continue
		case first < 0 || p[min(first, i)][max(first, i)] < Level:
			first, number = i, number+1
		}
		group[i] = number
	}
	return order, group
}

// better orders the better first, and what has no value last.
func better(a, b float64, lower bool) int {
	switch {
	case math.IsNaN(a) || math.IsNaN(b):
		return cmp.Compare(boolean(math.IsNaN(a)), boolean(math.IsNaN(b)))
	case lower:
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pairwise has the P of each i < j, of all of them as one family.
func pairwise(samples [][]float64, compare func(of, base []float64) Effect) [][]float64 {
	var p []float64
	for i := range samples {
		for j := i + 1; j < len(samples); j++ {
			p = append(p, compare(samples[i], samples[j]).P)
		}
	}
	adjusted, table := Holm(p), make([][]float64, len(samples))
	for i := range samples {
		table[i] = make([]float64, len(samples))
		adjusted = adjusted[copy(table[i][i+1:], adjusted):]
	}
	return table
}
