package chart

import "gonum.org/v1/plot"

// Names is an axis of names, the first at the top: name i lies at At(i, len(names)).
func Names(names []string) Axis {
	return Axis{
		exact: true, Min: 0.5, Max: float64(len(names)) + 0.5,
		ticks: func(float64, float64, int) []plot.Tick {
			ticks := make([]plot.Tick, len(names))
			for i, name := range names {
				ticks[i] = plot.Tick{Value: At(i, len(names)), Label: name}
			}
			return ticks
		},
	}
}

// At is the place of name i of n.
func At(i, n int) float64 { return float64(n - i) }
