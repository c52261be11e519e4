package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"ratebench/report"
)

// reportCommand is "ratebench report FILE…": saved runs printed again.
func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "print what was saved again, in any format",
		ArgsUsage: "FILE…",
		Description: "FILE is what was saved as JSON (-o run.json) by a run, a sweep, a capacity search, a comparison or a\n" +
			"sample, or - for standard input. Several runs, or several sweeps, are drawn over each other as html, svg, png or\n" +
			"pdf (at most 8) and printed one after the other as text or httperf; runs are also rows of one csv-summary.",
		Flags: []cli.Flag{
			value("", "format", "print as `FORMAT`: text, httperf, json, csv, csv-summary, hdr, html, svg, png or pdf (default: what the ending of --output says, else text)"),
			list("", "output", "write to `FILE` instead of standard output; repeatable", "o"),
		},
		Action: reportSaved,
	}
}

// A printer prints what was read, in one format.
type printer func(io.Writer) error

// reportSaved checks the options and reads every file before it writes anything.
func reportSaved(c *cli.Context) error {
	files, outputs := c.Args().Slice(), c.StringSlice("output")
	if len(files) == 0 {
		return usageError{errors.New("a file is missing, as in: ratebench report run.json --format csv")}
	}
	if err := tooMany(c, files, outputs); err != nil {
		return usageError{err}
	}
	saved, readErr := readSaved(files, c.App.Reader)
	printers, formatErr := printers(c, outputs, saved)
	if err := errors.Join(formatErr, readErr); err != nil {
		return usageError{err}
	}
	if len(outputs) == 0 {
		return printers[0](c.App.Writer)
	}
	return writeReports(outputs, printers)
}

// tooMany refuses more files than one picture can show, before it is worth reading them.
func tooMany(c *cli.Context, files, outputs []string) error {
	if len(files) <= report.MaxOverlaid {
		return nil
	}
	names := []string{c.String("format")}
	if !c.IsSet("format") {
		for _, path := range outputs {
			name, _ := report.FormatName(path) // an ending that names none is found out later
			names = append(names, name)
		}
	}
	for _, name := range names {
		if slices.Contains([]string{"html", "svg", "png", "pdf"}, name) {
			return fmt.Errorf("%d files in one picture: at most %d can be told apart; as text there is no limit", len(files), report.MaxOverlaid)
		}
	}
	return nil
}

// printers print into the outputs in turn, or to standard output if there are
// none. The error is every fault of the options.
func printers(c *cli.Context, outputs []string, saved []savedFile) ([]printer, error) {
	if len(outputs) == 0 {
		name := "text"
		if c.IsSet("format") {
			name = c.String("format")
		}
		print, err := named(name, saved)
		return []printer{print}, err
	}
	var all []printer
	var faults []error
	for _, path := range outputs {
		print, err := outputPrinter(c, path, saved)
		all, faults = append(all, print), append(faults, err)
	}
	return all, errors.Join(faults...)
}

// outputPrinter prints in the format that --format or, without it, path's ending chooses.
func outputPrinter(c *cli.Context, path string, saved []savedFile) (printer, error) {
	switch {
	case path == "":
		return nil, errors.New("--output \"\": the file's name is missing")
	case c.IsSet("format"):
		return named(c.String("format"), saved)
	}
	return ended(path, saved)
}

// named prints in the format called name.
func named(name string, saved []savedFile) (printer, error) {
	switch s := saved[0]; {
	case s.Sweep != nil && len(saved) > 1:
		write, err := report.SweepSeriesFormat(name)
		return func(w io.Writer) error { return write(w, sweepsOf(saved)) }, err
	case s.Sweep != nil:
		write, err := report.SweepFormat(name)
		return func(w io.Writer) error { return write(w, s.Sweep) }, err
	case s.Capacity != nil:
		write, err := report.CapacityFormat(name)
		return func(w io.Writer) error { return write(w, s.Capacity) }, err
	case s.Sample != nil:
		write, err := report.SampleFormat(name)
		return func(w io.Writer) error { return write(w, s.Sample) }, err
	case s.Comparison != nil:
		write, err := report.CompareFormat(name)
		return func(w io.Writer) error { return write(w, s.Comparison) }, err
	}
	write, err := reportWriter(name, len(saved))
	return func(w io.Writer) error { return write(w, runsOf(saved)) }, err
}

