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
}

func sweepFormats() []savedFormat[*Sweep] {
	return []savedFormat[*Sweep]{
		{"text", ".txt", WriteSweepText},
		{"json", ".json", WriteSweepJSON},
		{"csv", ".csv", WriteSweepCSV},
		{"autobench", ".tsv", WriteAutobench},
	}
}

func capacityFormats() []savedFormat[*Capacity] {
	return []savedFormat[*Capacity]{
		{"text", ".txt", WriteCapacityText},
		{"json", ".json", WriteCapacityJSON},
		{"csv", ".csv", WriteCapacityCSV},
	}
}

func sampleFormats() []savedFormat[*Sample] {
	return []savedFormat[*Sample]{
		{"text", ".txt", WriteSampleSummary},
		{"json", ".json", WriteSample},
	}
}

// SampleFormat is the format of samples called name. The error names all.
func SampleFormat(name string) (func(io.Writer, *Sample) error, error) {
	return named(sampleFormats(), name, "a sample")
}

// SampleFormatOf is the format that a file name's ending chooses. The error names
// all endings.
func SampleFormatOf(filename string) (func(io.Writer, *Sample) error, error) {
	return ended(sampleFormats(), filename, "a sample")
}

// SweepFormat is the format of sweeps called name. The error names all.
func SweepFormat(name string) (func(io.Writer, *Sweep) error, error) {
	return named(sweepFormats(), name, "a sweep")
}

// SweepFormatOf is the format that a file name's ending chooses. The error names
// all endings.
func SweepFormatOf(filename string) (func(io.Writer, *Sweep) error, error) {
	return ended(sweepFormats(), filename, "a sweep")
}

// CapacityFormat is the format of capacity searches called name. The error names all.
func CapacityFormat(name string) (func(io.Writer, *Capacity) error, error) {
	return named(capacityFormats(), name, "a capacity search")
}

// CapacityFormatOf is the format that a file name's ending chooses. The error
// names all endings.
func CapacityFormatOf(filename string) (func(io.Writer, *Capacity) error, error) {
	return ended(capacityFormats(), filename, "a capacity search")
}

func named[D any](formats []savedFormat[D], name, kind string) (func(io.Writer, D) error, error) {
	var names []string
	for _, f := range formats {
		if f.name == name {
			return f.write, nil
		}
		names = append(names, f.name)
	}
	return nil, fmt.Errorf("format %q: want %s for %s", name, alternatives(names), kind)
}

// ended chooses the longest ending that fits.
func ended[D any](formats []savedFormat[D], filename, kind string) (func(io.Writer, D) error, error) {
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
		return nil, fmt.Errorf("output %q: its ending names no format: want %s for %s", filename, alternatives(endings), kind)
	}
	return best.write, nil
}

// alternatives are words as a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
