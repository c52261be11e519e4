package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Layout of text reports, in characters.
const (
	pageWidth  = 100 // lines are broken beyond it where they can be
	labelWidth = 13  // what stands in front of a line's items
	itemGap    = "   "
)

// writeLine writes a label and items, and goes on under the first item where
// the page ends. Items are escaped, and broken where they are longer than a line.
func writeLine(b *bytes.Buffer, label string, items ...string) {
	writeItems(b, label, labelWidth, items)
}

// writeItems is writeLine with that room for the label.
func writeItems(b *bytes.Buffer, label string, room int, items []string) {
	line := pad(label, room)
	var pieces []string
	for _, item := range items {
		pieces = append(pieces, broken(shown(item), pageWidth-room)...)
	}
	for i, item := range pieces {
		if i > 0 && width(line)+len(itemGap)+width(item) > pageWidth {
			b.WriteString(line + "\n")
			line = pad("", room)
		} else if i > 0 {
			line += itemGap
		}
		line += item
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// broken is text in lines of at most room characters, broken at blanks if there are
// any, and cut after textLines.
func broken(text string, room int) []string { return brokenInto(text, room, textLines) }

// brokenInto is broken for a text of at most that many lines.
func brokenInto(text string, room, most int) []string {
	text = clip(text, most*room)
	var lines []string
	for len(lines) < most-1 && width(text) > room {
		line := string([]rune(text)[:room+1])
		if blank := strings.LastIndexByte(line, ' '); blank > room/2 {
			line = line[:blank]
		} else {
			line = string([]rune(text)[:room])
		}
		lines = append(lines, line)
		text = strings.TrimPrefix(text[len(line):], " ")
	}
	return append(lines, clip(text, room))
}

// A table has a label, right-aligned cells and a remark in each row. Rows may
// differ in length only in that they lack the remark.
type table [][]string

// write writes the rows, escaped, with columns as wide as their widest cell.
func (t table) write(b *bytes.Buffer) {
	widths := t.widths()
	for _, row := range t {
		line := pad(shown(row[0]), max(widths[0], labelWidth))
		for i, cell := range row[1 : len(row)-1] {
			line += "  " + strings.Repeat(" ", widths[i+1]-width(shown(cell))) + shown(cell)
		}
		line += itemGap + shown(row[len(row)-1])
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (t table) widths() []int {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], width(shown(cell)))
		}
	}
	return widths
}

func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(to-width(text), 0))
}

func width(text string) int { return utf8.RuneCountInString(text) }
