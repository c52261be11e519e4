package report

import (
	"io"
	"strings"
	"time"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// A picture is what a document shows in a file of its own: text stays text where
// the format has it, and colours are those of white paper.
type picture struct {
	title  string
	at     time.Time // that a format with a date is dated, so that the same document is the same file
	charts []*chart.Chart
}

func (p *picture) svg(w io.Writer) error { return chart.SVG(w, p.title, p.charts...) }
func (p *picture) png(w io.Writer) error { return chart.PNG(w, p.title, p.charts...) }
func (p *picture) pdf(w io.Writer) error { return chart.PDF(w, p.at, p.title, p.charts...) }

// pictured writes the picture of a document as one of its methods does.
func pictured[D any](of func(D) (*picture, error), as func(*picture, io.Writer) error) func(io.Writer, D) error {
	return func(w io.Writer, d D) error {
		p, err := of(d)
		if err != nil {
			return err
		}
		return as(p, w)
	}
}

// WriteSVG writes the plots of a run, one above the other, as one SVG. An error
// that is not w's says that a histogram is missing or damaged.
func WriteSVG(w io.Writer, d *Document) error { return pictured(runPicture, (*picture).svg)(w, d) }

// WritePNG writes the same picture as a PNG of 150 dots an inch.
func WritePNG(w io.Writer, d *Document) error { return pictured(runPicture, (*picture).png)(w, d) }

// WritePDF writes the same picture as a page of PDF, dated at the start of the run.
func WritePDF(w io.Writer, d *Document) error { return pictured(runPicture, (*picture).pdf)(w, d) }

// runPicture has all plots of a run, the one over time first.
func runPicture(d *Document) (*picture, error) {
	percentiles, err := spectrum(d)
	if err != nil {
		return nil, err
	}
	what, load := headline(d)
	title := clip(what, 60) + titleGap + load
	return &picture{marked(doubt(d), title), d.StartedAt, []*chart.Chart{overTime(d), percentiles}}, nil
}

// titleGap parts what a title says. Blanks alone would not: SVG shows one of them.
const titleGap = " · "

// marked is a title that begins with what is amiss, if anything is: its end may lie
// beyond the picture's, and a picture has nothing else that says it.
func marked(mark, title string) string {
	if mark == "" {
		return title
	}
	return mark + titleGap + title
}

// markedEach is a title that ends with what is amiss with each of n documents.
func markedEach(title string, n int, mark func(i int) string) string {
	for i := range n {
		if text := mark(i); text != "" {
			title += titleGap + letter(i) + " " + text
		}
	}
	return title
}

// doubt is the word for a run whose figures are in doubt, empty for others.
func doubt(d *Document) string {
	if d.Verdict.Status == record.Valid {
		return ""
	}
	return strings.ToUpper(shown(string(d.Verdict.Status)))
}

// endedEarly is the word for what is not whole, empty for what is.
func endedEarly(interrupted bool, failure string) string {
	switch {
	case failure != "":
		return "ENDED EARLY"
	case interrupted:
		return "INTERRUPTED"
	}
	return ""
}
