package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report/stats"
)

// SavedComparison is saved runs side by side. They were made one after the other at any
// time, so that no two of them belong together: what drifted between them is in every
// difference.
type SavedComparison struct {
	Sides []SavedSide // in the order in which they were given; the first is the baseline
}

// SavedSide are runs of one plan against one server.
type SavedSide struct {
	Names []string // of the runs
	Runs  []*Document
}

// CompareSaved puts runs side by side. Those with the same target and the same load,
// whatever their seed, are repeats of one side. The error says that names are not as
// many, or that there are fewer than two runs.
func CompareSaved(documents []*Document, names []string) (*SavedComparison, error) {
	if len(documents) != len(names) {
		return nil, fmt.Errorf("%d runs with %d names", len(documents), len(names))
	}
	if len(documents) < 2 {
		return nil, errors.New("a comparison takes two runs or more")
	}
	c := &SavedComparison{}
	var labelled []Labelled[*Document]
	for i, d := range documents {
		labelled = append(labelled, Labelled[*Document]{names[i], d})
	}
	names = nil
	for _, short := range shortened(labelled) {
		names = append(names, short.Label)
	}
	for i, d := range documents {
		at := slices.IndexFunc(c.Sides, func(s SavedSide) bool { return sameSide(s.Runs[0], d) })
		if at < 0 {
			at = len(c.Sides)
			c.Sides = append(c.Sides, SavedSide{})
		}
		c.Sides[at].Names = append(c.Sides[at].Names, names[i])
		c.Sides[at].Runs = append(c.Sides[at].Runs, d)
	}
	if len(c.Sides) == 1 {
		c.part()
	}
	return c, nil
}

// part makes each run a side of its own, where all are of one plan: who compares them
// asks what has changed between them. Runs whose names differ in digits alone, as a-1
// and a-2, stay repeats.
func (c *SavedComparison) part() {
	whole := c.Sides[0]
	c.Sides = nil
	stem := func(name string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, name)
	}
	for i, d := range whole.Runs {
		at := slices.IndexFunc(c.Sides, func(s SavedSide) bool { return stem(s.Names[0]) == stem(whole.Names[i]) })
		if at < 0 {
			at = len(c.Sides)
			c.Sides = append(c.Sides, SavedSide{})
		}
		c.Sides[at].Names = append(c.Sides[at].Names, whole.Names[i])
		c.Sides[at].Runs = append(c.Sides[at].Runs, d)
	}
	if len(c.Sides) > 1 {
		return
	}
	c.Sides = nil
	for i := range whole.Runs {
		c.Sides = append(c.Sides, SavedSide{whole.Names[i : i+1], whole.Runs[i : i+1]})
	}
}

// sameSide says whether two runs had the same target and load.
func sameSide(a, b *Document) bool {
	return a.Plan.URL == b.Plan.URL && sameLoad(a.Plan, b.Plan)
}

// sameLoad says whether two plans offer the same in the same way, to whichever server
// and with whichever seed.
func sameLoad(a, b *plan.Plan) bool {
	load := func(p *plan.Plan) string {
		q := *p
		q.URL, q.UnixSocket, q.Seed = "", "", 0
		text, err := json.Marshal(&q)
		if err != nil {
			return err.Error() // of a plan that no document can hold
		}
		return string(text)
	}
	return load(a) == load(b)
}

// values are a metric's over the runs that count.
func (s *SavedSide) values(m *compareMetric) []float64 {
	var all []float64
	for _, d := range s.Runs {
		if t := (CompareTrial{Run: d}); t.lost() == "" {
			all = append(all, m.value(d))
		}
	}
	return all
}

// title names a side by its first run, and says how many more there are.
func (s *SavedSide) title() string {
	if len(s.Runs) == 1 {
		return s.Names[0]
	}
	return fmt.Sprintf("%s and %d more", s.Names[0], len(s.Runs)-1)
}

