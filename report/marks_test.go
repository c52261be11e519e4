package report

import (
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
		if want := whole[i] + itemGap + []string{"INTERRUPTED", "ENDED EARLY", "INVALID"}[i]; title != want {
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

// A rate's extremes hold its mean, also where no second is full.
func TestAutobenchOfShortRuns(t *testing.T) {
	u := record.Undefined()
	for _, c := range []struct {
		of                record.RateStats
		least, mean, most float64
	}{
		{record.RateStats{Mean: 300, Min: u, Max: u, StdDev: u}, 300, 300, 300},
		{record.RateStats{Mean: 300, Min: 310, Max: 310, Samples: 1}, 300, 300, 310},
		{record.RateStats{Mean: 300, Min: 290, Max: 310, Samples: 2}, 290, 300, 310},
		{record.RateStats{Mean: u, Min: u, Max: u, StdDev: u}, 0, 0, 0},
	} {
		d := &Document{Plan: plan.New()}
		d.Summary.ReplyRate = c.of
		got := autobenchFigures(d)[2:5]
		if got[0] != c.least || got[1] != c.mean || got[2] != c.most {
			t.Errorf("%+v: %v", c.of, got)
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
