package chart

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sample is a chart with every mark and with gaps.
func sample() *Chart {
	c := &Chart{X: Seconds(), XTitle: "time", Columns: []Column{{From: 0, To: 2, Text: "a < b\n\"c\""}}}
	points := []Point{{0, 1}, Gap(1), {2, 30}, {3, 20}, Gap(4), {5, 1}, {6, 0}}
	for _, m := range []Mark{Line, Area, Steps, Ring, Cross, Plus, Arrow, Crest, Upright, Band} {
		c.Panels = append(c.Panels, Panel{Title: "panel", Y: Amounts(), Curves: []Curve{
			{Name: "curve </text><script>", Ink: Blue, Mark: m, Points: points},
			{Name: "empty", Ink: Orange, Dash: Dashed, Points: []Point{Gap(0)}},
		}})
	}
	c.Panels = append(c.Panels, Panel{Title: "none", Y: Spans(), Note: "no data"})
	return c
}

// wellFormed is nil if text is XML without a number that is none.
func wellFormed(text string) error {
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		return errors.New("holds a number that is none")
	}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestWellFormed(t *testing.T) {
	for _, bad := range []string{"<a>", "<a></b>", `<a x="<"/>`, `<a d="MNaN 1"/>`, "<a>&nbsp;</a>"} {
		if wellFormed(bad) == nil {
			t.Errorf("%s: passes", bad)
		}
	}
}

func TestInline(t *testing.T) {
	for _, width := range []float64{372, 1040} {
		text := Inline(sample(), width, `a "label" <b>`)
		if err := wellFormed(text); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		if strings.Contains(text, "<script") || strings.Contains(text, `"#`) || strings.Contains(text, "//") {
			t.Errorf("an element, a colour or an address of its own in %s", text)
		}
		if !strings.Contains(text, "<title>a &lt; b\n&#34;c&#34;</title>") || !strings.Contains(text, ">no data<") {
			t.Errorf("the column's text or the note is missing in %s", text)
		}
	}
}

// TestClassesHaveStyles: the style sheet has every class that a chart uses, and a
// value of every ink in both themes.
func TestClassesHaveStyles(t *testing.T) {
	css := CSS()
	for _, m := range regexp.MustCompile(`class="([a-z][0-9]*)"`).FindAllStringSubmatch(Inline(sample(), 500, ""), -1) {
		if !strings.Contains(css, "."+m[1]+"{") && !strings.Contains(css, "."+m[1]+":") {
			t.Errorf("class %s has no style", m[1])
		}
	}
	if n := strings.Count(css, "--ink10:"); n != 2 {
		t.Errorf("the last ink has %d values, want 2", n)
	}
}

// TestCanvas holds the canvas to what gonum's own would draw.
func TestCanvas(t *testing.T) {
	check := func(want string, draw func(*svg)) {
		t.Helper()
		s := newSVG(100, 50, false)
		draw(s)
		if got := strings.TrimSpace(s.body.String()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	line := func(s *svg) {
		var p vg.Path
		p.Move(vg.Point{X: 1, Y: 2})
		p.Line(vg.Point{X: 3.04, Y: 4.25})
		p.Close()
		s.Stroke(p)
	}
	const head = `<path fill="none" stroke-linejoin="round" stroke="#000000" stroke-width="1" d="`
	check(head+`M1 48L3 45.8Z"/>`, line)
	check("", func(s *svg) { s.SetLineWidth(0); line(s) })
	check(head+`M11 28L13 25.8Z"/>`, func(s *svg) { s.Push(); s.Translate(vg.Point{X: 10, Y: 20}); line(s); s.Pop() })
	check(head+`M98 49L95.8 47Z"/>`, func(s *svg) { s.Translate(vg.Point{X: 100}); s.Rotate(math.Pi / 2); line(s) })
	check(head+`M2 44L6.1 37.2Z"/>`, func(s *svg) { s.Scale(2, 3); line(s) })
	check(`<path fill="#FF0000" d="M5 50Q1 49 2 48C1 50 2 50 3 50"/>`, func(s *svg) {
		var p vg.Path
		p.Move(vg.Point{X: 5})
		p.QuadTo(vg.Point{X: 1, Y: 1}, vg.Point{X: 2, Y: 2})
		p.CubeTo(vg.Point{X: 1}, vg.Point{X: 2}, vg.Point{X: 3})
		s.SetColor(color.RGBA{R: 255, A: 255})
		s.Fill(p)
	})
	check(`<text fill="#0072B2" x="5" y="40" font-size="9" transform="rotate(-90 5 40)">a&amp;b</text>`, func(s *svg) {
		s.SetColor(Blue)
		s.Translate(vg.Point{X: 5, Y: 10})
		s.Rotate(math.Pi / 2)
		s.FillString(font.Face{Font: font.Font{Size: 9}}, vg.Point{}, "a&b")
	})
}

// TestOddNumbers: no number makes a drawing fail, or one that is none in it.
func TestOddNumbers(t *testing.T) {
	odd := []float64{0, -1, math.NaN(), math.Inf(1), -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e15, -1e15, 1e-12, 1<<53 + 1}
	for _, x := range []Axis{Seconds(), Amounts(), Percentiles(), Spans()} {
		for _, y := range []Axis{Amounts(), Counts(), Spans()} {
			for _, a := range odd {
				for _, b := range odd {
					c := &Chart{X: x, Columns: []Column{{From: a, To: b}}, Panels: []Panel{{Y: y, Curves: []Curve{
						{Points: []Point{{a, b}, {b, a}}}, {Mark: Crest, Points: []Point{{b, b}}},
					}}}}
					if err := wellFormed(Inline(c, 300, "")); err != nil {
						t.Fatalf("%g and %g: %v", a, b, err)
					}
				}
			}
		}
	}
}
