package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ratebench/attack/record"
)

// loadNotes are what must be known of a load's figures.
func (c *Comparison) loadNotes(l *CompareLoad) []string {
	var notes []string
	if l.Concurrency > 0 {
		notes = append(notes, whatItHides)
	}
	rank := metricOf(c.Suite.Rank)
	unknown := true
	for _, r := range c.ranked(l.Name, rank.key) {
		unknown = unknown && r.N == 0
		if text := c.lostNote(r); text != "" {
			notes = append(notes, r.Server+": "+text)
		}
	}
	if text := c.suspectNote(l.Name); text != "" {
		notes = append(notes, text)
	}
	if unknown {
		notes = append(notes, "not ranked: no trial has "+rank.title)
	}
	return notes
}

// suspectNote counts a load's trials that count in spite of a doubt, by the doubt.
func (c *Comparison) suspectNote(load string) string {
	all, suspect := 0, 0
	doubts := map[string]int{}
	for i := range c.Trials {
		t := &c.Trials[i]
		if t.Load != load || t.lost() != "" {
			continue
		}
		all++
		if t.Run.Verdict.Status != record.Suspect {
			continue
		}
		suspect++
		for _, f := range t.Run.Verdict.Findings {
			if f.Status == record.Suspect {
				doubts[f.Code]++
			}
		}
	}
	if suspect == 0 {
		return ""
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(doubts)) {
		parts = append(parts, fmt.Sprintf("%s %d", code, doubts[code]))
	}
	return fmt.Sprintf("SUSPECT: %d of %s: %s", suspect, plural(all, "trial"), strings.Join(parts, ", "))
}

// lostNote counts a server's trials that are in no figure, by reason.
func (c *Comparison) lostNote(r *CompareResult) string {
	made := c.trialsOf(r.Load, r.Server)
	reasons := map[string]int{}
	for _, t := range made {
		why := t.lost()
		if t.Failure != "" {
			why += ": " + t.Failure
		}
		reasons[why]++
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		if why != "" {
			parts = append(parts, fmt.Sprintf("%d %s", reasons[why], why))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s left out (%s)", r.Invalid, plural(len(made), "trial"), strings.Join(parts, "; "))
}

// legend explains the tables.
func (c *Comparison) legend() []string {
	rank := metricOf(c.Suite.Rank)
	kind := "ratios"
	if rank.share {
		kind = "differences, in percentage points,"
	}
	notes := []string{
		"Figures are medians of trials; ± is the farther end of the interval of 95 %. p50, of response times, is of all requests.",
		fmt.Sprintf("Servers are ranked by %s; those of one letter do not differ from the first of them (Holm, for all pairs of a load).", rank.title),
		fmt.Sprintf("The last column has %s to the baseline by pairs of trials of one block, with the interval of 95 %%; ~ is what may be chance "+
			"(Holm, 5 %% for all servers and loads of a metric).", kind),
		"CPU is the server's, for each reply. INVALID and interrupted trials are in no figure, and their block is lost to the pair.",
	}
	for i := range c.Results {
		if r := &c.Results[i]; !r.Ratio.Defined() && !r.Difference.Defined() && r.P.Defined() {
			notes = append(notes, "above, below, ?: in some trials the figure lies among failed requests, so that only the side is known, or not even that for sure.")
			break
		}
	}
	return notes
}

// asked is what the comparison is, in items.
func (c *Comparison) asked() []string {
	s := &c.Suite
	rank := metricOf(s.Rank)
	best := "highest"
	if rank.lower {
		best = "lowest"
	}
	items := []string{
		plural(s.Repeat, "block"), "baseline " + s.Baseline, "ranked by " + rank.title + ", " + best + " first",
		fmt.Sprintf("seed %d", s.Seed), c.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"),
	}
	if s.Quick {
		items[0] += ", quick"
	}
	if s.AA {
		items = append(items, "A/A: one server as both sides")
	}
	if len(s.SHA256) >= 12 {
		items = append(items, "suite "+s.SHA256[:12])
	}
	return items
}

// tally counts the trials of the servers that ran.
func (c *Comparison) tally() []string {
	made, lost, suspect := 0, 0, 0
	running := c.running()
	for i := range c.Trials {
		t := &c.Trials[i]
		switch why := t.lost(); {
		case !slices.Contains(running, t.Server): // "missing" says it
			continue
		case why != "":
			lost++
		case t.Run.Verdict.Status == record.Suspect:
			suspect++
		}
		if t.Run != nil {
			made++
		}
	}
	items := []string{fmt.Sprintf("%d of %d planned", made, c.Suite.Repeat*len(running)*len(c.Loads))}
	if lost > 0 {
		items = append(items, fmt.Sprintf("%d left out", lost))
	}
	if suspect > 0 {
		items = append(items, fmt.Sprintf("%d SUSPECT", suspect))
	}
	return items
}

// missing are the servers without trials and why.
func (c *Comparison) missing() []string {
	var all []string
	for _, s := range c.Servers {
		if s.Missing == "" {
			continue
		}
		text := s.Name + ": " + s.Missing
		if s.Name == c.Suite.Baseline {
			text += "; it is the baseline, so that there are no ratios"
		}
		all = append(all, text)
	}
	return all
}
