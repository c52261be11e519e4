package report

import (
	"cmp"
	"fmt"
	"slices"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// loads are runs at several offered rates against the same server.
type loads struct {
	at     []atRate      // the lowest rate first
	spoilt []*Document   // runs that are shown and are in no median
	judged []chart.Curve // marks of what came of the runs, among the replies
}

func (s *Sweep) loads() *loads {
	l := &loads{at: s.byRate()}
	for i := range s.Runs {
		if s.Runs[i].spoilt() {
			l.spoilt = append(l.spoilt, s.Runs[i].Run)
		}
	}
	return l
}

// A figureOf is a figure of a run: undefined where the run has none.
type figureOf func(*Document) record.Number

// Figures of runs that are drawn over the offered rate.
func replyRate(d *Document) record.Number   { return d.Summary.ReplyRate.Mean }
func goodputRate(d *Document) record.Number { return d.Summary.Goodput.Rate }
func medianTime(d *Document) record.Number  { return d.Summary.Time.ResponseAll.P50 }
func slowTime(d *Document) record.Number    { return d.Summary.Time.ResponseAll.P99 }
func clientCores(d *Document) record.Number { return d.Client.Cores }
func cpuMillis(d *Document) record.Number {
	cpu, _ := CPUPerReply(d)
	return 1000 * cpu
}

// medians are a curve through the median at each rate.
func (l *loads) medians(of figureOf) []chart.Point {
	var points []chart.Point
	for _, at := range l.at {
		points = append(points, chart.Point{X: at.rate.PerSecond(), Y: float64(middle(at.good, of))})
	}
	return points
}

// singles are the runs that medians stand for where there is more than one.
func (l *loads) singles(of figureOf) []chart.Point {
	var points []chart.Point
	for _, at := range l.at {
		for _, d := range at.good {
			if len(at.good) > 1 {
				points = append(points, chart.Point{X: at.rate.PerSecond(), Y: float64(of(d))})
			}
		}
	}
	return points
}

// beyond are the rates at which the median of a percentile lies among requests
// that failed: at the timeout, above which it must be looked for.
func (l *loads) beyond(of figureOf) []chart.Point {
	var points []chart.Point
	for _, at := range l.at {
		if at.lost(of) {
			points = append(points, chart.Point{X: at.rate.PerSecond(), Y: at.good[0].Plan.Timeout.Std().Seconds()})
		}
	}
	return points
}

// lost says whether the median of a percentile is none because requests failed.
func (a *atRate) lost(of figureOf) bool {
	failed := func(d *Document) bool { return d.Summary.Errors.Total > 0 }
	return !middle(a.good, of).Defined() && slices.ContainsFunc(a.good, failed)
}

// time is the median of a percentile in words.
func (a *atRate) time(of figureOf) string {
	if !a.lost(of) {
		return seconds(middle(a.good, of))
	}
	for _, d := range a.good {
		if d.Summary.Errors.Total != d.Summary.Errors.ClientTimeout {
			return "failed"
		}
	}
	return beyond(a.good[0].Plan.Timeout.Std())
}

// pluses are the runs that no median stands for, by rate.
func (l *loads) pluses(of figureOf) []chart.Point {
	var points []chart.Point
	for _, d := range l.spoilt {
		points = append(points, chart.Point{X: d.Plan.Rate.PerSecond(), Y: float64(of(d))})
	}
	slices.SortStableFunc(points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	return points
}

// highest is the highest rate offered.
func (l *loads) highest() float64 {
	if len(l.at) == 0 {
		return 0
	}
	return l.at[len(l.at)-1].rate.PerSecond()
}

// told are what a page tells of each rate under the pointer, halfway to the next.
func (l *loads) told() []chart.Column {
	var columns []chart.Column
	from := 0.0
	for i := range l.at {
		rate, to := l.at[i].rate.PerSecond(), l.highest()
		if i+1 < len(l.at) {
			to = (rate + l.at[i+1].rate.PerSecond()) / 2
		}
		columns = append(columns, chart.Column{From: from, To: to, Text: l.at[i].text()})
		from = to
	}
	return columns
}

// text is what is known of a rate, one figure a line.
func (a *atRate) text() string {
	text := fmt.Sprintf("%s/s, %d of %s", grouped(a.rate.String()), len(a.good), plural(a.all, "run"))
	if len(a.good) == 0 {
		return text + "\nINVALID or interrupted"
	}
	text += "\nreplies " + figure(middle(a.good, replyRate)) + "/s\ngoodput " + figure(middle(a.good, goodputRate)) + "/s"
	text += "\np50 " + a.time(medianTime) + "\np99 " + a.time(slowTime)
	for _, o := range outcomes() {
		if share := o.share(a.good); share > 0 {
			text += "\n" + o.name + " " + percent(record.Number(share))
		}
	}
	if cores := middle(a.good, serverCores); cores.Defined() {
		text += "\nserver cores " + figure(cores)
	}
	if cpu := middle(a.good, cpuMillis); cpu.Defined() {
		text += "\n" + millis(cpu/1000) + " ms/reply"
	}
	return text
}
