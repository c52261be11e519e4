package chart

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svg is a canvas for gonum's plots. Unlike gonum's own it can leave the colours
// to the page's style, which has two sets of them, and it writes a tenth of the
// bytes. One point is one unit of the picture.
type svg struct {
	width, height vg.Length
	themed        bool // colours are classes instead of values
	body          bytes.Buffer
	now           pen
	before        []pen
}

// pen is what Push saves.
type pen struct {
	ink    color.Color
	width  vg.Length
	dashes []vg.Length
	matrix [6]float64 // x' = m0·x + m2·y + m4, y' = m1·x + m3·y + m5
}

func newSVG(width, height vg.Length, themed bool) *svg {
	s := &svg{width: width, height: height, themed: themed}
	s.now.matrix = [6]float64{1, 0, 0, 1, 0, 0}
	vg.Initialize(s)
	return s
}

func (s *svg) Size() (w, h vg.Length)                 { return s.width, s.height }
func (s *svg) SetLineWidth(w vg.Length)               { s.now.width = w }
func (s *svg) SetLineDash(d []vg.Length, _ vg.Length) { s.now.dashes = d }
func (s *svg) Push()                                  { s.before = append(s.before, s.now) }

func (s *svg) Pop() {
	last := len(s.before) - 1
	s.now, s.before = s.before[last], s.before[:last]
}

func (s *svg) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	s.now.ink = c
}

func (s *svg) Rotate(a float64) {
	sin, cos := math.Sincos(a)
	s.transform([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (s *svg) Translate(p vg.Point) {
	s.transform([6]float64{1, 0, 0, 1, float64(p.X), float64(p.Y)})
}

func (s *svg) Scale(x, y float64) { s.transform([6]float64{x, 0, 0, y, 0, 0}) }

// transform lets what follows go through t first.
func (s *svg) transform(t [6]float64) {
	m := s.now.matrix
	s.now.matrix = [6]float64{
		m[0]*t[0] + m[2]*t[1], m[1]*t[0] + m[3]*t[1],
		m[0]*t[2] + m[2]*t[3], m[1]*t[2] + m[3]*t[3],
		m[0]*t[4] + m[2]*t[5] + m[4], m[1]*t[4] + m[3]*t[5] + m[5],
	}
}

// place is a point in SVG's coordinates, which run downwards, as "x y".
func (s *svg) place(p vg.Point) string {
	m, x, y := s.now.matrix, float64(p.X), float64(p.Y)
	return short(m[0]*x+m[2]*y+m[4]) + " " + short(float64(s.height)-(m[1]*x+m[3]*y+m[5]))
}

// short is a length to a tenth of a point.
func short(v float64) string {
	text := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0")
}

func (s *svg) Stroke(p vg.Path) {
	if s.now.width <= 0 {
		return
	}
	fmt.Fprintf(&s.body, `<path %s stroke-width="%s"`, s.stroke(), short(float64(s.now.width)))
	if len(s.now.dashes) > 0 {
		var each []string
		for _, d := range s.now.dashes {
			each = append(each, short(float64(d)))
		}
		fmt.Fprintf(&s.body, ` stroke-dasharray="%s"`, strings.Join(each, " "))
	}
	fmt.Fprintf(&s.body, ` d="%s"/>`+"\n", s.data(p))
}

func (s *svg) Fill(p vg.Path) {
	fmt.Fprintf(&s.body, `<path %s d="%s"/>`+"\n", s.fill(), s.data(p))
}

// stroke and fill are the attributes of the colour in use.
func (s *svg) stroke() string {
	if ink, ok := s.now.ink.(Ink); ok && s.themed {
		return fmt.Sprintf(`class="s%d"`, ink)
	}
	return fmt.Sprintf(`fill="none" stroke-linejoin="round" stroke="%s"`, hex(s.now.ink))
}

func (s *svg) fill() string {
	if ink, ok := s.now.ink.(Ink); ok && s.themed {
		return fmt.Sprintf(`class="f%d"`, ink)
	}
	return fmt.Sprintf(`fill="%s"`, hex(s.now.ink))
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// data is a path's description (SVG 2, section 9.3). Arcs are drawn as chords of
// a sixteenth of a turn or less: only small glyphs have them.
func (s *svg) data(p vg.Path) string {
	var d strings.Builder
	for _, c := range p {
		switch c.Type {
		case vg.MoveComp:
			d.WriteString("M" + s.place(c.Pos))
		case vg.LineComp:
			d.WriteString("L" + s.place(c.Pos))
		case vg.CurveComp:
			d.WriteString(string("_QC"[min(len(c.Control), 2)]))
			for _, at := range c.Control {
				d.WriteString(s.place(at) + " ")
			}
			d.WriteString(s.place(c.Pos))
		case vg.ArcComp:
			n := int(math.Ceil(math.Abs(c.Angle) / (math.Pi / 8)))
			for i := range n + 1 {
				sin, cos := math.Sincos(c.Start + c.Angle*float64(i)/float64(max(n, 1)))
				d.WriteString("L" + s.place(vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos), Y: c.Pos.Y + c.Radius*vg.Length(sin)}))
			}
		case vg.CloseComp:
			d.WriteString("Z")
		}
	}
	return d.String()
}

// FillString writes text as text. The faces are Liberation's, whose widths are
// those of Arial and Helvetica, so a reader without it sees the same layout.
func (s *svg) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 {
		return
	}
	x, y, _ := strings.Cut(s.place(at), " ")
	turn := ""
	if a := math.Atan2(s.now.matrix[1], s.now.matrix[0]); a != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, short(-a*180/math.Pi), x, y)
	}
	fmt.Fprintf(&s.body, `<text %s x="%s" y="%s" font-size="%s"%s>%s</text>`+"\n",
		s.fill(), x, y, short(float64(f.Font.Size)), turn, html.EscapeString(text))
}

// DrawImage draws nothing: no chart has an image in it.
func (s *svg) DrawImage(vg.Rectangle, image.Image) {}

// column is a place under the pointer, from the top of one area to the bottom of
// another, that tells text.
func (s *svg) column(left, right, top, bottom vg.Length, text string) {
	fmt.Fprintf(&s.body, `<rect class="h" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`+"\n",
		short(float64(left)), short(float64(s.height-top)), short(float64(right-left)), short(float64(top-bottom)), html.EscapeString(text))
}
