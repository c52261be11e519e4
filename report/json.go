package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"ratebench/attack/record"
)

// maxDocument bounds what Read takes in: a run of a day is about 30 MB.
const maxDocument = 256 << 20

// WriteJSON writes the document as indented JSON. It has the same members for
// every run, good or bad: lists and maps are empty, not null, and only figures
// without a value are null.
func WriteJSON(w io.Writer, d *Document) error {
	whole := complete(*d)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(&whole)
}

// complete is d with empty lists and maps in place of absent ones. What d
// points to is not changed.
func complete(d Document) Document {
	s := &d.Summary
	s.TimeoutPhase = orEmpty(s.TimeoutPhase)
	s.Status = orEmpty(s.Status)
	d.Histograms = orEmpty(d.Histograms)
	if d.Verdict.Findings == nil {
		d.Verdict.Findings = []record.Finding{}
	}
	if d.Intervals == nil {
		d.Intervals = []record.Interval{}
	}
	if d.Environment.Server.Address == nil {
		d.Environment.Server.Address = []string{}
	}
	return d
}

func orEmpty[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// Read reads a document that WriteJSON wrote and checks it against the schema,
// its accounts against each other, and its histograms against the counts. An
// error is one line that begins with name and, where a place in the text is to
// blame, its line and column.
func Read(name string, r io.Reader) (*Document, error) {
	name = shown(name)
	text, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	if err := errors.Join(d.Summary.Check(), checkHistograms(d)); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("%s: %s", name, shown(first))
	}
	return d, nil
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the caller's name says it already
	}
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxDocument:
		return nil, fmt.Errorf("longer than %d MiB: not a run document", maxDocument>>20)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, errors.New("empty: want a run document")
	}
	return text, nil
}

// parse reads the JSON text of a document. Errors begin with line:column, or
// with a blank where the decoder does not say where.
func parse(text []byte) (*Document, error) {
	if err := checkSyntax(text); err != nil {
		return nil, err
	}
	if err := checkSchemaName(text); err != nil {
		return nil, err
	}
	if err := validate(text); err != nil {
		return nil, err
	}
	d := new(Document)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, decodingError(text, err)
	}
	return d, nil
}

func checkSyntax(text []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s: not JSON: %w", position(text, syntax.Offset-1), err)
	}
	return err
}

// checkSchemaName looks at the "schema" member alone, because a document of
// another kind or of a later version deserves that word and no list of faults.
func checkSchemaName(text []byte) error {
	var head struct {
		Schema *string `json:"schema"`
	}
	err := json.Unmarshal(text, &head)
	at := position(text, offsetOf(text, []string{"schema"}))
	if err != nil || head.Schema == nil {
		return fmt.Errorf("%s: not a run document: want an object with \"schema\": %q", at, RunSchema)
	}
	kind, version, _ := strings.Cut(*head.Schema, "/v")
	wantKind, wantVersion, _ := strings.Cut(RunSchema, "/v")
	if *head.Schema == RunSchema {
		return nil
	}
	n, err := strconv.ParseUint(version, 10, 32)
	newest, _ := strconv.ParseUint(wantVersion, 10, 32)
	if kind == wantKind && err == nil && n > newest {
		return fmt.Errorf("%s: %s is newer than this program reads, which is %s", at, *head.Schema, RunSchema)
	}
	return fmt.Errorf("%s: schema %q: want %s", at, *head.Schema, RunSchema)
}

// decodingError is an error of values that the schema lets pass, such as a list
// of statuses that is none.
func decodingError(text []byte, err error) error {
	message := clip(shown(err.Error()), 200)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s: %s", position(text, kind.Offset), message)
	}
	return fmt.Errorf(" %s", message)
}
