package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// What is not whole, or in doubt, says so in every picture of it.
func TestPicturesAreMarked(t *testing.T) {
	sweep, search, run := readSaved(t, "knee.json").Sweep, readSaved(t, "search.json").Capacity, loadRun(t, "steady")
	titles := func() []string {
		var all []string
		for _, of := range []func() (*picture, error){
			func() (*picture, error) { return sweepPicture(sweep) },
			func() (*picture, error) { return capacityPicture(search) },
			func() (*picture, error) { return runPicture(run) },
			func() (*picture, error) {
				return runsPicture([]Labelled[*Document]{{"a", loadRun(t, "steady")}, {"b", run}})
			},
			func() (*picture, error) {
				return sweepsPicture([]Labelled[*Sweep]{{"a", sweep}, {"b", readSaved(t, "knee.json").Sweep}})
			},
		} {
			p, err := of()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p.title)
		}
		return all
	}
	whole := titles()
	sweep.Interrupted, search.Failure, run.Verdict.Status = true, "no route", record.Invalid
	for i, title := range titles() {
		want := []string{"INTERRUPTED" + titleGap, "ENDED EARLY" + titleGap, "INVALID" + titleGap, "", ""}[i] + whole[i] +
			[]string{"", "", "", titleGap + "B INVALID", titleGap + "A INTERRUPTED"}[i]
		if title != want {
			t.Errorf("%q, want %q", title, want)
		}
	}
	search.Failure, search.Interrupted = "", true
	for _, of := range []string{output(t, paged(capacityPage), search), output(t, paged(sweepPage), sweep)} {
		if !strings.Contains(words(t, of), "interrupted") {
			t.Error("the page does not say that it was interrupted")
		}
	}
}

// The box of an overlay has the gravest verdict, and says of which run it is.
func TestOverlayStandsAsItsWorst(t *testing.T) {
	a, b := loadRun(t, "steady"), loadRun(t, "steady")
	all := []Labelled[*Document]{{"a.json", a}, {"b.json", b}}
	for _, c := range []struct {
		a, b record.Status
		want record.Status
		says string
	}{
		{record.Valid, record.Valid, record.Valid, ""},
		{record.Suspect, record.Valid, record.Suspect, "A a.json: SUSPECT: slow"},
		{record.Suspect, record.Invalid, record.Invalid, "B b.json: INVALID: slow"},
	} {
		for d, status := range map[*Document]record.Status{a: c.a, b: c.b} {
			d.Verdict = record.Verdict{Status: status, Findings: []record.Finding{{Code: "x", Text: "slow", Status: status}}}
		}
		p, err := runsPage(all)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, f := range p.Findings {
			said += f.Text + "\n"
		}
		if p.Status != c.want || !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s and %s: %s, %q", c.a, c.b, p.Status, said)
		}
	}
}

// rateOf is a reply rate of so many full seconds.
func rateOf(mean, least, most float64, samples int) record.RateStats {
	u := record.Undefined()
	r := record.RateStats{Mean: record.Number(mean), Min: u, Max: u, StdDev: u, Samples: samples}
	if samples > 0 {
		r.Min, r.Max = record.Number(least), record.Number(most)
	}
	if samples > 1 {
		r.StdDev = 0.3
	}
	return r
}

// A rate's extremes hold its mean, also where no second is full, in both formats
// that scripts read.
func TestScriptsFindMeanBetween(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		of   record.RateStats
		want string
	}{
		{rateOf(300, 0, 0, 0), "300.0 300.0 300.0"},
		{rateOf(300, 310, 310, 1), "300.0 300.0 310.0"},
		{rateOf(300, 280, 290, 2), "280.0 300.0 300.0"},
		{rateOf(300, 290, 310, 2), "290.0 300.0 310.0"},
		{rateOf(none, 0, 0, 0), "0.0 0.0 0.0"},
	} {
		d := &Document{Plan: plan.New()}
		d.Summary.ReplyRate = c.of
		figures := autobenchFigures(d)[2:5]
		if got := fmt.Sprintf("%.1f %.1f %.1f", figures[0], figures[1], figures[2]); got != c.want {
			t.Errorf("autobench, %+v: %s, want %s", c.of, got, c.want)
		}
		found := figuresOfScripts()["reply rate"].FindStringSubmatch(httperf(t, d))
		if got := strings.Join(found[1:4], " "); got != c.want {
			t.Errorf("httperf, %+v: %s, want %s", c.of, got, c.want)
		}
	}
}

// A mean outside what full seconds had is told apart from them, and only then.
func TestRatesOfShortRuns(t *testing.T) {
	for _, c := range []struct {
		mean, least, most float64
		samples           int
		want              string
	}{
		{110.7, 166, 166, 1, "min 166.0 max 166.0 stddev n/a, 1 sample of 1 s; whole window 110.7"},
		{249.9, 249, 249.4, 2, "min 249.0 max 249.4 stddev 0.300, 2 samples of 1 s; whole window 249.9"},
		{249.9, 249.92, 251, 2, "min 249.9 max 251.0 stddev 0.300, 2 samples of 1 s"},
		{200, 0, 0, 0, "min n/a max n/a stddev n/a, 0 samples of 1 s"},
	} {
		d := loadRun(t, "steady")
		d.Summary.ReplyRate = rateOf(c.mean, c.least, c.most, c.samples)
		text := output(t, WriteText, d)
		_, line, _ := strings.Cut(text, "of replies: ")
		if got, _, _ := strings.Cut(line, "\n"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The summary's row says what kind of load it was.
func TestSummaryOfLoads(t *testing.T) {
	rate := func(text string) plan.Rate {
		r, err := plan.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for want, change := range map[string]func(*plan.Plan){
		"300,,,,uniform":       func(p *plan.Plan) { p.Rate = rate("300") },
		"250,100,400,,uniform": func(p *plan.Plan) { p.Rate, p.Ramp = rate("250"), &plan.Ramp{From: rate("100"), To: rate("400")} },
		",,,10,closed":         func(p *plan.Plan) { p.Concurrency = 10 },
	} {
		d := &Document{Plan: plan.New()}
		change(d.Plan)
		var cells []string
		for _, c := range planColumns()[5:10] {
			cells = append(cells, c.cell(d))
		}
		if got := strings.Join(cells, ","); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
