package report

import (
	"fmt"
	"html/template"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// comparePage is the comparison for people: who leads under each load, the plots and
// the tables of each, ranked.
func comparePage(c *Comparison) (*page, error) {
	p := newPage(shown("comparison: "+c.Suite.Name), "comparison", c.Version, c.StartedAt)
	p.Load = clip(shown(strings.Join(c.asked(), ", ")), maxShown)
	p.Status, p.Heading, p.Answer = record.Valid, "Result", clip(shown(strings.Join(strings.Fields(c.Suite.About), " ")), maxShown)
	p.addStanding(c)
	for i := range c.Loads {
		l := &c.Loads[i]
		if len(c.ranked(l.Name, metricOf(c.Suite.Rank).key)) == 0 {
			continue
		}
		title := clip(shown(l.Name), 80)
		p.Charts = append(p.Charts, c.loadCharts(title, l))
		p.Tables = append(p.Tables, newTable(title, c.mainTable(l.Name), c.shownNotes(c.loadNotes(l))...))
		if t := c.ratioTable(l.Name); t != nil {
			p.Tables = append(p.Tables, newTable(title+": all metrics", t))
		}
	}
	if n := len(p.Tables); n > 0 {
		p.Tables[n-1].Notes = append(p.Tables[n-1].Notes, c.shownNotes(append(c.legend(), c.noiseNotes()...))...)
	}
	p.Environment = c.environment()
	return p, nil
}

// addStanding says what the page's top does: groups of each load, and what is amiss.
func (p *page) addStanding(c *Comparison) {
	note := func(status record.Status, text string) {
		p.Findings = append(p.Findings, record.Finding{Text: clip(shown(text), maxShown), Status: status})
		if status == record.Suspect {
			p.Status = record.Suspect
		}
	}
	switch {
	case c.Failure != "":
		note(record.Suspect, "ended early: "+c.Failure)
	case c.Interrupted:
		note(record.Suspect, "interrupted before the last trial was over")
	}
	for i := range c.Loads {
		if text := c.groups(c.Loads[i].Name); text != "" {
			note(record.Valid, c.Loads[i].Name+": "+text)
		}
	}
	note(record.Valid, "trials: "+strings.Join(c.tally(), ", "))
	for _, text := range c.missing() {
		note(record.Valid, "missing "+text)
	}
}

// groups are the servers under a load by group: A x, y · B z · – too few trials: w.
func (c *Comparison) groups(load string) string {
	var all, alone []string
	last := 0
	for _, r := range c.ranked(load, metricOf(c.Suite.Rank).key) {
		switch {
		case r.Group == 0:
			alone = append(alone, r.Server)
			continue
		case r.Group == last:
			all[len(all)-1] += ", " + r.Server
		default:
			all = append(all, groupLetter(r.Group)+" "+r.Server)
		}
		last = r.Group
	}
	if len(alone) > 0 {
		all = append(all, "– cannot be ranked: "+strings.Join(alone, ", "))
	}
	return strings.Join(all, " · ")
}

func (c *Comparison) shownNotes(notes []string) []string {
	var all []string
	for _, note := range notes {
		all = append(all, clip(shown(note), maxShown))
	}
	return all
}

// loadCharts are a load's plots, three side by side where there is room.
func (c *Comparison) loadCharts(title string, l *CompareLoad) pageChart {
	var wide, narrow strings.Builder
	for _, m := range c.plotted(l.Name) {
		drawing, label := c.dots(l.Name, m), title+": "+m.title
		wide.WriteString("<div>" + chart.Inline(drawing, thirdChart, label) + "</div>\n")
		narrow.WriteString(chart.Inline(drawing, narrowChart, label))
	}
	notes := []string{shown(l.heading())}
	if l.Name == c.Loads[0].Name {
		notes = append(notes, dotsNote)
	}
	if l.Concurrency > 0 {
		notes = append(notes, whatItHides)
	}
	return pageChart{
		Title: title, Notes: notes,
		Wide:   template.HTML(fmt.Sprintf(`<div class="plots">`+"\n%s</div>", wide.String())),
		Narrow: template.HTML(narrow.String()),
	}
}

// environment is where the first trial took place, and what each server is.
func (c *Comparison) environment() [][2]string {
	var rows [][2]string
	for i := range c.Trials {
		if d := c.Trials[i].Run; d != nil {
			for _, row := range environmentRows(d) {
				if row[0] != "server" {
					rows = append(rows, row)
				}
			}
			break
		}
	}
	for _, s := range c.Servers {
		what := strings.Trim(s.Software+", "+s.URL, ", ")
		if s.Missing != "" {
			what = "missing: " + s.Missing
		}
		rows = append(rows, [2]string{clip(shown(s.Name), 60), clip(shown(what), maxShown)})
	}
	return rows
}

// comparePicture has the page's plots of each load, one above the other.
func comparePicture(c *Comparison) (*picture, error) {
	p := &picture{marked(endedEarly(c.Interrupted, c.Failure), "comparison: "+clip(shown(c.Suite.Name), 90)), c.StartedAt, nil}
	for i := range c.Loads {
		name := c.Loads[i].Name
		for _, m := range c.plotted(name) {
			drawing := c.dots(name, m)
			drawing.Panels[0].Title = clip(shown(name), 60) + ": " + drawing.Panels[0].Title
			p.charts = append(p.charts, drawing)
		}
	}
	return p, nil
}
