package report

import (
	"io"

	"ratebench/report/chart"
)

// WriteSVG writes the plots of a run, one above the other, as one SVG: text stays
// text, colours are those of white paper.
func WriteSVG(w io.Writer, d *Document) error {
	charts, err := plots(d)
	if err != nil {
		return err
	}
	return chart.SVG(w, plotsTitle(d), charts...)
}

// WritePNG writes the same picture as a PNG of 150 dots an inch.
func WritePNG(w io.Writer, d *Document) error {
	charts, err := plots(d)
	if err != nil {
		return err
	}
	return chart.PNG(w, plotsTitle(d), charts...)
}

// WritePDF writes the same picture as a page of PDF, dated at the start of the run.
func WritePDF(w io.Writer, d *Document) error {
	charts, err := plots(d)
	if err != nil {
		return err
	}
	return chart.PDF(w, d.StartedAt, plotsTitle(d), charts...)
}

// plots are all plots of a run, the one over time first.
func plots(d *Document) ([]*chart.Chart, error) {
	percentiles, err := spectrum(d)
	if err != nil {
		return nil, err
	}
	return []*chart.Chart{overTime(d), percentiles}, nil
}

// plotsTitle names the run in a picture that stands alone.
func plotsTitle(d *Document) string {
	what, load := headline(d)
	return clip(what, 60) + itemGap + load
}
