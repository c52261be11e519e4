package report

import "fmt"

// compareWidth is the widest that the text of a comparison gets, in characters.
const compareWidth = 110

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
// twenty-four characters: names differ at their ends too.
func (t table) fit(width int) table {
	rest := len(itemGap)
	for _, w := range t.widths()[1:] {
		rest += w + 2
	}
	for _, row := range t {
		row[0] = clip(shown(row[0]), max(width-rest, 24))
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
