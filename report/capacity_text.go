package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"ratebench/attack/record"
	"ratebench/attack/search"
)

// WriteCapacityText writes the search for people: the answer and what it rests on,
// what the server does beyond it, and a row for each trial.
func WriteCapacityText(w io.Writer, c *Capacity) error {
	var b bytes.Buffer
	writeCapacityHead(&b, c)
	writeAnswer(&b, c)
	if len(c.Runs) > 0 {
		b.WriteByte('\n')
		writeTrials(&b, c)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeCapacityHead(b *bytes.Buffer, c *Capacity) {
	if len(c.Runs) == 0 {
		b.WriteString("capacity search without a trial\n")
		return
	}
	d := c.load()
	what, _ := headline(d)
	b.WriteString("capacity of " + what + "\n")
	how := append(conditions(d.Plan), d.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	b.WriteString(shown(strings.Join(how, ", ")) + "\n")
}

// load is a run against the server that the search is about, the first if any is.
func (c *Capacity) load() *Document {
	for i := range c.Runs {
		if r := c.result(&c.Runs[i]); r == nil || r.Trial.Purpose != search.Ceiling {
			return c.Runs[i].Run
		}
	}
	return c.Runs[0].Run
}

func writeAnswer(b *bytes.Buffer, c *Capacity) {
	a := &c.Answer
	writeLine(b, "criteria", append(c.criteria(), "no queue that grows")...)
	writeText(b, "answer", a.String()+unconfirmed(a))
	if c.Failure != "" {
		writeText(b, "ended early", shown(c.Failure))
	} else if c.Interrupted {
		writeText(b, "ended early", "interrupted")
	}
	if text := interval(a); text != "" {
		writeText(b, "", text)
	}
	for i, beyond := range a.Beyond {
		label := ""
		if i == 0 {
			label = "beyond"
		}
		writeText(b, label, beyondText(&beyond))
	}
	writeText(b, "client", clientText(&c.Search.Client))
}

// interval is the answer as an interval, empty if it is none of the server's.
func interval(a *search.Answer) string {
	if !a.Passes.Defined() || !a.Fails.Defined() || a.Client {
		return ""
	}
	return fmt.Sprintf("[%s, %s) requests/s, of which goodput %s at the lower", figure(a.Passes), figure(a.Fails), figure(a.Goodput))
}

func (c *Capacity) criteria() []string {
	var texts []string
	for _, o := range c.Criteria {
		texts = append(texts, o.String())
	}
	return texts
}

// unconfirmed warns of an answer that short trials gave.
func unconfirmed(a *search.Answer) string {
	if a.Confirmed || !a.Passes.Defined() && !a.Fails.Defined() {
		return ""
	}
	return " (not confirmed by trials of full length)"
}

func beyondText(b *search.Beyond) string {
	text := figure(record.Number(b.Rate)) + "/s: "
	if b.Why != "" {
		return text + "not known, " + b.Why
	}
	text += fmt.Sprintf("good replies %s/s, %.1f %% of those at the answer: the server %s", figure(b.Good), 100*b.Share, b.Behaviour)
	if b.Queue > 0 {
		text += fmt.Sprintf("; a queue of %.2g s was left at the end, which may time out in a longer trial", b.Queue)
	}
	return text
}

func clientText(c *search.Client) string {
	text := "not tried against a server that does nothing"
	if c.Offers > 0 {
		text = fmt.Sprintf("can offer %s/s to a server that does nothing", figure(record.Number(c.Offers)))
	}
	if c.Fails > 0 {
		text += fmt.Sprintf(", not %s/s", figure(record.Number(c.Fails)))
	}
	return text
}

// writeText writes a label and a sentence, broken at blanks.
func writeText(b *bytes.Buffer, label, text string) {
	for _, line := range broken(shown(text), pageWidth-labelWidth) {
		b.WriteString(pad(label, labelWidth) + line + "\n")
		label = ""
	}
}

func writeTrials(b *bytes.Buffer, c *Capacity) {
	c.trialTable().write(b)
	writeLegend(b, c.runs())
}

// trialTable has a row for each trial in order of time.
func (c *Capacity) trialTable() table {
	t := table{{"trial", "s", "offered /s", "replies", "goodput", "p50, ms", "p99, ms", "errors", "ms/reply", ""}}
	for i := range c.Runs {
		r := &c.Runs[i]
		cells := loadCells(r.Run)
		length := figure(r.Run.Summary.Window)
		row := []string{fmt.Sprintf("%d %s", r.Trial, c.purpose(r)), length}
		row = append(row, cells[0], cells[2], cells[3], cells[4], cells[5], cells[6], cells[8], c.mark(r))
		t = append(t, row)
	}
	return t
}

func (c *Capacity) runs() []*Document {
	var runs []*Document
	for i := range c.Runs {
		runs = append(runs, c.Runs[i].Run)
	}
	return runs
}

// invalidating are the codes of the findings that make a run INVALID.
func invalidating(d *Document) []string {
	var codes []string
	for _, f := range d.Verdict.Findings {
		if f.Status == record.Invalid {
			codes = append(codes, shown(f.Code))
		}
	}
	return codes
}

func (c *Capacity) purpose(r *CapacityRun) string {
	if result := c.result(r); result != nil {
		return string(result.Trial.Purpose)
	}
	return "interrupted"
}

// mark is what came of a trial.
func (c *Capacity) mark(r *CapacityRun) string {
	result := c.result(r)
	var text string
	switch {
	case result == nil:
		text = "not judged"
	case !result.Valid && result.Trial.Purpose != search.Ceiling:
		text = "INVALID (" + strings.Join(invalidating(r.Run), ", ") + ")"
	case result.Passed() && result.Valid:
		text = "passed"
	case result.Trial.Purpose == search.Ceiling:
		text = "too much for the client"
	default:
		text = "missed " + strings.Join(result.Missed, ", ")
	}
	if result != nil && result.Sentinels > 1 {
		text += fmt.Sprintf("; recovered at look %d", result.Sentinels)
	}
	if r.LeftOver > 0 {
		text += "; * " + count(r.LeftOver) + " left over"
	}
	return text
}
