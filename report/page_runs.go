package report

import (
	"fmt"

	"ratebench/attack/record"
)

// Bounds of what a page of several runs holds: documents have up to 10 000 of them.
const (
	maxRows    = 1000 // of a table
	maxDetails = 150  // runs with all their figures
)

// A pageTable has its heading first; the last cell of each row is a remark.
type pageTable struct {
	Title string
	Rows  [][]string
	Notes []string
}

// pageDoubts are the findings about one run.
type pageDoubts struct {
	Label string
	Texts []string
}

// A pageRun is one of several runs, folded away.
type pageRun struct {
	Label, Mark string
	Findings    []record.Finding
	Figures     *pageFigures
}

// newTable makes a table of the text report one of a page. No cell is escaped yet.
func newTable(title string, t table, notes ...string) pageTable {
	p := pageTable{Title: title}
	if len(t) > maxRows+1 {
		notes = append(notes, fmt.Sprintf("The first %s of %s rows.", count(maxRows), count(uint64(len(t)-1))))
		t = t[:maxRows+1]
	}
	for _, row := range t {
		var cells []string
		for _, cell := range row {
			cells = append(cells, unbroken(clip(shown(cell), maxShown)))
		}
		p.Rows = append(p.Rows, cells)
	}
	for _, note := range notes {
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	return p
}

// addRun adds a run with its figures and what there is to know about it.
func (p *page) addRun(d *Document, label, mark string, doubts []string) {
	if len(doubts) > 0 && len(p.Doubts) < maxRows {
		texts := make([]string, len(doubts))
		for i, text := range doubts {
			texts[i] = clip(text, maxShown)
		}
		p.Doubts = append(p.Doubts, pageDoubts{label, texts})
	}
	if len(p.Runs) == maxDetails {
		p.RunsNote = fmt.Sprintf("Only the first %d are shown; the document as JSON and CSV has all.", maxDetails)
		return
	}
	p.Runs = append(p.Runs, pageRun{label, clip(shown(mark), maxShown), shownFindings(&d.Verdict), figuresOf(d)})
}

// figureNotes explain a table of loadCells.
func figureNotes(runs []*Document) []string {
	notes := []string{"sent, replies and goodput are per second; p50 and p99 are response times of all requests"}
	for _, d := range runs {
		if weak := weakPercentiles(&d.Summary.Time); weak != "" {
			return append(notes, weak)
		}
	}
	return notes
}
