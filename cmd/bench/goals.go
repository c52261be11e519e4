//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratebench/attack/record"
)

// A goal is a figure that the bench is to show, and whether it did.
type goal struct {
	What  string        `json:"what"`
	Value record.Number `json:"value"` // median over the rounds; null if not measured
	Least record.Number `json:"min"`   // of the rounds
	Most  record.Number `json:"max"`
	Unit  string        `json:"unit,omitempty"` // of Value and Limit
	Sense string        `json:"sense"`          // how Value is held against Limit: ≤, ≥ or =
	Limit float64       `json:"limit"`
	State string        `json:"state"`
}

// States of a goal.
const (
	met     = "met"
	missed  = "missed"
	unknown = "not measured"
)

// hold is the goal that the median of s, in units of 1/factor, keeps to limit.
func hold(what string, s spread, factor float64, unit, sense string, limit float64) goal {
	number := func(v float64) record.Number { return record.Number(v * factor) }
	g := goal{what, number(s.median), number(s.least), number(s.most), unit, sense, limit, unknown}
	if s.n == 0 {
		return g
	}
	value := s.median * factor
	ok := map[string]bool{"≤": value <= limit, "≥": value >= limit, "=": value == limit}[sense]
	if g.State = missed; ok {
		g.State = met
	}
	return g
}

// board finds figures of the blocks that were measured.
type board []*result

// row is nil if it was not measured; its figures are then missing.
func (b board) row(block, client string) *row {
	for _, r := range b {
		if r.Name == block {
			return r.row(client)
		}
	}
	return nil
}

func (b board) spread(block, client, figure string) spread {
	return b.row(block, client).spread(figure)
}

func (b board) ratio(block, client, base, figure string) spread {
	return b.row(block, client).ratios(b.row(block, base), figure, figure)
}

// atMost is the goal that a client costs at most so many times what another does.
func (b board) atMost(what, block, client, base, figure string, limit float64) goal {
	return hold(what, b.ratio(block, client, base, figure), 1, "×", "≤", limit)
}

// within is the goal that a time is at most so many milliseconds.
func (b board) within(what, block, client, figure string, limit float64) goal {
	return hold(what, b.spread(block, client, figure), milli, "ms", "≤", limit)
}

// goals are all goals, in the order of the blocks.
func goals(results []*result) []goal {
	b := board(results)
	all := b.costGoals()
	all = append(all, b.accuracyGoals()...)
	for _, rate := range neighbourRates() {
		all = append(all, b.neighbourGoals(rate)...)
	}
	all = append(all, b.extremeGoals()...)
	return append(all, b.loopGoals()...)
}

func (b board) costGoals() []goal {
	return []goal{
		b.atMost("saturation: CPU per reply, to wrk's", "saturation", ours, theWrk, cpuPerReply, 0.95),
		b.atMost("saturation: CPU per reply, to vegeta's", "saturation", ours, theVegeta, cpuPerReply, 0.30),
		b.atMost("saturation: CPU per reply, to the floor's", "saturation", ours, theFloor, cpuPerReply, 1.15),
		b.atMost("saturation: CPU per reply, kernel stamps to user stamps", "saturation", ours, oursUser, cpuPerReply, 1.08),
		b.atMost("new connections: CPU per reply, to ab's", "new", ours, theAb, cpuPerReply, 1.1),
		b.atMost("new connections at 2000/s: CPU per reply, to httperf's", "new-2000", ours, theHttperf, cpuPerReply, 1),
	}
}

func (b board) accuracyGoals() []goal {
	return []goal{
		b.within("300/s: send lag p99", "rate-300", ours, sendLagP99, 0.2),
		b.within("20000/s: send lag p99", "rate-20000", ours, sendLagP99, 0.2),
		b.atMost("20000/s: response p50, to vegeta's", "rate-20000", ours, theVegeta, responseP50, 0.25),
		b.atMost("20000/s: response p99, to vegeta's", "rate-20000", ours, theVegeta, responseP99, 0.5),
	}
}

