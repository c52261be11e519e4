package chart

import (
	"fmt"
	"html"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// fileWidth is how wide charts in files are, in points.
const fileWidth = 900

// fileMargin is white on all sides in files.
const fileMargin = 16

// pngDPI makes a PNG of fileWidth 1875 pixels wide, sharp on a slide.
const pngDPI = 150

// Inline is the chart as an svg element for a page whose style includes CSS, drawn
// for a column of width CSS pixels. label says what it shows to those who cannot
// see it. Its colours follow the page's theme; its Columns tell their text under
// the pointer, without a script.
func Inline(c *Chart, width float64, label string) string {
	w := vg.Length(width)
	s := newSVG(w, c.height(w), true)
	areas := c.draw(draw.New(s))
	c.columns(s, areas)
	return fmt.Sprintf(`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>\n",
		short(float64(s.width)), short(float64(s.height)), html.EscapeString(label), s.body.Bytes())
}

// columns lays the chart's columns over its areas for data.
func (c *Chart) columns(s *svg, areas []vg.Rectangle) {
	if len(areas) == 0 {
		return
	}
	x := c.X
	x.spread(c.reach())
	first, last := areas[0], areas[len(areas)-1]
	place := func(v float64) vg.Length {
		return first.Min.X + (first.Max.X-first.Min.X)*vg.Length(x.scale().Normalize(x.Min, x.Max, v))
	}
	for _, at := range c.Columns {
		if x.on(at.From) && x.on(at.To) {
			s.column(place(at.From), place(at.To), first.Max.Y, last.Min.Y, at.Text)
		}
	}
}

// SVG writes the charts under a title, one below the other, as a file of its own.
func SVG(w io.Writer, title string, charts ...*Chart) error {
	width, height := fileSize(charts)
	s := newSVG(width, height, false)
	drawFile(draw.New(s), title, charts)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s"`+
		` font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n%[3]s</svg>\n",
		short(float64(width)), short(float64(height)), s.body.Bytes())
	return err
}

// PNG writes the same picture with 150 dots an inch.
func PNG(w io.Writer, title string, charts ...*Chart) error {
	width, height := fileSize(charts)
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))
	drawFile(draw.New(img), title, charts)
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(w); err != nil {
		return fmt.Errorf("writing a PNG: %w", err)
	}
	return nil
}

func fileSize(charts []*Chart) (width, height vg.Length) {
	height = 2*fileMargin + lineHeight
	for _, c := range charts {
		height += c.height(fileWidth-2*fileMargin) + panelGap
	}
	return fileWidth, height
}

func drawFile(whole draw.Canvas, title string, charts []*Chart) {
	whole.SetColor(Paper)
	whole.Fill(whole.Rectangle.Path())
	rest := draw.Crop(whole, fileMargin, -fileMargin, fileMargin, -fileMargin)
	rest.FillText(style(Text, titleSize), vg.Point{X: rest.Min.X + edge, Y: rest.Max.Y - titleSize}, title)
	rest.Max.Y -= lineHeight
	for _, c := range charts {
		rest.Max.Y -= panelGap
		part := rest
		part.Min.Y = part.Max.Y - c.height(rest.Max.X-rest.Min.X)
		c.draw(part)
		rest.Max.Y = part.Min.Y
	}
}
