package report

import (
	"bytes"
	"fmt"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// closedLoop begins what is said of a closed loop.
const closedLoop = "closed loop, "

// whatItHides is said with every closed loop.
const whatItHides = "closed loop: a slow server slows the load, and those who would have come meanwhile are not counted; " +
	"compare with other closed-loop figures only"

// writeClosed writes the figures that ab prints, for a closed loop. Where ab differs:
//
//   - all are of complete replies; ab counts failed and refused requests among them.
//   - Document length is the mean content of a reply without chunk framing, not the
//     first reply's length with it.
//   - Requests per second are replies in the window, which is the whole run if the
//     total ended it.
//   - Time per request is computed as in ab, from the rate. It is the mean of Total
//     and of what the client took to send the next request, if none failed.
//   - Connect is TCP's alone, of connections that came about; TLS has its own row. In
//     ab a request on a kept connection counts as 0, here not at all.
//   - Processing is from the request's start on an open connection to the last byte.
//   - Total is service time. Percentages are by nearest rank, the median too.
func writeClosed(b *bytes.Buffer, d *Document) {
	if !d.Plan.Closed() {
		return
	}
	for _, line := range broken(whatItHides, pageWidth) {
		b.WriteString(line + "\n")
	}
	b.WriteByte('\n')
	rates := abRates(d)
	writeLine(b, "as ab counts", rates[:4]...)
	writeLine(b, "", rates[4:]...)
	abTable(&d.Summary.Time).write(b)
	items := servedWithin(d)
	if line := pad(withinLabel, labelWidth) + strings.Join(items, " "); len(items) > 0 && width(line) <= pageWidth {
		b.WriteString(line + "\n")
	} else if len(items) > 0 {
		writeLine(b, withinLabel, items...)
	}
}

// abRates are ab's lines above its table.
func abRates(d *Document) []string {
	s := &d.Summary
	each := record.Ratio(1, float64(s.ReplyRate.Mean))
	return []string{
		"document length " + documentLength(s), "failed requests " + count(s.Errors.Total),
		figure(s.ReplyRate.Mean) + " requests per second", transferRate(s) + " received",
		fmt.Sprintf("time per request %s ms (mean)", millis(each*record.Number(d.Plan.Concurrency))),
		millis(each) + " ms (mean, across all concurrent requests)",
	}
}

// closedTables is the same for a page, nothing for an open loop.
func closedTables(d *Document) []pageTable {
	if !d.Plan.Closed() {
		return nil
	}
	notes := abRates(d)
	if items := servedWithin(d); len(items) > 0 {
		notes = append(notes, withinLabel+": "+strings.Join(items, ", "))
	}
	return []pageTable{newTable("As ab counts", abTable(&d.Summary.Time), notes...)}
}

// offeredCell is the rate asked for, in a column of rates.
func offeredCell(p *plan.Plan) string {
	if p.Closed() {
		return "closed, " + count(uint64(p.Concurrency))
	}
	return grouped(p.Rate.String())
}

// documentLength is the mean content of the replies.
func documentLength(s *record.Summary) string {
	switch {
	case s.Replies == 0:
		return undefined
	case s.Bytes.Content%s.Replies == 0:
		return count(s.Bytes.Content/s.Replies) + " B"
	}
	return fixed(float64(s.Bytes.Content)/float64(s.Replies), 1) + " B (mean)"
}

// transferRate is what was received, over the whole run.
func transferRate(s *record.Summary) string {
	rate := record.Ratio(float64(s.Bytes.Header+s.Bytes.Content)/1024, float64(s.Elapsed))
	return figure(rate) + " KiB/s"
}

// abTable is ab's table of connection times.
func abTable(times *record.Times) table {
	t := table{{"ab's, ms", "min", "mean", "sd", "median", "max", ""}}
	add := func(name string, s *record.Stats, meaning string) {
		if s.Count > 0 {
			t = append(t, []string{name, millis(s.Min), millis(s.Mean), millis(s.StdDev), millis(s.P50), millis(s.Max), meaning})
		}
	}
	add("Connect", &times.Connect, count(times.Connect.Count)+" of TCP")
	add("TLS", &times.TLS, "")
	if times.Processing != nil {
		add("Processing", times.Processing, "waiting and transfer")
	}
	add("Waiting", &times.Wait, "")
	add("Total", &times.Service, "without the client's own lag")
	return t
}

// abShares are the percentages of ab's table, the last aside, which is the greatest.
func abShares() []int { return []int{50, 66, 75, 80, 90, 95, 98, 99} }

// withinLabel is what servedWithin's items are about.
const withinLabel = "within, ms"

// servedWithin is ab's table of percentages in a few words each, empty without replies
// or if the document's histogram cannot be read.
func servedWithin(d *Document) []string {
	s := &d.Summary.Time.Service
	all, err := steps(d, "service", s)
	if err != nil || len(all) == 0 {
		return nil
	}
	var items []string
	for _, share := range abShares() {
		items = append(items, fmt.Sprintf("%d%% %s", share, millis(quantileOf(all, float64(share)/100))))
	}
	items = append(items, "100% "+millis(s.Max))
	if n := d.Summary.Planned - d.Summary.Replies; n > 0 {
		items = append(items, "of the "+count(s.Count)+" replies alone")
	}
	return items
}
