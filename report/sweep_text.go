package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
)

// WriteSweepText writes the sweep for people: what was asked for, up to where the
// server kept up, a row for each run in order of time, medians where rates were
// repeated, and every doubt.
func WriteSweepText(w io.Writer, s *Sweep) error {
	var b bytes.Buffer
	writeSweepHead(&b, s)
	if len(s.Runs) > 0 {
		b.WriteString(s.served() + "\n\n")
		writeSweepRuns(&b, s)
		writeMedians(&b, s)
		writeSweepFindings(&b, s)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeSweepHead(b *bytes.Buffer, s *Sweep) {
	if len(s.Runs) == 0 {
		b.WriteString("sweep without a run\n")
		return
	}
	d := s.Runs[0].Run
	what, _ := headline(d)
	b.WriteString("sweep of " + what + "\n")
	how := append([]string{s.asked()}, conditions(d.Plan)...)
	how = append(how, d.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	b.WriteString(shown(strings.Join(how, ", ")) + "\n")
	switch {
	case s.Failure != "":
		b.WriteString("ENDED EARLY  " + shown(s.Failure) + "\n")
	case s.Interrupted:
		fmt.Fprintf(b, "INTERRUPTED  in run %d of %d\n", len(s.Runs), len(s.Steps.List()))
	}
}

// asked is what the steps say: 100 to 400/s by 100, up, 4 runs of 20 s.
func (s *Sweep) asked() string {
	steps, p := &s.Steps, s.Runs[0].Run.Plan
	text := fmt.Sprintf("%v to %v/s", steps.From, steps.To)
	switch {
	case len(steps.Rates) > 0:
		text = fmt.Sprintf("%s/s", rates(steps.Rates))
	case steps.Factor != 0:
		text += fmt.Sprintf(" × %.6g", steps.Factor)
	default:
		text += fmt.Sprintf(" by %v", steps.Step)
	}
	if steps.Order != search.Given {
		text += ", " + string(cmp.Or(steps.Order, search.Up))
	}
	text += ", " + plural(len(steps.List()), "run") + " of "
	if p.Total > 0 {
		return text + plural(int(min(p.Total, 1<<53)), "request")
	}
	return text + span(p.Duration.Std())
}

func rates(all []plan.Rate) string {
	var texts []string
	for _, r := range all {
		texts = append(texts, r.String())
	}
	return strings.Join(texts, " ")
}

// conditions are what all runs have in common.
func conditions(p *plan.Plan) []string {
	all := []string{string(p.Arrivals), connectionMode(p), "timeout " + span(p.Timeout.Std()), p.Engine + " engine"}
	if p.Warmup > 0 {
		all = append(all, "each after "+span(p.Warmup.Std())+" of warm-up")
	}
	return all
}

func writeSweepRuns(b *bytes.Buffer, s *Sweep) {
	s.runTable().write(b)
	writeLegend(b, s.ascending())
}

// runTable has a row for each run in order of time.
func (s *Sweep) runTable() table {
	t := table{{"offered /s", "sent", "replies", "goodput", "p50, ms", "p99, ms", "errors", "cores", "ms/reply", ""}}
	for i := range s.Runs {
		r := &s.Runs[i]
		t = append(t, append(loadCells(r.Run), r.mark()))
	}
	return t
}

// writeLegend explains a table of loadCells.
func writeLegend(b *bytes.Buffer, runs []*Document) {
	b.WriteString("sent, replies and goodput are per second; p50 and p99 are response times of all requests\n")
	for _, d := range runs {
		if weak := weakPercentiles(&d.Summary.Time); weak != "" {
			b.WriteString(weak + "\n")
			return
		}
	}
}

// loadCells are a run's figures in the table of a sweep or of a search.
func loadCells(d *Document) []string {
	s := &d.Summary
	times := responseAllCells(d)
	cpu, _ := CPUPerReply(d)
	return []string{
		offeredCell(d.Plan), figure(s.SentRate), figure(s.ReplyRate.Mean), figure(s.Goodput.Rate),
		times[3], times[5], mainErrors(s), figureOrDash(serverCores(d)), millis(cpu),
	}
}

func figureOrDash(n record.Number) string {
	if !n.Defined() {
		return "–"
	}
	return figure(n)
}

// mainErrors is the share of requests that got no reply, and the class of most.
func mainErrors(s *record.Summary) string {
	if s.Errors.Total == 0 {
		return "–"
	}
	worst := slices.MaxFunc(record.ErrorClasses(), func(a, b record.Class) int {
		return cmp.Compare(s.Errors.Of(a), s.Errors.Of(b))
	})
	return percent(record.Ratio(float64(s.Errors.Total), float64(s.Planned-s.Unsent))) + " " + worst.String()
}

// mark is what must be known of a run at first sight.
func (r *SweepRun) mark() string {
	words := []string{strings.ToUpper(string(r.Run.Verdict.Status))}
	if r.Run.Interrupted {
		words = append(words, "interrupted")
	}
	if missed := len(Missed(r.Run)); missed > 0 {
		words = append(words, "missed "+plural(missed, "objective"))
	}
	if r.LeftOver > 0 {
		words = append(words, "* "+count(r.LeftOver)+" left over")
	}
	return strings.Join(words, ", ")
}

func writeMedians(b *bytes.Buffer, s *Sweep) {
	t := s.medianTable()
	if t == nil {
		return
	}
	b.WriteByte('\n')
	t.write(b)
	b.WriteString("INVALID and interrupted runs are left out of medians; a median among failed requests is none\n")
}

// medianTable has, if any rate was offered more than once, the middle of the runs
// at each rate; otherwise it is nil. Spoilt runs are left out.
func (s *Sweep) medianTable() table {
	byRate := s.byRate()
	if len(byRate) == len(s.Runs) {
		return nil
	}
	t := table{{"median at /s", "runs", "replies", "least", "most", "goodput", "p50, ms", "p99, ms", "ms/reply", ""}}
	for _, at := range byRate {
		least, replies, most := spread(at.good, func(d *Document) record.Number { return d.Summary.ReplyRate.Mean })
		t = append(t, []string{
			grouped(at.rate.String()), fmt.Sprintf("%d of %d", len(at.good), at.all),
			figureOrDash(replies), figureOrDash(least), figureOrDash(most),
			figureOrDash(middle(at.good, func(d *Document) record.Number { return d.Summary.Goodput.Rate })),
			millis(middle(at.good, func(d *Document) record.Number { return d.Summary.Time.ResponseAll.P50 })),
			millis(middle(at.good, func(d *Document) record.Number { return d.Summary.Time.ResponseAll.P99 })),
			millis(middle(at.good, func(d *Document) record.Number { cpu, _ := CPUPerReply(d); return cpu })), "",
		})
	}
	return t
}

// spread is the least, the median and the most of a figure over runs. A run in
// which it has no value, which a percentile among failures has not, counts as the
// most; all are undefined if there is no run.
func spread(runs []*Document, of func(*Document) record.Number) (least, median, most record.Number) {
	var all []record.Number
	for _, d := range runs {
		all = append(all, of(d))
	}
	if len(all) == 0 {
		return record.Undefined(), record.Undefined(), record.Undefined()
	}
	slices.SortFunc(all, func(a, b record.Number) int {
		switch {
		case !a.Defined() || !b.Defined():
			return cmp.Compare(undefinedLast(a), undefinedLast(b))
		}
		return cmp.Compare(a, b)
	})
	half := len(all) / 2
	return all[0], (all[half] + all[(len(all)-1)/2]) / 2, all[len(all)-1]
}

func undefinedLast(n record.Number) int {
	if n.Defined() {
		return 0
	}
	return 1
}

func middle(runs []*Document, of func(*Document) record.Number) record.Number {
	_, median, _ := spread(runs, of)
	return median
}

// writeSweepFindings writes every doubt about every run.
func writeSweepFindings(b *bytes.Buffer, s *Sweep) {
	begun := false
	for i := range s.Runs {
		r := &s.Runs[i]
		texts := r.doubts()
		if len(texts) == 0 {
			continue
		}
		if !begun {
			b.WriteByte('\n')
			begun = true
		}
		label := fmt.Sprintf("%d: %s/s", i+1, grouped(r.Run.Plan.Rate.String()))
		for _, text := range texts {
			for _, line := range broken(text, pageWidth-labelWidth) {
				b.WriteString(pad(label, labelWidth-1) + " " + line + "\n")
				label = ""
			}
		}
	}
}

// doubts are the texts of a run's findings, escaped, and what it missed.
func (r *SweepRun) doubts() []string {
	var texts []string
	if r.LeftOver > 0 {
		texts = append(texts, fmt.Sprintf("the run before gave %s up, on which the server may have worked still, after a pause of %s",
			plural(int(min(r.LeftOver, 1<<53)), "request"), seconds(record.Seconds(r.Pause.Std()))))
	}
	for _, f := range r.Run.Verdict.Findings {
		texts = append(texts, shown(f.Text))
	}
	for _, missed := range Missed(r.Run) {
		texts = append(texts, shown(missed))
	}
	return texts
}
