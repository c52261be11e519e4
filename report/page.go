package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// pageText is the page's template and pageStyle its own style sheet.
var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

// Widths that charts are drawn for, in CSS pixels: the page's column on a desk
// and on a telephone.
const (
	wideChart   = 1040
	narrowChart = 372
)

// maxShown is the length of the longest text of a server's or a user's that a
// page shows whole, in characters.
const maxShown = 2000

// page is what the template prints, of a run or of several. Texts are ready to be
// read, not yet escaped. What is empty is left out.
type page struct {
	Title, What, Load, Version string
	Kind, Started              string // "run of" what began when
	Style                      template.CSS
	Status                     record.Status
	Heading, Answer            string // of the verdict
	Findings                   []record.Finding
	Figures                    *pageFigures
	Accounts                   []pageRow
	Tables                     []pageTable
	Charts                     []pageChart
	Doubts                     []pageDoubts
	Runs                       []pageRun
	RunsNote                   string
	Environment                [][2]string
	Command, CommandNote       string
}

// pageFigures are those of one run.
type pageFigures struct {
	Accounts, Surroundings []pageRow
	Times                  [][]string
	TimesNote              string
}

// A pageRow is a row of the text report: what it is about, and its lines of items.
type pageRow struct {
	Label string
	Lines [][]string
}

// A pageChart is a chart drawn twice, of which the page shows the one that fits.
type pageChart struct {
	Title        string
	Notes        []string
	Wide, Narrow template.HTML
}

// WriteHTML writes a run as one page that needs nothing beside it: no network and
// no script, light or dark as the reader's system is, and light when printed. It
// stays below 5 MB however long the run was. All text from outside is escaped. An
// error that is not w's says that a histogram is missing or damaged.
func WriteHTML(w io.Writer, d *Document) error { return paged(pageOf)(w, d) }

// paged writes the page of a document.
func paged[D any](of func(D) (*page, error)) func(io.Writer, D) error {
	return func(w io.Writer, d D) error {
		p, err := of(d)
		if err != nil {
			return err
		}
		p.Style = template.CSS(chart.CSS() + pageStyle)
		t, err := template.New("page").Parse(pageText)
		if err != nil {
			return fmt.Errorf("reading the page's template: %w", err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, p); err != nil {
			return fmt.Errorf("making the page: %w", err)
		}
		_, err = w.Write(b.Bytes())
		return err
	}
}

// newPage is a page about what, with the footer of a document of some kind.
func newPage(what, kind, version string, started time.Time) *page {
	return &page{
		Title: clip("ratebench: "+what, 100), What: clip(what, maxShown),
		Kind: kind, Version: clip(shown(version), 40), Started: started.UTC().Format("2006-01-02 15:04:05 UTC"),
	}
}

// againNote is said of every command that offers the same load again.
const againNote = "What offers the same load again. Bodies, masked secrets and what was watched are not in it."

func pageOf(d *Document) (*page, error) {
	what, load := headline(d)
	p := newPage(what, "run", d.Version, d.StartedAt)
	p.Load, p.Status, p.Heading, p.Findings = load, d.Verdict.Status, string(d.Verdict.Status), shownFindings(&d.Verdict)
	if len(p.Findings) == 0 {
		p.Answer = "No finding speaks against these figures."
	}
	p.Figures, p.Tables = figuresOf(d), closedTables(d)
	if d.Plan.Closed() {
		p.Findings = append(p.Findings, record.Finding{Text: whatItHides, Status: record.Valid})
	}
	p.Environment, p.Command, p.CommandNote = environmentRows(d), clip(commandLine(d), maxShown), againNote
	percentiles, err := spectrum(d)
	if err != nil {
		return nil, err
	}
	note := "Each second's own figures, by the time of the reply."
	if d.Summary.Errors.Total > 0 {
		note = "Each second's own figures, by the time of the reply; × marks seconds in which a request failed."
	}
	p.Charts = []pageChart{
		drawn("Over time", overTime(d), note),
		drawn("By percentile", percentiles, whyTheyDiffer),
	}
	return p, nil
}

func figuresOf(d *Document) *pageFigures {
	return &pageFigures{accountRows(d), surroundingRows(d), timeTable(d), weakPercentiles(&d.Summary.Time)}
}

func drawn(title string, c *chart.Chart, notes ...string) pageChart {
	var panels []string
	for _, p := range c.Panels {
		panels = append(panels, p.Title)
	}
	label := title + ": " + strings.Join(panels, ", ")
	narrow := *c
	narrow.Columns = nil // there is no pointer to hover with
	return pageChart{
		Title: title, Notes: notes,
		Wide:   template.HTML(chart.Inline(c, wideChart, label)),
		Narrow: template.HTML(chart.Inline(&narrow, narrowChart, label)),
	}
}

func shownFindings(v *record.Verdict) []record.Finding {
	var all []record.Finding
	for _, f := range v.Findings {
		f.Text = clip(shown(f.Text), maxShown)
		all = append(all, f)
	}
	return all
}
