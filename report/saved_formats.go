package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// savedFormat is a format of documents other than runs.
type savedFormat[D any] struct {
	name, ending string
	write        func(io.Writer, D) error
	series       func(io.Writer, []Labelled[D]) error // nil if the format holds one document
}

func sweepFormats() []savedFormat[*Sweep] {
	return []savedFormat[*Sweep]{
		{"text", ".txt", WriteSweepText, oneAfterAnother(WriteSweepText)},
		{"json", ".json", WriteSweepJSON, nil},
		{"csv", ".csv", WriteSweepCSV, nil},
		{"autobench", ".tsv", WriteAutobench, nil},
		{"html", ".html", paged(sweepPage), paged(sweepsPage)},
		{"svg", ".svg", pictured(sweepPicture, (*picture).svg), pictured(sweepsPicture, (*picture).svg)},
		{"png", ".png", pictured(sweepPicture, (*picture).png), pictured(sweepsPicture, (*picture).png)},
		{"pdf", ".pdf", pictured(sweepPicture, (*picture).pdf), pictured(sweepsPicture, (*picture).pdf)},
	}
}

func capacityFormats() []savedFormat[*Capacity] {
	return []savedFormat[*Capacity]{
		{"text", ".txt", WriteCapacityText, nil},
		{"json", ".json", WriteCapacityJSON, nil},
		{"csv", ".csv", WriteCapacityCSV, nil},
		{"html", ".html", paged(capacityPage), nil},
		{"svg", ".svg", pictured(capacityPicture, (*picture).svg), nil},
		{"png", ".png", pictured(capacityPicture, (*picture).png), nil},
		{"pdf", ".pdf", pictured(capacityPicture, (*picture).pdf), nil},
	}
}

func sampleFormats() []savedFormat[*Sample] {
	return []savedFormat[*Sample]{
		{"text", ".txt", WriteSampleSummary, nil},
		{"json", ".json", WriteSample, nil},
	}
}

// SampleFormat is the format of samples called name. The error names all.
func SampleFormat(name string) (func(io.Writer, *Sample) error, error) {
	f, err := named(sampleFormats(), name, "a sample")
	return f.write, err
}

// SampleFormatOf is the format that a file name's ending chooses. The error names
// all endings.
func SampleFormatOf(filename string) (func(io.Writer, *Sample) error, error) {
	f, err := ended(sampleFormats(), filename, "a sample")
	return f.write, err
}

// SweepFormat is the format of sweeps called name. The error names all.
func SweepFormat(name string) (func(io.Writer, *Sweep) error, error) {
	f, err := named(sweepFormats(), name, "a sweep")
	return f.write, err
}

// SweepFormatOf is the format that a file name's ending chooses. The error names
// all endings.
func SweepFormatOf(filename string) (func(io.Writer, *Sweep) error, error) {
	f, err := ended(sweepFormats(), filename, "a sweep")
	return f.write, err
}

// SweepSeriesFormat is the format called name for several sweeps in one output. The
// error names those that can.
func SweepSeriesFormat(name string) (func(io.Writer, []Labelled[*Sweep]) error, error) {
	f, err := named(sweepFormats(), name, "a sweep")
	if err != nil {
		return nil, err
	}
	return severalSweeps(f)
}

// SweepSeriesFormatOf is the same by a file name's ending.
func SweepSeriesFormatOf(filename string) (func(io.Writer, []Labelled[*Sweep]) error, error) {
	f, err := ended(sweepFormats(), filename, "a sweep")
	if err != nil {
		return nil, err
	}
	return severalSweeps(f)
}

func severalSweeps(f savedFormat[*Sweep]) (func(io.Writer, []Labelled[*Sweep]) error, error) {
	if f.series != nil {
		return f.series, nil
	}
	var names []string
	for _, other := range sweepFormats() {
		if other.series != nil {
			names = append(names, other.name)
		}
	}
	return nil, fmt.Errorf("format %q holds one sweep: for several want %s", f.name, alternatives(names))
}

// CapacityFormat is the format of capacity searches called name. The error names all.
func CapacityFormat(name string) (func(io.Writer, *Capacity) error, error) {
	f, err := named(capacityFormats(), name, "a capacity search")
	return f.write, err
}

// CapacityFormatOf is the format that a file name's ending chooses. The error
// names all endings.
func CapacityFormatOf(filename string) (func(io.Writer, *Capacity) error, error) {
	f, err := ended(capacityFormats(), filename, "a capacity search")
	return f.write, err
}

func named[D any](formats []savedFormat[D], name, kind string) (savedFormat[D], error) {
	var names []string
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return savedFormat[D]{}, fmt.Errorf("format %q: want %s for %s", name, alternatives(names), kind)
}

// ended chooses the longest ending that fits.
func ended[D any](formats []savedFormat[D], filename, kind string) (savedFormat[D], error) {
	base := strings.ToLower(filepath.Base(filename))
	var best savedFormat[D]
	var endings []string
	for _, f := range formats {
		endings = append(endings, f.ending)
		if strings.HasSuffix(base, f.ending) && len(f.ending) > len(best.ending) {
			best = f
		}
	}
	if best.write == nil {
		return best, fmt.Errorf("output %q: its ending names no format: want %s for %s", filename, alternatives(endings), kind)
	}
	return best, nil
}

// alternatives are words as a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
