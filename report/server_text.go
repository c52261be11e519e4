package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"ratebench/attack/record"
)

// A host is worth a line only where it says something: nearly all cores busy, with
// whatever; a hundredth of their time stolen; a twentieth of a core in interrupts,
// which the processes' figures may or may not hold; and a fifth of a hundredth of a
// core for sampling.
const (
	busySays       = 0.9
	stealSays      = 0.01
	interruptsSays = 0.05
	samplerSays    = 0.002
)

// writeServers writes a line for each group that was watched, or that none was, and
// for each host that says something itself.
func writeServers(b *bytes.Buffer, d *Document) {
	_, unwatched := findingTexts(&d.Verdict)
	for _, remark := range unwatched {
		writeLine(b, "server cpu", remark)
	}
	for i := range d.Server {
		writeLine(b, "server cpu", serverItems(&d.Server[i])...)
	}
	for i := range d.Hosts {
		if items := hostItems(&d.Hosts[i]); len(items) > 0 {
			items[0] = clip(hostTitle(d.Hosts[i].Name), 40) + ": " + items[0]
			writeLine(b, "server host", items...)
		}
	}
}

func hostTitle(name string) string {
	if isLocal(name) {
		return "this machine"
	}
	return name
}

func serverItems(s *Server) []string {
	if s.Source == "" {
		return []string{clip(hostTitle(s.Host), 40) + ": not known"}
	}
	title := clip(s.title(), 48)
	if s.Processes > 1 {
		title = fmt.Sprintf("%.0f × %s", float64(s.Processes), title)
	}
	if s.Within != "" {
		title += ", part of " + clip(s.Within, 24)
	}
	if !s.CPU.Defined() {
		return []string{title + ": not known"}
	}
	return append([]string{title, coresOf(s), perReply(s)}, memoryAndQuota(s)...)
}

// coresOf is the cores used, to the digits that the precision leaves, of those
// that the server can fill.
func coresOf(s *Server) string {
	if !s.Cores.Defined() {
		return undefined + " cores"
	}
	text := fixed(float64(s.Cores), min(decimals(float64(s.Precision/(s.To-s.From))), 3))
	if !s.Available.Defined() {
		return text + " cores"
	}
	unit := " cores"
	if s.Available == 1 {
		unit = " core"
	}
	return text + " of " + trimmed(s.Available) + unit
}

// trimmed writes n with as few decimals as it needs, two at most.
func trimmed(n record.Number) string {
	text := fixed(float64(n), 2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// perReply is the headline: CPU time per reply, or CPU time if there was no reply.
func perReply(s *Server) string {
	if s.CPUPerReply.Defined() {
		ofUser := float64(s.CPUUser) / float64(s.Replies)
		return withPrecision(float64(s.CPUPerReply), float64(s.CPUPerReplyPrecision), ofUser, 1e3, "ms/reply")
	}
	return withPrecision(float64(s.CPU), float64(s.Precision), float64(s.CPUUser), 1, "s of CPU")
}

// withPrecision writes a figure as 5.10 unit ± 0.02 (user 3.12), every number to the
// digit that the precision reaches.
func withPrecision(value, precision, user, scale float64, unit string) string {
	digits := decimals(precision * scale)
	text := fixed(value*scale, digits) + " " + unit
	if precision > 0 {
		text += " ± " + fixed(roundedUp(precision*scale, digits), digits)
	}
	if record.Number(user).Defined() {
		text += " (user " + fixed(user*scale, digits) + ")"
	}
	return text
}

// maxDecimals bounds what is shown of a figure that is known better than that.
const maxDecimals = 4

// decimals is how many a figure of that precision is written with: up to the first
// digit of the precision that is not 0.
func decimals(precision float64) int {
	if !(precision > 0) {
		return 3
	}
	return int(min(max(-math.Floor(math.Log10(precision)), 0), maxDecimals))
}

// roundedUp keeps a precision true when digits are cut from it.
func roundedUp(precision float64, digits int) float64 {
	unit := math.Pow10(-digits)
	return math.Ceil(precision/unit-1e-9) * unit
}

func memoryAndQuota(s *Server) []string {
	var items []string
	if s.RSSPeak.Defined() {
		items = append(items, "RSS "+size(uint64(s.RSSPeak)))
	}
	if s.Throttled > 0 {
		items = append(items, "quota held it back "+seconds(s.Throttled)+" over all cores")
	}
	return items
}

// hostItems are what the figures of h's servers do not say, none if all is well.
func hostItems(h *Host) []string {
	var items []string
	add := func(says bool, text string) {
		if says {
			items = append(items, text)
		}
	}
	items = append(items, lossItems(h)...)
	add(h.Busy >= busySays*record.Number(h.Cores), busyItem(h))
	add(h.Steal >= stealSays, fmt.Sprintf("steal %s of %s", percent(h.Steal), plural(h.Cores, "core")))
	add(h.Interrupts >= interruptsSays, "interrupts "+figure(h.Interrupts)+" cores")
	add(h.Drops > 0, dropsItem(h))
	add(h.SamplerCPU >= samplerSays, samplingItem(h))
	return append(items, noteItems(h.Notes)...)
}

func lossItems(h *Host) []string {
	if h.Lost == nil {
		return nil
	}
	return []string{"lost after " + seconds(h.Lost.T), h.Lost.Why}
}

func busyItem(h *Host) string {
	return fmt.Sprintf("busy %s of %s", figure(h.Busy), plural(h.Cores, "core"))
}

func dropsItem(h *Host) string {
	if !h.Drops.Defined() {
		return "listen drops " + undefined
	}
	return "listen drops " + count(uint64(h.Drops))
}

func samplingItem(h *Host) string { return "sampling " + percent(h.SamplerCPU) + " of a core" }

// notesShown bounds the notes of a host in a report for people.
const notesShown = 2

func noteItems(notes []string) []string {
	var items []string
	for i, note := range notes {
		if i == notesShown {
			return append(items, fmt.Sprintf("%d notes more", len(notes)-i))
		}
		items = append(items, note)
	}
	return items
}
