package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ratebench/attack/plan"
	"ratebench/report/chart"
)

// curve is the curve of a name and a mark in a panel of a title.
func curve(c *chart.Chart, title, name string, mark chart.Mark) (chart.Curve, error) {
	for _, p := range c.Panels {
		for _, curve := range p.Curves {
			if p.Title == title && curve.Name == name && curve.Mark == mark {
				return curve, nil
			}
		}
	}
	return chart.Curve{}, fmt.Errorf("no curve %q in a panel %q", name, title)
}

// through is nil if a curve's points that have a place are those, as x:y.
func through(c chart.Curve, want string) error {
	var points []string
	for _, at := range c.Points {
		if !math.IsNaN(at.Y) {
			points = append(points, fmt.Sprintf("%.4g:%.4g", at.X, at.Y))
		}
	}
	if got := strings.Join(points, " "); got != want {
		return fmt.Errorf("%s goes through %s, want %s", c.Name, got, want)
	}
	return nil
}

func TestThroughFails(t *testing.T) {
	c := chart.Curve{Points: []chart.Point{{X: 1, Y: 2}, chart.Gap(2)}}
	if through(c, "1:2") != nil || through(c, "1:3") == nil || through(c, "") == nil || through(c, "1:2 2:0") == nil {
		t.Error("through tells nothing")
	}
	if _, err := curve(&chart.Chart{}, "a", "b", chart.Line); err == nil {
		t.Error("a curve in an empty chart")
	}
}

