//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// printResult prints a block as a table, and below it what could not be measured.
func printResult(w io.Writer, r *result) {
	fmt.Fprintf(w, "%s  [%s]\n", r.Title, r.Name)
	base := r.row(r.Base)
	lines := [][]string{{""}}
	for _, c := range r.columns {
		lines[0] = append(lines[0], c.head)
	}
	for _, row := range r.Rows {
		line := []string{row.Client}
		for _, c := range r.columns {
			line = append(line, c.cell(row, base))
		}
		lines = append(lines, line)
	}
	printAligned(w, lines)
	for _, row := range r.Rows {
		for _, s := range row.Samples {
			if s.Error != "" {
				fmt.Fprintf(w, "  %s, round %d failed: %s\n", row.Client, s.Round, s.Error)
			}
		}
	}
	fmt.Fprintln(w)
}

// printAligned prints lines of equally many cells: the first column to the left,
// the others to the right, but a last one of words to the left.
func printAligned(w io.Writer, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 || i == len(line)-1 && lines[0][i] == "verdict" {
				b.WriteString("  " + cell + gap)
			} else {
				b.WriteString("  " + gap + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
