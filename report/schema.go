package report

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The JSON Schemas (draft 2020-12) of the documents; those of all others
// refer to that of a run.
var (
	//go:embed schema.json
	schemaText string
	//go:embed sweep.schema.json
	sweepSchemaText string
	//go:embed capacity.schema.json
	capacitySchemaText string
	//go:embed sample.schema.json
	sampleSchemaText string
	//go:embed compare.schema.json
	compareSchemaText string
)

// validate checks a JSON text against the schema called name. The error is the
// fault that comes first in the text.
func validate(text []byte, name string) error {
	schema, err := compileSchema(name)
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

func compileSchema(name string) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for url, text := range map[string]string{
		schemaURL(RunSchema): schemaText, schemaURL(SweepSchema): sweepSchemaText, schemaURL(CapacitySchema): capacitySchemaText,
		schemaURL(SampleSchema): sampleSchemaText, schemaURL(CompareSchema): compareSchemaText,
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
		if err := compiler.AddResource(url, document); err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
	}
	return compiler.Compile(schemaURL(name))
}

// schemaURL is the $id of a schema, under which others refer to it:
// ratebench.run/v1 is https://ratebench.invalid/run-v1.json.
func schemaURL(name string) string {
	kind, version, _ := strings.Cut(strings.TrimPrefix(name, "ratebench."), "/")
	return "https://ratebench.invalid/" + kind + "-" + version + ".json"
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