// ended prints in the format that the ending of path chooses.
func ended(path string, saved []savedFile) (printer, error) {
	switch s := saved[0]; {
	case s.Sweep != nil && len(saved) > 1:
		write, err := report.SweepSeriesFormatOf(path)
		return func(w io.Writer) error { return write(w, sweepsOf(saved)) }, err
	case s.Sweep != nil:
		write, err := report.SweepFormatOf(path)
		return func(w io.Writer) error { return write(w, s.Sweep) }, err
	case s.Capacity != nil:
		write, err := report.CapacityFormatOf(path)
		return func(w io.Writer) error { return write(w, s.Capacity) }, err
	case s.Sample != nil:
		write, err := report.SampleFormatOf(path)
		return func(w io.Writer) error { return write(w, s.Sample) }, err
	case s.Comparison != nil:
		write, err := report.CompareFormatOf(path)
		return func(w io.Writer) error { return write(w, s.Comparison) }, err
	}
	name, err := report.FormatName(path)
	if err != nil {
		return nil, fmt.Errorf("--output: %w", err)
	}
	return named(name, saved)
}

func runsOf(saved []savedFile) []report.Labelled[*report.Document] {
	runs := make([]report.Labelled[*report.Document], len(saved))
	for i, s := range saved {
		runs[i] = report.Labelled[*report.Document]{Label: s.path, Doc: s.Run}
	}
	return runs
}

func sweepsOf(saved []savedFile) []report.Labelled[*report.Sweep] {
	sweeps := make([]report.Labelled[*report.Sweep], len(saved))
	for i, s := range saved {
		sweeps[i] = report.Labelled[*report.Sweep]{Label: s.path, Doc: s.Sweep}
	}
	return sweeps
}

func reportWriter(name string, runs int) (report.SeriesWriter, error) {
	if runs > 1 {
		return report.SeriesFormat(name)
	}
	write, err := report.Format(name)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, all []report.Labelled[*report.Document]) error { return write(w, all[0].Doc) }, nil
}

// savedFile is a document and the file that it came from.
type savedFile struct {
	*report.Saved
	path string
}

// readSaved reads all files; the error is that of every file that is no document, or
// if all are, that they cannot stand beside each other.
func readSaved(files []string, stdin io.Reader) ([]savedFile, error) {
	var all []savedFile
	var faults []error
	for _, path := range files {
		saved, err := readFrom(path, stdin)
		if err != nil {
			saved = &report.Saved{} // a run, for what is wrong with the options
		}
		all, faults = append(all, savedFile{saved, path}), append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return all, err
	}
	return all, oneKind(all)
}

// oneKind refuses documents that cannot be compared: each that is of another kind than
// the first, or the first if nothing can stand beside its kind.
func oneKind(all []savedFile) error {
	if first := all[0]; len(all) > 1 && first.Run == nil && first.Sweep == nil {
		return fmt.Errorf("%s: a %s is printed alone: leave out the other files", shown(first.path), first.Kind())
	}
	var faults []error
	for _, s := range all {
		if first := all[0]; s.Kind() != first.Kind() {
			faults = append(faults, fmt.Errorf("%s: a %s cannot stand beside the %s in %s", shown(s.path), s.Kind(), first.Kind(), shown(first.path)))
		}
	}
	return errors.Join(faults...)
}

func readFrom(path string, stdin io.Reader) (*report.Saved, error) {
	if path == "-" {
		return report.ReadSaved("standard input", stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	return report.ReadSaved(path, f)
}

// writeReports writes into files that appear whole or not at all.
func writeReports(paths []string, printers []printer) error {
	files, err := openOutputs(paths)
	if err != nil {
		return usageError{err}
	}
	defer files.discard()
	for i, print := range printers {
		if err := files.write(i, print); err != nil {
			return err
		}
	}
	return files.commit()
}
