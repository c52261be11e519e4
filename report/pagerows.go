package report

import (
	"bytes"
	"fmt"
	"strings"
)

// headline is what was requested and how, as the text report names them.
func headline(d *Document) (what, load string) {
	what = shown(target(d.Plan))
	var b bytes.Buffer
	writeHead(&b, d)
	load = strings.TrimPrefix(b.String(), closedLoop)
	load = strings.TrimSpace(strings.TrimPrefix(load, what))
	if d.Plan.Closed() {
		load = closedLoop + load
	}
	return what, load
}

// accountRows are the text report's rows of the objectives and of what became of
// the requests.
func accountRows(d *Document) []pageRow {
	var b bytes.Buffer
	writeObjectives(&b, d)
	writeRequests(&b, &d.Summary)
	writeRates(&b, d)
	writeErrors(&b, &d.Summary)
	writeLine(&b, "status", statuses(&d.Summary)...)
	return pageRows(&b)
}

// surroundingRows are the text report's rows of what the run used.
func surroundingRows(d *Document) []pageRow {
	var b bytes.Buffer
	writeSurroundings(&b, d)
	return pageRows(&b)
}

// pageRows takes lines of a text report apart again, so that the page says what
// the text does, word for word, and gains what the text gains.
func pageRows(b *bytes.Buffer) []pageRow {
	var rows []pageRow
	for line := range strings.SplitSeq(strings.TrimRight(b.String(), "\n"), "\n") {
		runes := []rune(line)
		at := min(labelWidth, len(runes))
		label, rest := strings.TrimSpace(string(runes[:at])), string(runes[at:])
		if label != "" || len(rows) == 0 {
			rows = append(rows, pageRow{Label: label})
		}
		row := &rows[len(rows)-1]
		row.Lines = append(row.Lines, strings.Split(unbroken(clip(rest, maxShown)), itemGap))
	}
	return rows
}

// unbroken keeps the groups of a number's digits on one line.
func unbroken(text string) string {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	var b strings.Builder
	for i := range len(text) {
		if text[i] == ' ' && i > 0 && i+1 < len(text) && digit(text[i-1]) && digit(text[i+1]) {
			b.WriteString("\u00a0")
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// timeTable is the text report's table of times, its heading first.
func timeTable(d *Document) [][]string {
	t := [][]string{timeHeader()}
	for _, row := range timeRows(&d.Summary.Time) {
		switch {
		case row.key == "response_all":
			t = append(t, responseAllCells(d))
		case row.key == "response" || row.key == "service" || row.stats.Count > 0:
			t = append(t, timeCells(row))
		}
	}
	return t
}

// environmentRows are where and with what the run took place.
func environmentRows(d *Document) [][2]string {
	c, s := &d.Environment.Client, &d.Environment.Server
	client := []string{c.OS, c.Kernel, plural(c.Cores, "core"), c.Go}
	rows := [][2]string{
		{"client", strings.Join(client, ", ")},
		{"server", strings.Join([]string{s.Software, s.Protocol, strings.Join(s.Address, " ")}, ", ")},
		{"engine", fmt.Sprintf("%s, %s timestamps, %s priority, %s", d.Plan.Engine, d.Method.Timestamps, d.Method.Priority, plural(d.Method.Loops, "loop"))},
	}
	for _, h := range d.Hosts {
		rows = append(rows, [2]string{"watched", strings.Join([]string{h.Name, h.Kernel, plural(h.Cores, "core")}, ", ")})
	}
	for i := range rows {
		rows[i][1] = clip(shown(strings.Trim(strings.ReplaceAll(rows[i][1], ", , ", ", "), ", ")), maxShown)
	}
	return rows
}
