package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// thin cuts lines to what columns of the given width can show: of the points in
// one column the first, the least, the greatest and the last, in their order.
// What is drawn through them covers the same picture as all would, so a spike of
// one point stays whatever the number of its neighbours. A gap within a column
// has no width and is closed; one between columns parts the line.
func thin(points []vg.Point, column vg.Length) [][]vg.Point {
	var lines [][]vg.Point
	var line []vg.Point
	gap := false
	for len(points) > 0 {
		n := sameColumn(points, column)
		kept, before, after := extremes(points[:n])
		points = points[n:]
		if len(kept) == 0 {
			gap = true
			continue
		}
		if (gap || before) && len(line) > 0 {
			lines, line = append(lines, line), nil
		}
		line, gap = append(line, kept...), after
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// sameColumn is the number of points, at least 1, that begin in the column of the first.
func sameColumn(points []vg.Point, column vg.Length) int {
	at := math.Floor(float64(points[0].X / column))
	n := 1
	for n < len(points) && math.Floor(float64(points[n].X/column)) == at {
		n++
	}
	return n
}

// extremes are at most four of the points, in order, and whether there is a gap
// before and after them.
func extremes(points []vg.Point) (kept []vg.Point, before, after bool) {
	first, last, low, high := -1, -1, -1, -1
	for i, p := range points {
		if math.IsNaN(float64(p.Y)) {
			continue
		}
		if first < 0 {
			first, low, high = i, i, i
		}
		last = i
		if p.Y < points[low].Y {
			low = i
		}
		if p.Y > points[high].Y {
			high = i
		}
	}
	if first < 0 {
		return nil, true, true
	}
	previous := -1
	for _, i := range []int{first, min(low, high), max(low, high), last} {
		if i != previous {
			kept = append(kept, points[i])
		}
		previous = i
	}
	return kept, first > 0, last < len(points)-1
}
