package report

import (
	"bytes"
	"io"
	"strings"
)

// WriteCompareText writes the comparison for people, a table for each load with a row
// for each server, the best first. It is at most 110 columns wide.
func WriteCompareText(w io.Writer, c *Comparison) error {
	var b bytes.Buffer
	c.writeHead(&b)
	for i := range c.Loads {
		l := &c.Loads[i]
		if len(c.ranked(l.Name, metricOf(c.Suite.Rank).key)) == 0 {
			continue
		}
		b.WriteString("\n" + clip(shown(l.Name+": "+l.heading()), compareWidth) + "\n")
		c.mainTable(l.Name).fit(compareWidth).write(&b)
		if t := c.ratioTable(l.Name); t != nil {
			b.WriteByte('\n')
			t.fit(compareWidth).write(&b)
		}
		writeNotes(&b, c.loadNotes(l))
	}
	b.WriteByte('\n')
	writeNotes(&b, append(c.legend(), c.noiseNotes()...))
	_, err := w.Write(b.Bytes())
	return err
}

// aboutLines bounds the lines of one of the paragraphs that say what a suite is about.
const aboutLines = 20

func (c *Comparison) writeHead(b *bytes.Buffer) {
	writeLine(b, "comparison", c.Suite.Name)
	for paragraph := range strings.SplitSeq(c.Suite.About, "\n\n") {
		if text := strings.Join(strings.Fields(paragraph), " "); text != "" {
			for _, line := range brokenInto(shown(text), pageWidth-labelWidth, aboutLines) {
				writeLine(b, "", line)
			}
		}
	}
	writeLine(b, "asked for", c.asked()...)
	for _, text := range c.missing() {
		writeLine(b, "missing", text)
	}
	writeLine(b, "trials", c.tally()...)
	switch {
	case c.Failure != "":
		writeLine(b, "ENDED EARLY", c.Failure)
	case c.Interrupted:
		writeLine(b, "INTERRUPTED", "before the last trial was over: fewer blocks than were fixed in advance")
	}
}

func writeNotes(b *bytes.Buffer, notes []string) {
	for _, note := range notes {
		for _, line := range broken(shown(note), compareWidth) {
			b.WriteString(line + "\n")
		}
	}
}
