package chart

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// secondTicks are ticks of a time axis, in the unit of their distance.
func secondTicks(least, most float64, room int) []plot.Tick {
	step := secondStep(most-least, room)
	unit, name := 1.0, " s"
	switch {
	case step >= 3600:
		unit, name = 3600, " h"
	case step >= 60:
		unit, name = 60, " min"
	}
	return every(step, least, most, func(v float64) string { return plain(v/unit) + name })
}

func secondStep(span float64, room int) float64 {
	for _, step := range []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 43200} {
		if span >= 1 && span/step <= float64(room) {
			return step
		}
	}
	if span < 1 {
		return stepOf(span, room)
	}
	return 3600 * stepOf(span/3600, room)
}

// amountTicks are ticks of a linear axis.
func amountTicks(least, most float64, room int) []plot.Tick {
	return every(stepOf(most-least, room), least, most, plain)
}

// countTicks are ticks at whole numbers.
func countTicks(least, most float64, room int) []plot.Tick {
	return every(max(stepOf(most-least, room), 1), least, most, plain)
}

func every(step, least, most float64, label func(float64) string) []plot.Tick {
	var ticks []plot.Tick
	for i := math.Ceil(least / step * (1 - 1e-9)); i*step <= most*(1+1e-9); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return ticks
}

// spanTicks are ticks of a logarithmic axis of seconds: at 1, 2 and 5 where there
// is room, or at powers of ten, or at every second or third of them. Those that
// have no label are lines of the grid all the same.
func spanTicks(least, most float64, room int) []plot.Tick {
	decades := math.Log10(most / least)
	each := int(math.Ceil((decades + 1) / float64(max(room, 2))))
	var ticks []plot.Tick
	for k := int(math.Floor(math.Log10(least) + 1e-9)); ; k++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, float64(k))
			switch {
			case v > most*(1+1e-9):
				return ticks
			case v < least*(1-1e-9):
			case m == 1 && k%each == 0, 3*decades+1 <= float64(room):
				ticks = append(ticks, plot.Tick{Value: v, Label: spanLabel(v)})
			}
		}
	}
}

// spanLabel is a round number of seconds in the unit that leaves 1 to 999.
func spanLabel(v float64) string {
	units := []string{" ns", " µs", " ms"}
	v *= 1e9
	for _, unit := range units {
		if v < 999.5 {
			return plain(v) + unit
		}
		v /= 1000
	}
	return plain(v) + " s"
}

// percentileTicks are ticks at the percentiles of one more nine each.
func percentileTicks(least, most float64, room int) []plot.Tick {
	decades := int(math.Floor(math.Log10(most) + 1e-9))
	each := (decades + max(room, 1)) / max(room, 1)
	ticks := []plot.Tick{{Value: 1, Label: "0 %"}}
	if room > 3*max(decades, 1) && most >= 2 {
		ticks = append(ticks, plot.Tick{Value: 2, Label: "50 %"})
	}
	for k := each; k <= decades; k += each {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, float64(k)), Label: nines(k) + " %"})
	}
	return ticks
}

// nines is 90, 99, 99.9 and so on.
func nines(k int) string {
	if k == 1 {
		return "90"
	}
	text := "99"
	if k > 2 {
		text += "." + strings.Repeat("9", k-2)
	}
	return text
}

// plain writes a round number with blanks between groups of three digits.
func plain(v float64) string {
	if v == 0 {
		return "0" // not -0
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if rounded := strconv.FormatFloat(v, 'g', 6, 64); !strings.Contains(rounded, "e") {
		text = rounded // i·step is off by its last digits
	}
	whole, fraction, dotted := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + " " + whole[i:]
	}
	if dotted {
		return whole + "." + fraction
	}
	return whole
}
