package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// Saved is a document that was written as JSON: one of the five is not nil.
type Saved struct {
	Run        *Document
	Sweep      *Sweep
	Capacity   *Capacity
	Sample     *Sample
	Comparison *Comparison
}

// Kind is the document's kind in a word.
func (s *Saved) Kind() string {
	switch {
	case s.Sweep != nil:
		return "sweep"
	case s.Capacity != nil:
		return "capacity search"
	case s.Sample != nil:
		return "sample"
	case s.Comparison != nil:
		return "comparison"
	}
	return "run"
}

// ReadSaved reads a document of any kind, as Read does that of a run.
func ReadSaved(name string, r io.Reader) (*Saved, error) {
	name = shown(name)
	text, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	saved := &Saved{}
	switch schemaOf(text) {
	case SweepSchema:
		saved.Sweep, err = readSweep(name, text)
	case CapacitySchema:
		saved.Capacity, err = readCapacity(name, text)
	case CompareSchema:
		saved.Comparison, err = readComparison(name, text)
	case SampleSchema:
		saved.Sample = new(Sample)
		err = readForm(name, text, SampleSchema, saved.Sample)
	default:
		saved.Run, err = readRun(name, text)
	}
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// schemaOf is what a text calls its schema, empty if it does not.
func schemaOf(text []byte) string {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) != nil {
		return ""
	}
	return head.Schema
}

func readSweep(name string, text []byte) (*Sweep, error) {
	s := new(Sweep)
	if err := readForm(name, text, SweepSchema, s); err != nil {
		return nil, err
	}
	if err := s.Steps.Validate(); err != nil {
		return nil, fmt.Errorf("%s: steps: %s", name, shown(err.Error()))
	}
	for i := range s.Runs {
		if err := checkAccounts(s.Runs[i].Run); err != nil {
			return nil, fmt.Errorf("%s: run %d: %w", name, i+1, err)
		}
	}
	return s, nil
}

func readCapacity(name string, text []byte) (*Capacity, error) {
	c := new(Capacity)
	if err := readForm(name, text, CapacitySchema, c); err != nil {
		return nil, err
	}
	for i := range c.Runs {
		if err := checkAccounts(c.Runs[i].Run); err != nil {
			return nil, fmt.Errorf("%s: run of trial %d: %w", name, c.Runs[i].Trial, err)
		}
	}
	return c, nil
}

// readForm reads a text of the given schema into to.
func readForm(name string, text []byte, schema string, to any) error {
	err := checkForm(text, schema)
	if err == nil {
		if err = json.Unmarshal(text, to); err != nil {
			err = decodingError(text, err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	return nil
}

// WriteSweepJSON writes the sweep as WriteJSON does a run.
func WriteSweepJSON(w io.Writer, s *Sweep) error {
	whole := *s
	whole.Runs = make([]SweepRun, len(s.Runs))
	for i, r := range s.Runs {
		run := complete(*r.Run)
		r.Run = &run
		whole.Runs[i] = r
	}
	return writeIndented(w, &whole)
}

// WriteCapacityJSON writes the search as WriteJSON does a run.
func WriteCapacityJSON(w io.Writer, c *Capacity) error {
	whole := *c
	whole.Runs = make([]CapacityRun, len(c.Runs))
	for i, r := range c.Runs {
		run := complete(*r.Run)
		r.Run = &run
		whole.Runs[i] = r
	}
	return writeIndented(w, &whole)
}
