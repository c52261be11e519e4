package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ratebench/report/chart"
)

// MaxOverlaid is how many documents one picture shows: with more, readers cannot
// tell the curves apart.
const MaxOverlaid = 8

// maxLabel is the length of the longest label of a curve, in characters.
const maxLabel = 40

// checkOverlay refuses more documents than can be told apart.
func checkOverlay(n int, kind string) error {
	if n > MaxOverlaid {
		return fmt.Errorf("%d %ss in one picture: at most %d can be told apart", n, kind, MaxOverlaid)
	}
	return nil
}

// letter is the short name of the i-th document of an overlay: A, B and so on.
func letter(i int) string { return string(rune('A' + i)) }

// lettered is a document's letter and label, escaped and short enough for a legend.
func lettered(i int, label string) string { return letter(i) + " " + clip(shown(label), maxLabel) }

// strokes are a line for each of n documents, each of another colour and, among
// those of near colours, of another pattern. Thickness falls, so that of lines that
// coincide all can be seen.
func strokes(n int) []chart.Curve {
	dashes := []chart.Dash{chart.Solid, chart.Dashed, chart.Dotted, chart.DashDotted}
	all := make([]chart.Curve, n)
	for i, ink := range chart.Curves(n) {
		all[i] = chart.Curve{Ink: ink, Dash: dashes[i%len(dashes)], Width: max(2.6-0.25*float64(i), 1.2)}
	}
	return all
}

// overlaid is a panel with a curve for each document. The first panel of a chart
// has whole names in its legend, the others letters.
func overlaid(title string, y chart.Axis, height float64, names []string, points func(i int) []chart.Point) chart.Panel {
	p := chart.Panel{Title: title, Y: y, Height: height, Note: "no values", Curves: strokes(len(names))}
	for i := range p.Curves {
		p.Curves[i].Name, p.Curves[i].Points = names[i], points(i)
	}
	return p
}

// shortened has labels that are no longer than it takes to tell the files apart:
// their names where those differ, and else what follows the directory of all.
func shortened[D any](all []Labelled[D]) []Labelled[D] {
	short := slices.Clone(all)
	seen := map[string]bool{}
	for i := range short {
		short[i].Label = filepath.Base(short[i].Label)
		seen[short[i].Label] = true
	}
	if len(seen) == len(all) {
		return short
	}
	common := filepath.Dir(all[0].Label) + "/"
	for i := range all {
		for !strings.HasPrefix(all[i].Label, common) && common != "" {
			common = common[:strings.LastIndexByte(common[:len(common)-1], '/')+1]
		}
		short[i].Label = all[i].Label
	}
	for i := range short {
		short[i].Label = strings.TrimPrefix(short[i].Label, common)
	}
	return short
}

// labels are the lettered names of documents, and the letters alone.
func labels[D any](all []Labelled[D]) (names, letters []string) {
	for i := range all {
		names, letters = append(names, lettered(i, all[i].Label)), append(letters, letter(i))
	}
	return names, letters
}

// labelCommand is the command that prints the page again. Where a page will be
// written is not known to it.
func labelCommand[D any](all []Labelled[D]) string {
	words := []string{"ratebench", "report"}
	for i := range all {
		words = append(words, all[i].Label)
	}
	return clip(quoted(append(words, "--format", "html")), maxShown)
}

// overlayNote is said beside that command.
const overlayNote = "What prints this page again, where the files are; -o FILE.html keeps it."
