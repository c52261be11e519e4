package report

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// output is what a writer makes of a document.
func output[D any](t testing.TB, write func(io.Writer, D) error, d D) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages are the pages of several runs, by name, every text from outside in them
// being passed through mend.
func pages(t *testing.T, mend func(*Document)) map[string]string {
	sweep, search := readSaved(t, "knee.json").Sweep, readSaved(t, "search.json").Capacity
	again := readSaved(t, "knee.json").Sweep
	label := "knee.json"
	for _, s := range []*Sweep{sweep, again} {
		for i := range s.Runs {
			mend(s.Runs[i].Run)
		}
	}
	for i := range search.Runs {
		mend(search.Runs[i].Run)
	}
	steady, overload := loadRun(t, "steady"), loadRun(t, "overload")
	mend(steady)
	mend(overload)
	if steady.Plan.Method != "GET" { // the label is from outside too
		label = steady.Plan.Method
		sweep.Version, search.Version, sweep.Failure = label, label, label
	}
	closed := loadRun(t, "closed")
	mend(closed)
	return map[string]string{
		"mixed":  output(t, paged(runsPage), []Labelled[*Document]{{label, closed}, {"steady.json", steady}}),
		"knee":   output(t, paged(sweepPage), sweep),
		"search": output(t, paged(capacityPage), search),
		"sweeps": output(t, paged(sweepsPage), []Labelled[*Sweep]{{label, sweep}, {"b/" + label, again}}),
		"runs":   output(t, paged(runsPage), []Labelled[*Document]{{label, steady}, {"overload.json", overload}}),
	}
}

// TestPagesOfRuns: the pages of a sweep, a search and of overlays are well-formed,
// alone, and say what is said in testdata/golden.
func TestPagesOfRuns(t *testing.T) {
	for name, text := range pages(t, func(*Document) {}) {
		if err := errors.Join(balanced(text), selfContained(text), visible(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s: holds a number or a text that is none", name)
		}
		golden(t, name+".page.txt", []byte(words(t, text)))
	}
}

// TestPagesOfRunsEscape plays RC-106 on those pages.
func TestPagesOfRunsEscape(t *testing.T) {
	hostile := func(text string) func(*Document) {
		return func(d *Document) {
			rate, window := d.Plan.Rate, d.Summary
			evil := withText(t, text)
			evil.Plan.Rate, evil.Summary, evil.Intervals = rate, window, d.Intervals
			evil.Summary.Reasons = map[string]string{"client_timeout": text}
			evil.Histograms, evil.Plan.Timeout = d.Histograms, d.Plan.Timeout
			*d = *evil
		}
	}
	plain := pages(t, hostile("word"))
	for _, evil := range []string{
		"</script><script>alert(1)</script></style>", `</title></svg><!--"'><img src=x onerror=alert(1)>`,
		"\x00\x1b[2J\u0085\u202etxt.exe\u2066", "\xff<p>&lt;{{.Style}}",
	} {
		for name, text := range pages(t, hostile(evil)) {
			if err := errors.Join(balanced(text), selfContained(text), visible(text)); err != nil {
				t.Errorf("%s with %q: %v", name, evil, err)
			}
			if same := outline(text); same != outline(plain[name]) {
				t.Errorf("%s with %q: changes the page's elements", name, evil)
			}
			if root, err := html.Parse(strings.NewReader(text)); err != nil || !strings.Contains(textOf(root), shown(evil)) {
				t.Errorf("%s with %q: is not shown as %s", name, evil, shown(evil))
			}
		}
	}
}

// outline is a page's elements but for those within pictures, where a legend that
// is longer needs more lines, and those that depend on where a line ends.
func outline(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(structure(text)), func(name string) bool {
		return slices.Contains([]string{"path", "text", "rect"}, name)
	}), " ")
}

// TestManyRuns: the page of the longest sweep that there can be is small, and says
// that it leaves runs out.
func TestManyRuns(t *testing.T) {
	s := readSaved(t, "knee.json").Sweep
	for len(s.Runs) < 10_000 {
		s.Runs = append(s.Runs, s.Runs[len(s.Runs)%5])
	}
	text := output(t, paged(sweepPage), s)
	if err := errors.Join(balanced(text), selfContained(text)); err != nil || len(text) > 5<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	for _, want := range []string{"The first 1 000 of 10 000 rows.", "Only the first 150 are shown"} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("does not say %q", want)
		}
	}
}

// TestNoRuns: a document without a run, and one whose run has no figure at all, can
// be written in every format but PNG, which draws what PDF does.
func TestNoRuns(t *testing.T) {
	empty := &Document{Plan: plan.New(), Verdict: record.Verdict{Status: record.Valid}}
	search := readSaved(t, "search.json").Capacity
	search.Runs = nil
	const slow = "png"
	for _, f := range sweepFormats() {
		if f.name == slow {
			continue
		}
		for _, s := range []*Sweep{{Version: "1"}, {Version: "1", Runs: []SweepRun{{Pass: 1, Run: empty}}}} {
			output(t, f.write, s)
			if f.series != nil {
				output(t, f.series, []Labelled[*Sweep]{{"a", s}, {"b", s}})
			}
		}
	}
	for _, f := range capacityFormats() {
		if f.name != slow {
			output(t, f.write, search)
		}
	}
	for _, f := range formats() {
		if f.series != nil && f.name != slow {
			output(t, f.series, []Labelled[*Document]{{"a", empty}, {"b", empty}})
		}
	}
}
