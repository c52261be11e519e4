package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteCompareMarkdown writes the tables of WriteCompareText in the Markdown of GitHub
// (GFM, section 4.10). Text from outside is escaped.
func WriteCompareMarkdown(w io.Writer, c *Comparison) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n", markdown(c.Suite.Name))
	if about := strings.TrimSpace(c.Suite.About); about != "" {
		b.WriteString(markdown(strings.Join(strings.Fields(about), " ")) + "\n\n")
	}
	bullets(&b, append([]string{strings.Join(c.asked(), " · "), "trials: " + strings.Join(c.tally(), " · ")}, eachAfter("missing: ", c.missing())...))
	if c.Failure != "" || c.Interrupted {
		b.WriteString("\n**Ended early.** " + markdown(c.Failure) + "\n")
	}
	for i := range c.Loads {
		l := &c.Loads[i]
		if len(c.ranked(l.Name, metricOf(c.Suite.Rank).key)) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", markdown(l.Name), markdown(l.heading()))
		c.mainTable(l.Name).markdown(&b)
		if t := c.ratioTable(l.Name); t != nil {
			b.WriteByte('\n')
			t.markdown(&b)
		}
		if notes := c.loadNotes(l); len(notes) > 0 {
			b.WriteByte('\n')
			bullets(&b, notes)
		}
	}
	b.WriteString("\n---\n\n")
	bullets(&b, append(c.legend(), c.noiseNotes()...))
	_, err := w.Write(b.Bytes())
	return err
}

func eachAfter(with string, all []string) []string {
	for i := range all {
		all[i] = with + all[i]
	}
	return all
}

func bullets(b *bytes.Buffer, items []string) {
	for _, item := range items {
		b.WriteString("- " + markdown(item) + "\n")
	}
}

// markdown is text that Markdown shows as it is: every ASCII sign that could mean
// something is escaped, which any may be (CommonMark 0.31, section 2.4). ~ stands alone
// and means nothing.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range shown(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markdown writes the table with its numbers to the right. The last cell, a remark, is
// left out.
func (t table) markdown(b *bytes.Buffer) {
	for i, row := range t {
		cells := make([]string, len(row)-1)
		for k := range cells {
			cells[k] = markdown(row[k])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|:--" + strings.Repeat("|--:", len(cells)-1) + "|\n")
		}
	}
}
