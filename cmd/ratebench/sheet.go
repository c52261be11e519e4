package main

import (
	"errors"
	"fmt"
	"io"
)

// opened opens the files of a command's outputs. Its error is a usageError that
// holds what else is wrong with the command line too; then nothing is left behind.
func (a *app) opened(paths []string, faults ...error) (*outputs, error) {
	out, unwritable := openOutputs(paths)
	if err := errors.Join(append(faults, unwritable)...); err != nil {
		out.discard()
		return nil, usageError{err}
	}
	a.emergency.add(out.discard)
	return out, nil
}

// sheet is where a document is written and in which forms.
type sheet[D any] struct {
	format  func(io.Writer, D) error   // of standard output
	outputs []string                   // files
	formats []func(io.Writer, D) error // one for each of outputs
}

// readSheet reads the options of outputs. named is the format of a name, of that
// of a file's ending; their errors say what there is.
func readSheet[D any, W ~func(io.Writer, D) error](r *reader, named, of func(string) (W, error)) sheet[D] {
	name := "text"
	r.readText("format", &name)
	format, err := named(name)
	r.faults = append(r.faults, err)
	s := sheet[D]{format: format}
	for _, path := range r.StringSlice("output") {
		switch path {
		case "":
			r.fault("--output \"\": the file's name is missing")
			continue
		case "-":
			r.fault("--output -: standard output gets the report anyway, in the form of --format")
			continue
		}
		format, err := of(path)
		if err != nil {
			r.faults = append(r.faults, err)
			continue
		}
		s.outputs, s.formats = append(s.outputs, path), append(s.formats, format)
	}
	return s
}

// print writes the document to every file and to standard output. One that fails
// does not keep the others from their copy.
func (s *sheet[D]) print(d D, stdout io.Writer, out *outputs) error {
	var errs []error
	for i, format := range s.formats {
		errs = append(errs, out.write(i, func(w io.Writer) error { return format(w, d) }))
	}
	errs = append(errs, out.commit())
	if err := buffered(stdout, func(w io.Writer) error { return s.format(w, d) }); err != nil {
		errs = append(errs, fmt.Errorf("writing the report: %w", err))
	}
	return errors.Join(errs...)
}

// concluded is the error of a command that has tried to print its report: what a
// report says counts for nothing if it could not be written. After an interrupt it
// does, as a terminal that closed takes the report along.
func concluded(unwritten error, interrupted bool, judged error) error {
	if unwritten != nil && !interrupted {
		return unwritten
	}
	return errors.Join(unwritten, judged)
}
