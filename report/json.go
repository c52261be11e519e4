package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
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
	return writeIndented(w, &whole)
}

func writeIndented(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// complete is d with empty lists and maps in place of absent ones. What d
// points to is not changed.
func complete(d Document) Document {
	s := &d.Summary
	s.TimeoutPhase = orEmpty(s.TimeoutPhase)
	s.Status = orEmpty(s.Status)
	d.Histograms = orEmpty(d.Histograms)
	d.Verdict.Findings = orNone(d.Verdict.Findings)
	d.Intervals = orNone(d.Intervals)
	d.Server, d.Hosts = completeServers(d.Server), completeHosts(d.Hosts)
	d.Environment.Server.Address = orNone(d.Environment.Server.Address)
	return d
}

func completeServers(all []Server) []Server {
	all = orNone(slices.Clone(all))
	for i := range all {
		all[i].Samples = orNone(all[i].Samples)
	}
	return all
}

func completeHosts(all []Host) []Host {
	all = orNone(slices.Clone(all))
	for i := range all {
		all[i].Notes, all[i].Samples = orNone(all[i].Notes), orNone(all[i].Samples)
	}
	return all
}

func orNone[V any](list []V) []V {
	if list == nil {
		return []V{}
	}
	return list
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
	return readRun(name, text)
}

// readRun is Read of a text. name is escaped.
func readRun(name string, text []byte) (*Document, error) {
	d, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	if err := checkAccounts(d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// checkAccounts holds a run's figures against each other. The error is one line.
func checkAccounts(d *Document) error {
	if err := errors.Join(d.Summary.Check(), checkHistograms(d)); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(shown(first))
	}
	return nil
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
	if err := checkForm(text, RunSchema); err != nil {
		return nil, err
	}
	d := new(Document)
	d.Client.CPUUser, d.Client.CPUSystem = record.Undefined(), record.Undefined()
	if err := json.Unmarshal(text, d); err != nil {
		return nil, decodingError(text, err)
	}
	if len(d.Server) == 0 { // its intervals may be of before they had the figure
		for i := range d.Intervals {
			d.Intervals[i].ServerCPU = record.Undefined()
		}
	}
	return d, nil
}

// checkForm checks that a text is JSON and what the schema wants.
func checkForm(text []byte, schema string) error {
	if err := checkSyntax(text); err != nil {
		return err
	}
	if err := checkSchemaName(text, schema); err != nil {
		return err
	}
	return validate(text, schema)
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
func checkSchemaName(text []byte, want string) error {
	var head struct {
		Schema *string `json:"schema"`
	}
	err := json.Unmarshal(text, &head)
	at := position(text, offsetOf(text, []string{"schema"}))
	if err != nil || head.Schema == nil {
		return fmt.Errorf("%s: not a run document: want an object with \"schema\": %q", at, want)
	}
	kind, version, _ := strings.Cut(*head.Schema, "/v")
	wantKind, wantVersion, _ := strings.Cut(want, "/v")
	if *head.Schema == want {
		return nil
	}
	n, err := strconv.ParseUint(version, 10, 32)
	newest, _ := strconv.ParseUint(wantVersion, 10, 32)
	if kind == wantKind && err == nil && n > newest {
		return fmt.Errorf("%s: %s is newer than this program reads, which is %s", at, *head.Schema, want)
	}
	return fmt.Errorf("%s: schema %q: want %s", at, *head.Schema, want)
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
