package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaText is the JSON Schema (draft 2020-12) of a run document.
//
//go:embed schema.json
var schemaText string

// validate checks a JSON text against the schema. The error is the fault that
// comes first in the text.
func validate(text []byte) error {
	schema, err := compileSchema()
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	err = schema.Validate(document)
	var faults *jsonschema.ValidationError
	if errors.As(err, &faults) {
		return firstFault(text, faults)
	}
	return err
}

func compileSchema() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText))
	if err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("run.json", document); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return compiler.Compile("run.json")
}

// firstFault is the fault nearest to the beginning of the text: the validator
// walks objects in no fixed order.
func firstFault(text []byte, faults *jsonschema.ValidationError) error {
	first, at := (*jsonschema.ValidationError)(nil), int64(0)
	for _, fault := range leaves(faults) {
		offset := offsetOf(text, fault.InstanceLocation)
		if first == nil || offset < at {
			first, at = fault, offset
		}
	}
	where := strings.Join(first.InstanceLocation, ".")
	if where == "" {
		where = "the document"
	}
	what := first.DetailedOutput().Error.String()
	return fmt.Errorf("%s: %s: %s", position(text, at), clip(shown(where), 100), clip(shown(what), 200))
}

// leaves are the faults themselves, without the schema's rooms around them.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}
