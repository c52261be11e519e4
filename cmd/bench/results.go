//go:build linux

package main

// A sample is one run of one client.
type sample struct {
	Round    int      `json:"round"`
	Figures  figures  `json:"figures"`
	Verdict  string   `json:"verdict,omitempty"`  // of ratebench
	Findings []string `json:"findings,omitempty"` // codes, of ratebench
	Priority string   `json:"priority,omitempty"` // of ratebench's threads
	Error    string   `json:"error,omitempty"`    // why there are no figures
}

// A row is one client of a block, one sample for each round.
type row struct {
	Client  string             `json:"client"`
	Command []string           `json:"command"` // of the last round
	Median  map[string]float64 `json:"median"`
	Samples []sample           `json:"samples"`
}

// A result is a block that has been measured.
type result struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Base  string `json:"base"` // the client that ratios are taken to
	Rows  []*row `json:"rows"`

	columns []column
}

func (r *result) row(client string) *row {
	for _, row := range r.Rows {
		if row.Client == client {
			return row
		}
	}
	return nil
}

// values are a figure of all rounds that have it. A nil row has none.
func (r *row) values(figure string) []float64 {
	if r == nil {
		return nil
	}
	var all []float64
	for _, s := range r.Samples {
		if v, ok := s.Figures[figure]; ok {
			all = append(all, v)
		}
	}
	return all
}

func (r *row) spread(figure string) spread { return spreadOf(r.values(figure)) }

// ratios are a figure of r ÷ that of base, round by round: what disturbs the
// machine for minutes is in both.
func (r *row) ratios(base *row, figure, baseFigure string) spread {
	if r == nil || base == nil {
		return spreadOf(nil)
	}
	var all []float64
	for _, s := range r.Samples {
		for _, b := range base.Samples {
			over, under := s.Figures[figure], b.Figures[baseFigure]
			if s.Round == b.Round && over > 0 && under > 0 {
				all = append(all, over/under)
			}
		}
	}
	return spreadOf(all)
}

// settle fills in the medians, for the document.
func (r *row) settle() {
	r.Median = map[string]float64{}
	for _, s := range r.Samples {
		for figure := range s.Figures {
			r.Median[figure] = r.spread(figure).median
		}
	}
}
