package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"ratebench/sampler"
)

// sampleTable prints what happened between one reading and the next, a line for
// each group with the host's figures in the first. A nil one prints nothing.
type sampleTable struct {
	w      io.Writer
	again  int // lines after which a terminal is shown the headings once more; 0 for never
	lines  int
	host   sampler.HostInfo
	groups []sampler.GroupInfo
	last   *sampler.Reading
}

// headingsAgain is less than any terminal is high.
const headingsAgain = 20

func newSampleTable(w io.Writer, of *sampler.Watch) *sampleTable {
	t := &sampleTable{w: w, host: of.Host(), groups: of.Groups()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.again = headingsAgain
	}
	return t
}

// add prints the lines of a reading. The first has nothing to be compared with.
func (t *sampleTable) add(r sampler.Reading) error {
	if t == nil {
		return nil
	}
	last := t.last
	t.last = &r
	if last == nil || r.At <= last.At {
		return nil
	}
	var b strings.Builder
	for _, row := range t.rows(last, &r) {
		if t.lines == 0 || t.again > 0 && t.lines%t.again == 0 {
			writeRow(&b, []string{"time s", "process", "cores", "user", "system", "RSS", "procs", "threads", "host cores", "drops/s"})
		}
		writeRow(&b, row)
		t.lines++
	}
	if _, err := io.WriteString(t.w, b.String()); err != nil {
		return &unshown{err}
	}
	return nil
}

// finish prints what was read meanwhile, but for a reading that the end brought
// so soon after another that its line would be of a moment.
func (t *sampleTable) finish(readings <-chan sampler.Reading, interval time.Duration) error {
	for t != nil && len(readings) > 0 {
		r := <-readings
		if t.last != nil && r.At-t.last.At < interval/2 {
			continue
		}
		if err := t.add(r); err != nil {
			return err
		}
	}
	return nil
}

// rows are the cells of the lines between two readings.
func (t *sampleTable) rows(last, r *sampler.Reading) [][]string {
	elapsed := r.At - last.At
	of := func(now, before time.Duration) string {
		return fmt.Sprintf("%.2f", (now-before).Seconds()/elapsed.Seconds())
	}
	at := fmt.Sprintf("%.1f", r.At.Seconds())
	var rows [][]string
	for i, g := range r.Groups {
		was := last.Groups[i]
		rows = append(rows, []string{at, fitted(t.groups[i].Name), of(g.CPU, was.CPU), of(g.User, was.User), of(g.System, was.System),
			mebibytes(g.RSS), fmt.Sprint(g.Processes), fmt.Sprint(g.Threads), "", ""})
	}
	if len(rows) == 0 {
		rows = [][]string{{at, fitted("(" + t.host.Name + ")"), "–", "–", "–", "–", "–", "–", "", ""}}
	}
	drops := "–"
	if !r.Host.ListenUnknown && !last.Host.ListenUnknown {
		drops = fmt.Sprintf("%.0f", float64(r.Host.ListenDrops-last.Host.ListenDrops)/elapsed.Seconds())
	}
	rows[0][8], rows[0][9] = of(r.Host.Busy, last.Host.Busy), drops
	return rows
}

// nameWidth is what a process's name gets of the line.
const nameWidth = 24

// fitted is a name cut to its column, characters that a terminal would obey
// escaped. What tells names apart stays: what stands in brackets behind them, and
// the end of a path.
func fitted(name string) string {
	quoted := strconv.Quote(name)
	runes := []rune(quoted[1 : len(quoted)-1])
	surplus := len(runes) - nameWidth
	if surplus <= 0 {
		return string(runes)
	}
	for at := len(runes) - 1; at > surplus+2; at-- {
		if runes[at] == '(' {
			return string(runes[:at-surplus-2]) + "… " + string(runes[at:])
		}
	}
	return "…" + string(runes[surplus+1:])
}

// writeRow writes the cells under each other, within a hundred columns.
func writeRow(b *strings.Builder, cells []string) {
	var line strings.Builder
	for i, width := range []int{7, -nameWidth, 6, 6, 6, 10, 5, 7, 10, 7} {
		gap := " "
		if i == 1 {
			gap = "  "
		}
		fmt.Fprintf(&line, "%s%*s", gap, width, cells[i])
	}
	b.WriteString(strings.TrimRight(line.String()[1:], " ") + "\n")
}

func mebibytes(n uint64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// unshown is standard output that took no table, and so takes no sum.
type unshown struct{ why error }

func (e *unshown) Error() string { return "writing the table: " + e.why.Error() }
func (e *unshown) Unwrap() error { return e.why }
