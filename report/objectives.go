package report

import (
	"bytes"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
)

// Objective is a limit that the run was to keep, and whether it did.
type Objective struct {
	Text  string        `json:"text"`  // as plan.ParseObjective reads it
	Value record.Number `json:"value"` // of the metric, in its base unit
	Limit record.Number `json:"limit"`
	Met   bool          `json:"met"` // false if there is no value
}

// AddObjectives holds the run to objectives, in their order. The servers' figures
// must be in d by then.
func AddObjectives(d *Document, objectives []plan.Objective) {
	cpu, _ := CPUPerReply(d)
	for _, j := range plan.Judge(objectives, search.Figures(&d.Summary, cpu)) {
		o := Objective{Text: j.Objective.String(), Value: record.Undefined(), Limit: record.Number(j.Objective.Limit), Met: j.Held}
		if j.Value != nil {
			o.Value = record.Number(*j.Value)
		}
		d.Objectives = append(d.Objectives, o)
	}
}

// String says how it went, as plan.Judged does.
func (o Objective) String() string {
	parsed, err := plan.ParseObjective(o.Text)
	if err != nil {
		return o.Text
	}
	j := plan.Judged{Objective: parsed, Held: o.Met}
	if value := float64(o.Value); o.Value.Defined() {
		j.Value = &value
	}
	return j.String()
}

// Missed are those of d's objectives that were not met, in words.
func Missed(d *Document) []string {
	var missed []string
	for _, o := range d.Objectives {
		if !o.Met {
			missed = append(missed, o.String())
		}
	}
	return missed
}

// writeObjectives writes nothing for a run without any.
func writeObjectives(b *bytes.Buffer, d *Document) {
	if len(d.Objectives) == 0 {
		return
	}
	var items []string
	for _, o := range d.Objectives {
		items = append(items, o.String())
	}
	writeLine(b, "objectives", items...)
}
