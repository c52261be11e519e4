package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// A Writer prints one document in some format. It returns w's errors.
type Writer func(w io.Writer, d *Document) error

// Labelled is a document with the name that tells it from others beside it, as its
// file's.
type Labelled[D any] struct {
	Label string
	Doc   D
}

// A SeriesWriter prints several documents into one output. It returns w's errors,
// and, where it draws, those of the Writer and that there are more than MaxOverlaid.
type SeriesWriter func(w io.Writer, all []Labelled[*Document]) error

type format struct {
	name, ending string
	write        Writer
	series       SeriesWriter // nil if the format holds one document
}

func formats() []format {
	return []format{
		{"text", ".txt", WriteText, oneAfterAnother(WriteText)},
		{"httperf", ".httperf", WriteHTTPerf, oneAfterAnother(WriteHTTPerf)},
		{"json", ".json", WriteJSON, nil},
		{"csv", ".csv", WriteCSV, nil},
		{"csv-summary", ".summary.csv", WriteSummaryCSV, unlabelled(WriteSummariesCSV)},
		{"hdr", ".hdr", WriteHDR, nil},
		{"html", ".html", WriteHTML, paged(runsPage)},
		{"svg", ".svg", WriteSVG, pictured(runsPicture, (*picture).svg)},
		{"png", ".png", WritePNG, pictured(runsPicture, (*picture).png)},
		{"pdf", ".pdf", WritePDF, pictured(runsPicture, (*picture).pdf)},
	}
}

// Format is the format called name. The error names it and all that there are.
func Format(name string) (Writer, error) {
	f, err := find(name)
	return f.write, err
}

// SeriesFormat is the format called name for several documents in one output.
// The error names it and those that can.
func SeriesFormat(name string) (SeriesWriter, error) {
	f, err := find(name)
	if err != nil {
		return nil, err
	}
	if f.series == nil {
		return nil, fmt.Errorf("format %q holds one run: for several want %s",
			name, list(func(f format) string { return f.name }, func(f format) bool { return f.series != nil }))
	}
	return f.series, nil
}

// FormatOf is the format that a file name's ending chooses, whatever its case.
// The error names the file and all endings.
func FormatOf(filename string) (Writer, error) {
	name, err := FormatName(filename)
	if err != nil {
		return nil, err
	}
	return Format(name)
}

// FormatName is the name of the format that a file name's ending chooses: the
// longest ending that fits. The error names the file and all endings.
func FormatName(filename string) (string, error) {
	base := strings.ToLower(filepath.Base(filename))
	best := format{}
	for _, f := range formats() {
		if strings.HasSuffix(base, f.ending) && len(f.ending) > len(best.ending) {
			best = f
		}
	}
	if best.name == "" {
		return "", fmt.Errorf("output %q: its ending names no format: want %s",
			filename, list(func(f format) string { return f.ending }, every))
	}
	return best.name, nil
}

func find(name string) (format, error) {
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("format %q: want %s", name, list(func(f format) string { return f.name }, every))
}

func every(format) bool { return true }

// list names the formats that are wanted, as a, b or c.
func list(text func(format) string, wanted func(format) bool) string {
	var words []string
	for _, f := range formats() {
		if wanted(f) {
			words = append(words, text(f))
		}
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// oneAfterAnother prints documents with an empty line between them.
func oneAfterAnother[D any](write func(io.Writer, D) error) func(io.Writer, []Labelled[D]) error {
	return func(w io.Writer, all []Labelled[D]) error {
		for i := range all {
			if i > 0 {
				if _, err := io.WriteString(w, "\n"); err != nil {
					return err
				}
			}
			if err := write(w, all[i].Doc); err != nil {
				return err
			}
		}
		return nil
	}
}

// unlabelled prints documents in a form that has no place for their labels.
func unlabelled[D any](write func(io.Writer, []D) error) func(io.Writer, []Labelled[D]) error {
	return func(w io.Writer, all []Labelled[D]) error {
		docs := make([]D, len(all))
		for i := range all {
			docs[i] = all[i].Doc
		}
		return write(w, docs)
	}
}