// TestSweepPlot plays RC-115 and RC-112: the knee is drawn, percentiles among
// requests that timed out are arrows at the timeout, and an INVALID run is marked
// and in no line.
func TestSweepPlot(t *testing.T) {
	c := readSaved(t, "knee.json").Sweep.loads().chart()
	const perSecond, times = "Requests per second", "Response time of all requests"
	for _, check := range []struct {
		title, name string
		mark        chart.Mark
		want        string
	}{
		{perSecond, "offered", chart.Line, "0:0 1000:1000"},
		{perSecond, "replies", chart.Line, "100:100 200:200 300:186"},
		{perSecond, "good replies", chart.Line, "100:100 200:200 300:186"},
		{perSecond, "", chart.Ring, "100:100 100:100"},
		{perSecond, "run that is INVALID or interrupted", chart.Plus, "1000:110.7"},
		{times, "p50", chart.Line, "100:0.0041 200:0.0041 300:0.4034"},
		{times, "p99", chart.Line, "100:0.004159 200:0.004157"},
		{times, "p99 above that, or failed", chart.Arrow, "300:0.5"},
		{"Outcome of the requests, %", "client-timo", chart.Area, "100:0 200:0 300:38"},
		{"Outcome of the requests, %", "good", chart.Area, "100:100 200:100 300:100"},
		{"CPU, cores in use", "server", chart.Line, "100:0.2 200:0.4 300:0.372"},
		{"Server's CPU time for a reply, ms", "", chart.Line, "100:2 200:2 300:2"},
	} {
		found, err := curve(c, check.title, check.name, check.mark)
		if err == nil {
			err = through(found, check.want)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := curve(c, times, "p50 above that, or failed", chart.Arrow); err == nil {
		t.Error("an arrow for a median that is known")
	}
	if text := c.Columns[2].Text; !strings.Contains(text, "300/s, 1 of 1 run\n") || !strings.Contains(text, "p99 > 500 ms") {
		t.Errorf("%q is told of 300/s", text)
	}
}

// TestCapacityPlot: each trial against the server has its mark, and the answer is a
// band behind every panel.
func TestCapacityPlot(t *testing.T) {
	search := readSaved(t, "search.json").Capacity
	c := search.chart()
	const perSecond = "Requests per second"
	passed, err1 := curve(c, perSecond, "trial passed", chart.Ring)
	missed, err2 := curve(c, perSecond, "trial missed a criterion", chart.Cross)
	if err := errors.Join(err1, err2); err != nil || len(passed.Points) != 9 || len(missed.Points) != 5 {
		t.Errorf("%d trials passed, %d missed, %v", len(passed.Points), len(missed.Points), err)
	}
	bands := 0
	for _, p := range c.Panels {
		for _, curve := range p.Curves {
			if curve.Mark == chart.Band && curve.Points[0].X == 200 && curve.Points[1].X == 282.84 {
				bands++
			}
		}
	}
	if bands != len(c.Panels) {
		t.Errorf("%d bands in %d panels", bands, len(c.Panels))
	}
	search.Search.Trials[0].Valid = false
	if l := search.loads(); len(l.spoilt) != 1 || l.at[0].all != len(l.at[0].good)+1 {
		t.Errorf("%d spoilt trials, want 1", len(l.spoilt))
	}
}

// TestOutcomesAddUp: every planned request of every recorded run is in one outcome.
func TestOutcomesAddUp(t *testing.T) {
	for _, name := range runNames() {
		d := loadRun(t, name)
		sum := uint64(0)
		for _, o := range outcomes() {
			sum += o.of(d)
		}
		if sum != d.Summary.Planned {
			t.Errorf("%s: outcomes of %d requests, want %d", name, sum, d.Summary.Planned)
		}
	}
}

// TestCommands: the commands that make a sweep and a search again.
func TestCommands(t *testing.T) {
	s := readSaved(t, "knee.json").Sweep
	const load = " --total 200 --timeout 500ms --objective 'p99<100ms' http://127.0.0.1:8080/"
	if got := sweepCommand(s); got != "ratebench sweep --rates 100,200,300,100,1000"+load {
		t.Errorf("%s", got)
	}
	c := readSaved(t, "search.json").Capacity
	if got := capacityCommand(c); !strings.HasPrefix(got, "ratebench capacity --objective 'p99<100ms' --objective 'goodput>=99%' --objective 'errors<=0.1%' --from 100") ||
		strings.Contains(got, "--total") || strings.Contains(got, "--pause") {
		t.Errorf("%s", got)
	}
	pause := plan.Seconds(0)
	if c.Pause = &pause; !strings.Contains(capacityCommand(c), " --pause 0s ") {
		t.Errorf("%s", capacityCommand(c))
	}
}

// TestOverlay: each of eight lines differs from all others in more than colour or in
// a colour, and a ninth is refused by every format that draws.
func TestOverlay(t *testing.T) {
	lines := strokes(MaxOverlaid)
	for i, a := range lines {
		for _, b := range lines[:i] {
			if a.Ink == b.Ink || a.Dash == b.Dash && a.Width == b.Width {
				t.Errorf("lines %+v and %+v look alike", a, b)
			}
		}
	}
	d, s := loadRun(t, "steady"), readSaved(t, "knee.json").Sweep
	runs, sweeps := make([]Labelled[*Document], 9), make([]Labelled[*Sweep], 9)
	for i := range runs {
		runs[i], sweeps[i] = Labelled[*Document]{"a.json", d}, Labelled[*Sweep]{"a.json", s}
	}
	for _, name := range []string{"html", "svg", "png", "pdf"} {
		many, err1 := SeriesFormat(name)
		manySweeps, err2 := SweepSeriesFormat(name)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := many(&b, runs); err == nil || err.Error() != "9 runs in one picture: at most 8 can be told apart" || b.Len() > 0 {
			t.Errorf("%s of 9 runs: %v, %d bytes", name, err, b.Len())
		}
		if err := manySweeps(&b, sweeps); err == nil || err.Error() != "9 sweeps in one picture: at most 8 can be told apart" {
			t.Errorf("%s of 9 sweeps: %v", name, err)
		}
	}
	output(t, paged(runsPage), runs[:8])
	output(t, paged(sweepsPage), sweeps[:8])
	if _, err := SweepSeriesFormat("autobench"); err == nil || !strings.HasSuffix(err.Error(), "holds one sweep: for several want text, html, svg, png or pdf") {
		t.Errorf("%v", err)
	}
	runs[1].Doc = loadRun(t, "overload")
	runs[1].Doc.Histograms["response"] = "x"
	if err := paged(runsPage)(&strings.Builder{}, runs[:2]); err == nil || !strings.Contains(err.Error(), "a.json: histogram response") {
		t.Errorf("a damaged histogram: %v", err)
	}
}

func TestShortened(t *testing.T) {
	for want, labels := range map[string][]string{
		"a.json b.json":         {"x/a.json", "y/b.json"},
		"x/a.json y/a.json":     {"/d/x/a.json", "/d/y/a.json"},
		"a.json a.json":         {"a.json", "a.json"},
		"1/a.json a.json":       {"1/a.json", "a.json"},
		"u/a.json w/v/a.json":   {"/u/a.json", "/w/v/a.json"},
		"- a.json":              {"-", "a.json"},
		"/a.json d/a.json":      {"/a.json", "d/a.json"},
		"b/a.json c/a.json e.x": {"b/a.json", "c/a.json", "e.x"},
	} {
		var all []Labelled[int]
		for _, label := range labels {
			all = append(all, Labelled[int]{Label: label})
		}
		var got []string
		for _, l := range shortened(all) {
			got = append(got, l.Label)
		}
		if strings.Join(got, " ") != want || !slices.Equal(labelsOf(all), labels) {
			t.Errorf("%q became %q, want %q", labels, got, want)
		}
	}
}

func labelsOf[D any](all []Labelled[D]) []string {
	var labels []string
	for _, l := range all {
		labels = append(labels, l.Label)
	}
	return labels
}