// table has a row for each metric: the medians of each side, and beside each but the
// first the ratio to the first.
func (c *SavedComparison) table() table {
	header := []string{"medians"}
	for i := range c.Sides {
		header = append(header, clip(c.Sides[i].title(), 24))
		if i > 0 {
			header = append(header, "ratio")
		}
	}
	t := table{append(header, "")}
	p := c.adjusted()
	for k, m := range compareMetrics() {
		row := []string{m.title}
		base := c.Sides[0].values(&m)
		for i := range c.Sides {
			values := c.Sides[i].values(&m)
			row = append(row, savedCell(&m, values))
			if i > 0 {
				row = append(row, savedRatio(stats.Unpaired(values, base), p[k][i-1]))
			}
		}
		t = append(t, append(row, ""))
	}
	return t
}

// adjusted are the P of each metric and side within the family of the metric.
func (c *SavedComparison) adjusted() [][]float64 {
	var all [][]float64
	for _, m := range compareMetrics() {
		var p []float64
		for i := 1; i < len(c.Sides); i++ {
			p = append(p, stats.Unpaired(c.Sides[i].values(&m), c.Sides[0].values(&m)).P)
		}
		all = append(all, stats.Holm(p))
	}
	return all
}

func savedCell(m *compareMetric, values []float64) string {
	r := newResult(m, "", "", values)
	switch {
	case r.N == 0:
		return undefined
	case r.Unit == unitShare:
		return shareCell(&r)
	case !r.Median.Defined():
		return "failed"
	case r.Unit == unitPerSecond:
		return figure(r.Median) + r.within()
	}
	return millis(r.Median) + r.within()
}

// savedRatio is a ratio of medians, after ~ if it may be chance and after ? if nobody
// can tell.
func savedRatio(e stats.Effect, p float64) string {
	text := ratioText(record.Number(e.Value))
	switch {
	case !(p >= 0):
		return "? " + text
	case p >= stats.Level:
		return "~ " + text
	}
	return text
}

// notes say what the table can tell and what not.
func (c *SavedComparison) notes() []string {
	fewest, unseen, otherLoads := math.MaxInt, 0, false
	for _, s := range c.Sides {
		seen := 0
		for _, d := range s.Runs {
			if t := (CompareTrial{Run: d}); t.lost() == "" {
				seen++
			}
			otherLoads = otherLoads || !sameLoad(c.Sides[0].Runs[0].Plan, d.Plan)
		}
		fewest, unseen = min(fewest, seen), unseen+len(s.Runs)-seen
	}
	var notes []string
	switch {
	case fewest <= 1:
		notes = append(notes, "? one run each cannot tell a difference from chance: give six or more of each, or let a suite make them in turn (ratebench compare SUITE.yaml)")
	case fewest < stats.Fewest:
		notes = append(notes, fmt.Sprintf("? fewer than %d runs of each cannot tell a difference from chance", stats.Fewest))
	default:
		notes = append(notes, "~ may be chance: U test, Holm over all sides of a metric, 5 %")
	}
	if otherLoads {
		notes = append(notes, "the loads are not the same: what differs may be their doing")
	}
	notes = append(notes, "runs made at different times differ by all that changed meanwhile; a suite makes them in turn and in random order")
	if unseen > 0 {
		notes = append(notes, fmt.Sprintf("%s INVALID, or interrupted: in no figure", plural(unseen, "run")))
	}
	return notes
}

// WriteSavedText writes saved runs side by side for people.
func WriteSavedText(w io.Writer, c *SavedComparison) error {
	var b bytes.Buffer
	for i := range c.Sides {
		d := c.Sides[i].Runs[0]
		what, load := headline(d)
		b.WriteString(clip(shown(c.Sides[i].title())+itemGap+what+itemGap+load, 2*compareWidth) + "\n")
	}
	b.WriteByte('\n')
	c.table().write(&b)
	writeNotes(&b, c.notes())
	_, err := w.Write(b.Bytes())
	return err
}

// WriteSavedMarkdown writes the same as Markdown.
func WriteSavedMarkdown(w io.Writer, c *SavedComparison) error {
	var b bytes.Buffer
	c.table().markdown(&b)
	b.WriteByte('\n')
	bullets(&b, c.notes())
	_, err := w.Write(b.Bytes())
	return err
}
