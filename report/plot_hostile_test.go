package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// wellFormed is nil if text is XML that shows nothing but what can be seen, and no
// element that a browser would run or fetch.
func wellFormed(text string) error {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "svg", "g", "path", "text", "rect", "title":
			default:
				return fmt.Errorf("has an element %s", t.Name.Local)
			}
		}
		if err == io.EOF {
			return visible(text)
		} else if err != nil {
			return err
		}
	}
}

func TestWellFormedFails(t *testing.T) {
	for _, bad := range []string{"<svg>", "<svg><script/></svg>", "<svg>a&nbsp;b</svg>", "<svg>\u202e</svg>", "<svg a=\"<\"/>"} {
		if wellFormed(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
	if err := wellFormed("<svg><text>a&amp;b</text></svg>"); err != nil {
		t.Error(err)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"", 3, ""}, {"aé\xff", 3, "aé\xff"}, {"aé\xffb", 3, "aé…"}, {"\xff\xff\xff", 2, "\xff…"}, {"ab", 1, "…"}} {
		if got := clip(c.text, c.width); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// hostileSweep, hostileSearch and hostileComparison are documents in which every
// text that can come from outside is text; of several runs, those of the first.
func hostileSweep(t *testing.T, text string) *Sweep {
	s := readSaved(t, "knee.json").Sweep
	s.Version, s.Failure = text, text
	s.Runs[0].Run = withLoad(t, s.Runs[0].Run, text)
	return s
}

func hostileSearch(t *testing.T, text string) *Capacity {
	c := readSaved(t, "search.json").Capacity
	c.Version, c.Failure = text, text
	c.Runs[0].Run = withLoad(t, c.Runs[0].Run, text)
	return c
}

// withLoad is withText with the load and the figures of another run.
func withLoad(t *testing.T, d *Document, text string) *Document {
	evil := withText(t, text)
	evil.Plan.Rate, evil.Plan.Timeout, evil.Summary = d.Plan.Rate, plan.Seconds(time.Second), d.Summary
	evil.Summary.Reasons = map[string]string{"client_timeout": text}
	return evil
}

func hostileComparison(text string) *Comparison {
	c := pythonSuite()
	c.Version, c.Failure = text, text
	c.Suite.Name, c.Suite.About, c.Suite.SHA256 = text, text, text
	servers := fakes()[:2]
	for i := range servers {
		servers[i].name = strings.Repeat("x", i) + text
		c.Servers[i].Name, c.Servers[i].URL = servers[i].name, text
	}
	c.Suite.Baseline = text
	c.Servers = append(c.Servers[:2], CompareServer{Name: "m" + text, URL: text, Missing: text})
	c.Loads = c.Loads[:2]
	for i := range c.Loads {
		c.Loads[i].Name = strings.Repeat("y", i) + text
	}
	c.AddTrial(CompareTrial{Block: 1, Server: text, Load: text, Failure: text}, nil)
	return comparison(c, servers)
}

// drawnOf are all documents of hostile texts in a format that can be looked at.
func drawnOf(t *testing.T, ending, text string) map[string]string {
	run, runErr := FormatOf(ending)
	runs, runsErr := SeriesFormat(ending[1:])
	sweep, sweepErr := SweepFormatOf(ending)
	sweeps, sweepsErr := SweepSeriesFormatOf(ending)
	search, searchErr := CapacityFormatOf(ending)
	compared, compareErr := CompareFormatOf(ending)
	if err := errors.Join(runErr, runsErr, sweepErr, sweepsErr, searchErr, compareErr); err != nil {
		t.Fatal(err)
	}
	d, s := withText(t, text), hostileSweep(t, text)
	return map[string]string{
		"run":        output(t, run, d),
		"runs":       output(t, runs, []Labelled[*Document]{{text, d}, {"b" + text, d}}),
		"sweep":      output(t, sweep, s),
		"sweeps":     output(t, sweeps, []Labelled[*Sweep]{{text, s}, {"b" + text, s}}),
		"search":     output(t, search, hostileSearch(t, text)),
		"comparison": output(t, compared, hostileComparison(text)),
	}
}

// TestPicturesEscape: no text from outside, of a megabyte and more, becomes an
// element of a picture or of a page, turns the direction of writing, or fills a page.
func TestPicturesEscape(t *testing.T) {
	evil := "</script><script>alert(1)</script></text>\u202etxt.exe\u2066\u200f\x00\x1b[2J\xff\xfe]]>&lt;{{.Style}}"
	evil += strings.Repeat("<é>\xff", 210_000)
	for name, text := range drawnOf(t, ".svg", evil) {
		if err := wellFormed(text); err != nil || len(text) > 1<<20 {
			t.Errorf("%s as svg: %d bytes, %v", name, len(text), err)
		}
	}
	for name, text := range drawnOf(t, ".html", evil) {
		if err := errors.Join(balanced(text), selfContained(text), visible(text)); err != nil || len(text) > 5<<20 {
			t.Errorf("%s as page: %d bytes, %v", name, len(text), err)
		}
	}
}
