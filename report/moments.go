package report

import (
	"math"
	"strings"

	"ratebench/attack/record"
	"ratebench/report/chart"
)

// maxMoments bounds the columns of a page that tell figures under the pointer.
const maxMoments = 400

// moments are what a page tells of each second, or of as many at once as leave
// maxMoments of them.
func moments(d *Document) []chart.Column {
	each := (len(d.Intervals) + maxMoments - 1) / maxMoments
	var columns []chart.Column
	for i := 0; i < len(d.Intervals); i += each {
		part := d.Intervals[i:min(i+each, len(d.Intervals))]
		from, to := float64(part[0].T), float64(part[len(part)-1].T)+1
		columns = append(columns, chart.Column{From: from, To: to, Text: moment(from, to, part, dueName(d.Plan))})
	}
	return columns
}

// moment says what the seconds were like, one figure a line; due is the word for
// requests that were.
func moment(from, to float64, part []record.Interval, due string) string {
	lines := []string{seconds(record.Number(from)) + " to " + seconds(record.Number(to))}
	tell := func(name, value string) {
		if value != "" {
			lines = append(lines, name+" "+value)
		}
	}
	whole := func(figure func(*record.Interval) uint64) string {
		return reach(part, func(v *record.Interval) record.Number { return record.Number(figure(v)) },
			func(n record.Number) string { return count(uint64(n)) })
	}
	tell("p50", reach(part, func(v *record.Interval) record.Number { return v.P50 }, seconds))
	tell("p99", reach(part, func(v *record.Interval) record.Number { return v.P99 }, seconds))
	tell("max", reach(part, func(v *record.Interval) record.Number { return v.Max }, seconds))
	tell(due, whole(func(v *record.Interval) uint64 { return v.Due }))
	tell("replies", whole(func(v *record.Interval) uint64 { return v.Replies }))
	for _, c := range record.ErrorClasses() {
		if n := whole(func(v *record.Interval) uint64 { return v.ByClass[c.Key()] }); n != "0" {
			tell(c.String(), n)
		}
	}
	tell("in flight", whole(func(v *record.Interval) uint64 { return v.InFlight }))
	tell("client cores", reach(part, func(v *record.Interval) record.Number { return v.ClientCPU }, figure))
	tell("server cores", reach(part, func(v *record.Interval) record.Number { return v.ServerCPU }, figure))
	return strings.Join(lines, "\n")
}

// reach is the least and the greatest of a figure, once if they read the same,
// and empty if no second has it.
func reach(part []record.Interval, of func(*record.Interval) record.Number, text func(record.Number) string) string {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range part {
		if n := of(&part[i]); n.Defined() {
			least, most = min(least, float64(n)), max(most, float64(n))
		}
	}
	if least > most {
		return ""
	}
	from, to := text(record.Number(least)), text(record.Number(most))
	if from == to {
		return from
	}
	return from + " to " + to
}
