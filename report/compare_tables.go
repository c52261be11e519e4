package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ratebench/attack/record"
)

// compareWidth is the widest that the text of a comparison gets, in characters.
const compareWidth = 110

// closedNote is what a closed loop hides.
const closedNote = "closed loop: a slow server is sent less, so that waiting is left out of its response times; the reply rate is " +
	"how fast it can go at this concurrency, not what users who come at their own pace would see"

// result is a result of c, nil if there is none.
func (c *Comparison) result(load, server, metric string) *CompareResult {
	for i := range c.Results {
		if r := &c.Results[i]; r.Load == load && r.Server == server && r.Metric == metric {
			return r
		}
	}
	return nil
}

// ranked are the servers' results by one metric under a load, the best first.
func (c *Comparison) ranked(load, metric string) []*CompareResult {
	var all []*CompareResult
	for i := range c.Results {
		if r := &c.Results[i]; r.Load == load && r.Metric == metric {
			all = append(all, r)
		}
	}
	return all
}

// groupLetter is a group's: A for the best.
func groupLetter(group int) string {
	switch {
	case group == 0:
		return "–"
	case group <= 26:
		return string(rune('A' + group - 1))
	}
	return fmt.Sprint(group)
}

// mainTable has a row for each server, ranked.
func (c *Comparison) mainTable(load string) table {
	rank := metricOf(c.Suite.Rank)
	columns := []string{"reply_rate", "response_p50", "cpu_per_reply"}
	header := []string{"", "rank", "replies /s", "p50, ms", "CPU, ms"}
	if extra := rank.key; extra != "reply_rate" && extra != "response_p50" && extra != "cpu_per_reply" && extra != "errors" {
		columns, header = append(columns, extra), append(header, rank.title)
	}
	t := table{append(header, "errors (timeouts)", rank.short+" to "+clip(c.Suite.Baseline, 12), "")}
	for _, r := range c.ranked(load, rank.key) {
		row := []string{r.Server, groupLetter(r.Group)}
		for _, key := range columns {
			row = append(row, c.medianCell(c.result(load, r.Server, key)))
		}
		errors := c.errorsCell(c.result(load, r.Server, "errors"), c.result(load, r.Server, "client_timeouts"))
		t = append(t, append(row, errors, c.effectCell(r), ""))
	}
	return t
}

// ratioTable has every metric against the baseline, nil without another server.
func (c *Comparison) ratioTable(load string) table {
	header := []string{"to " + clip(c.Suite.Baseline, 20)}
	for _, m := range compareMetrics() {
		header = append(header, m.short)
	}
	t := table{append(header, "")}
	for _, r := range c.ranked(load, metricOf(c.Suite.Rank).key) {
		if r.Server == c.Suite.Baseline {
			continue
		}
		row := []string{r.Server}
		for _, m := range compareMetrics() {
			row = append(row, c.briefCell(c.result(load, r.Server, m.key)))
		}
		t = append(t, append(row, ""))
	}
	if len(t) == 1 {
		return nil
	}
	return t
}

// fit cuts the first cells so that no row is wider than width, but to no less than
// twelve characters.
func (t table) fit(width int) table {
	rest := len(itemGap)
	for _, w := range t.widths()[1:] {
		rest += w + 2
	}
	for _, row := range t {
		row[0] = clip(shown(row[0]), max(width-rest, 12))
	}
	return t
}

// heading is what a load is.
func (l *CompareLoad) heading() string {
	what := fmt.Sprintf("%s requests/s", grouped(l.Rate.String()))
	if l.Concurrency > 0 {
		what = fmt.Sprintf("closed loop, %d in flight", l.Concurrency)
	}
	if l.Total > 0 {
		what += " × " + count(l.Total)
	}
	if l.Duration > 0 {
		what += " for " + span(l.Duration.Std())
	}
	switch l.RequestsPerConnection {
	case 0:
		what += ", kept connections"
	case 1:
		what += ", a connection each"
	default:
		what += fmt.Sprintf(", %d a connection", l.RequestsPerConnection)
	}
	if l.Overload {
		what += ", meant as overload"
	}
	return what
}

// loadNotes are what must be known of a load's figures.
func (c *Comparison) loadNotes(l *CompareLoad) []string {
	var notes []string
	if l.Concurrency > 0 {
		notes = append(notes, closedNote)
	}
	rank := metricOf(c.Suite.Rank)
	unknown := true
	var suspect []string
	for _, r := range c.ranked(l.Name, rank.key) {
		unknown = unknown && r.N == 0
		if text := c.lostNote(r); text != "" {
			notes = append(notes, r.Server+": "+text)
		}
		if r.Suspect > 0 {
			suspect = append(suspect, fmt.Sprintf("%s %d", r.Server, r.Suspect))
		}
	}
	if len(suspect) > 0 {
		notes = append(notes, "SUSPECT trials: "+strings.Join(suspect, ", "))
	}
	if unknown {
		notes = append(notes, "not ranked: no trial has "+rank.title)
	}
	return notes
}

// lostNote counts a server's trials that are in no figure, by reason.
func (c *Comparison) lostNote(r *CompareResult) string {
	made := c.trialsOf(r.Load, r.Server)
	reasons := map[string]int{}
	for _, t := range made {
		reasons[t.lost()]++
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
	return fmt.Sprintf("%d of %s left out (%s)", r.Invalid, plural(len(made), "trial"), strings.Join(parts, ", "))
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
		"CPU is the server's, for each reply. INVALID, interrupted and unanswered trials are in no figure, and their block is lost to the pair.",
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

// tally counts all trials.
func (c *Comparison) tally() []string {
	lost, suspect := 0, 0
	for i := range c.Trials {
		t := &c.Trials[i]
		if t.lost() != "" {
			lost++
		} else if t.Run.Verdict.Status == record.Suspect {
			suspect++
		}
	}
	items := []string{fmt.Sprintf("%d of %d planned", len(c.Trials), c.Suite.Repeat*len(c.running())*len(c.Loads))}
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
		if s.Missing != "" {
			all = append(all, s.Name+": "+s.Missing)
		}
	}
	return all
}
