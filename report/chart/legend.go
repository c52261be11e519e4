package chart

import (
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Type sizes and distances of headings, in points.
const (
	titleSize  = 13
	labelSize  = 12
	lineHeight = 17
	sampleSize = 20
	sampleGap  = 5
	entryGap   = 16
)

func style(ink Ink, size vg.Length) text.Style {
	return text.Style{
		Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, YAlign: draw.YBottom,
		Handler: text.Plain{Fonts: font.DefaultCache},
	}
}

// An entry is a curve of a panel's legend and its place: the line, counted from
// the title's, and the distance from the left.
type entry struct {
	curve *Curve
	line  int
	left  vg.Length
}

// legend places the names of the panel's curves after the title, in lines of
// width, and tells how many lines there are.
func (p *Panel) legend(width vg.Length) (entries []entry, lines int) {
	left, line := vg.Length(0), 0
	if p.Title != "" {
		left = style(Text, titleSize).Width(p.Title) + entryGap
	}
	for i := range p.Curves {
		c := &p.Curves[i]
		if c.Name == "" {
			continue
		}
		size := sampleSize + sampleGap + style(Text, labelSize).Width(c.Name)
		if left > 0 && left+size > width {
			left, line = 0, line+1
		}
		entries = append(entries, entry{c, line, left})
		left += size + entryGap
	}
	return entries, line + 1
}

// heading draws title and legend at the top of c and returns what is left of it.
func (p *Panel) heading(c draw.Canvas) draw.Canvas {
	entries, lines := p.legend(c.Max.X - c.Min.X)
	base := c.Max.Y - titleSize
	c.FillText(style(Text, titleSize), vg.Point{X: c.Min.X, Y: base}, p.Title)
	for _, e := range entries {
		y, left := base-vg.Length(e.line*lineHeight), c.Min.X+e.left
		e.curve.sample(c, left, left+sampleSize, y+labelSize*0.36)
		c.FillText(style(Faint, labelSize), vg.Point{X: left + sampleSize + sampleGap, Y: y}, e.curve.Name)
	}
	return draw.Crop(c, 0, 0, 0, -vg.Length(lines*lineHeight)-headGap)
}
