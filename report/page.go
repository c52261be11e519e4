package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

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

// page is what the template prints. Texts are ready to be read, not yet escaped.
type page struct {
	Title, What, Load, Version, Started string
	Interrupted                         bool
	Style                               template.CSS
	Status                              record.Status
	Findings                            []record.Finding
	Accounts, Surroundings              []pageRow
	Times                               [][]string
	TimesNote                           string
	Charts                              []pageChart
	Environment                         [][2]string
	Command                             string
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
func WriteHTML(w io.Writer, d *Document) error {
	p, err := pageOf(d)
	if err != nil {
		return err
	}
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

func pageOf(d *Document) (*page, error) {
	what, load := headline(d)
	p := &page{
		Title: clip("ratebench: "+what, 100), What: clip(what, maxShown), Load: load, Interrupted: d.Interrupted,
		Version: clip(shown(d.Version), 40), Started: d.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"),
		Style:  template.CSS(chart.CSS() + pageStyle),
		Status: d.Verdict.Status, Findings: shownFindings(&d.Verdict),
		Accounts: accountRows(d), Surroundings: surroundingRows(d),
		Times: timeTable(d), TimesNote: weakPercentiles(&d.Summary.Time),
		Environment: environmentRows(d), Command: clip(commandLine(d), maxShown),
	}
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
