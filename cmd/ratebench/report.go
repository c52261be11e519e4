package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"ratebench/report"
)

// reportCommand is "ratebench report FILE…": saved runs printed again.
func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "print saved runs again, in any format",
		ArgsUsage: "FILE…",
		Description: "FILE is a run saved as JSON (-o run.json), or - for standard input. Several runs are\n" +
			"printed one after the other as text or httperf, or as rows of one csv-summary.",
		Flags: []cli.Flag{
			value("", "format", "print as `FORMAT`: text, httperf, json, csv, csv-summary or hdr (default: what the ending of --output says, else text)"),
			list("", "output", "write to `FILE` instead of standard output; repeatable", "o"),
		},
		Action: reportRuns,
	}
}

// reportRuns checks the options and reads every file before it writes anything.
func reportRuns(c *cli.Context) error {
	files, outputs := c.Args().Slice(), c.StringSlice("output")
	if len(files) == 0 {
		return usageError{errors.New("a file is missing, as in: ratebench report run.json --format csv")}
	}
	writers, formatErr := reportWriters(c, outputs, len(files))
	runs, readErr := readRuns(files, c.App.Reader)
	if err := errors.Join(formatErr, readErr); err != nil {
		return usageError{err}
	}
	if len(outputs) == 0 {
		return writers[0](c.App.Writer, runs)
	}
	return writeReports(outputs, writers, runs)
}

// reportWriters are the writers of the outputs in turn, or that of standard
// output if there are none. The error is every fault of the options.
func reportWriters(c *cli.Context, outputs []string, runs int) ([]report.SeriesWriter, error) {
	if len(outputs) == 0 {
		name := "text"
		if c.IsSet("format") {
			name = c.String("format")
		}
		write, err := reportWriter(name, runs)
		return []report.SeriesWriter{write}, err
	}
	var writers []report.SeriesWriter
	var faults []error
	for _, path := range outputs {
		write, err := outputWriter(c, path, runs)
		writers, faults = append(writers, write), append(faults, err)
	}
	return writers, errors.Join(faults...)
}

// outputWriter is the writer that --format or, without it, path's ending chooses.
func outputWriter(c *cli.Context, path string, runs int) (report.SeriesWriter, error) {
	if path == "" {
		return nil, errors.New("--output \"\": the file's name is missing")
	}
	name := c.String("format")
	if !c.IsSet("format") {
		var err error
		if name, err = report.FormatName(path); err != nil {
			return nil, fmt.Errorf("--output: %w", err)
		}
	}
	return reportWriter(name, runs)
}

func reportWriter(name string, runs int) (report.SeriesWriter, error) {
	if runs > 1 {
		return report.SeriesFormat(name)
	}
	write, err := report.Format(name)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, all []*report.Document) error { return write(w, all[0]) }, nil
}

// readRuns reads all files; the error is that of every file that is not a run.
func readRuns(files []string, stdin io.Reader) ([]*report.Document, error) {
	var runs []*report.Document
	var faults []error
	for _, path := range files {
		run, err := readRun(path, stdin)
		runs, faults = append(runs, run), append(faults, err)
	}
	return runs, errors.Join(faults...)
}

func readRun(path string, stdin io.Reader) (*report.Document, error) {
	if path == "-" {
		return report.Read("standard input", stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	return report.Read(path, f)
}

// writeReports writes the runs into files that appear whole or not at all.
func writeReports(paths []string, writers []report.SeriesWriter, runs []*report.Document) error {
	files, err := openOutputs(paths)
	if err != nil {
		return usageError{err}
	}
	defer files.discard()
	for i, write := range writers {
		err := files.write(i, func(w io.Writer) error { return write(w, runs) })
		if err != nil {
			return err
		}
	}
	return files.commit()
}