func (b board) neighbourGoals(rate int) []goal {
	block := rateName("neighbour", rate)
	at := fmt.Sprintf("busy core, %d/s, ", rate)
	stamps := b.row(block, besideKernel).ratios(b.row(block, besideUser), serviceP99, serviceP99)
	return []goal{
		b.within(at+"raised priority: send lag p99", block, besideRaised, sendLagP99, 0.2),
		b.atMost(at+"raised priority: response p99, to that alone", block, besideRaised, alone, responseP99, 1.5),
		hold(at+"ordinary: service p99, kernel stamps to user stamps", stamps, 1, "×", "≤", 0.5),
		hold(at+"ordinary: the verdict names the client", b.always(block, besideKernel, blamesClient), 1, "", "=", 1),
		hold(at+"ordinary: receive lag p99 is shown", b.spread(block, besideKernel, receiveLagP99), milli, "ms", "≥", 0),
	}
}

// always is 1 if an indicator was 1 in every round, else 0.
func (b board) always(block, client, figure string) spread {
	s := b.spread(block, client, figure)
	s.median = s.least
	return s
}

// memoryLimit bounds ratebench's memory, in MiB, whatever happens.
const memoryLimit = 100

func (b board) extremeGoals() []goal {
	open := b.row("open", ours)
	return []goal{
		hold("slow server: connections open at once", open.spread(peakConns), 1, "", "≥", openRate*openDelay),
		hold("slow server: replies, to planned", open.ratios(open, replyCount, plannedCount), 1, "×", "=", 1),
		hold("slow server: memory", open.spread(peakMemory), mebi, "MiB", "≤", memoryLimit),
		hold("1000000/s: memory", b.spread("too-much", ours, peakMemory), mebi, "MiB", "≤", memoryLimit),
		hold("1000000/s: start to end", b.spread("too-much", ours, elapsedTime), 1, "s", "≤", tooMuchLength+tooMuchTimeout+1),
		hold("1000000/s: verdict INVALID", b.always("too-much", ours, isInvalid), 1, "", "=", 1),
		hold("1000000/s: exit status", b.spread("too-much", ours, exitStatus), 1, "", "=", 4),
		b.atMost("memory after 10 million requests, to 1 million", "memory", tenMillion, million, peakMemory, 1.1),
	}
}

func (b board) loopGoals() []goal {
	var all []goal
	for _, n := range loopCounts() {
		what := fmt.Sprintf("%s: runs whose counts and schedule are not exact", loopsName(n))
		all = append(all, hold(what, inexact(b.row("loops", loopsName(n))), 1, "", "=", 0))
	}
	return append(all,
		b.atMost("2 loops on one core: CPU per reply, to 1 loop's", "loops-saturation", loopsName(2), loopsName(1), cpuPerReply, 1.1))
}

// inexact counts the runs in which a request was lost or doubled, by the client's
// count or by the server's, or a full second was offered anything but its rate.
func inexact(r *row) spread {
	planned := r.values(plannedCount)
	if len(planned) == 0 {
		return spreadOf(nil)
	}
	wrong := 0.0
	for _, s := range r.Samples {
		f := s.Figures
		if f != nil && (f[replyCount] != f[plannedCount] || f[serverCount] != f[plannedCount] ||
			f[leastDue] != loopRate || f[mostDue] != loopRate) {
			wrong++
		}
	}
	return spreadOf([]float64{wrong})
}

// measured drops the goals whose blocks were not run.
func measured(all []goal) []goal {
	return slices.DeleteFunc(all, func(g goal) bool { return g.State == unknown })
}

// printGoals prints the goals with value, limit and state.
func printGoals(w io.Writer, all []goal) {
	fmt.Fprintln(w, "goals")
	lines := [][]string{{"", "value", "min–max", "goal", ""}}
	for _, g := range all {
		lines = append(lines, []string{g.What, digits(float64(g.Value)), g.extent(), g.Sense + " " + unitful(g.Limit, g.Unit), g.State})
	}
	printAligned(w, lines)
}

func (g *goal) extent() string {
	if math.IsNaN(float64(g.Least)) || g.Least == g.Most {
		return ""
	}
	return digits(float64(g.Least)) + "–" + digits(float64(g.Most))
}

func unitful(v float64, unit string) string {
	return strings.TrimSpace(strconv.FormatFloat(v, 'f', -1, 64) + " " + unit)
}
