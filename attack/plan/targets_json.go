package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// jsonLine takes the next line of the json format.
func (f *targetsFile) jsonLine(line string) {
	line = strings.TrimSpace(line)
	if line == "" {
		return
	}
	t, err := jsonTarget(line)
	if err != nil {
		f.fault(f.line, err)
		return
	}
	f.add(f.line, t)
}

// jsonTarget reads one target object.
func jsonTarget(line string) (Target, error) {
	if err := checkMembers(line); err != nil {
		return Target{}, err
	}
	var v vegeta.Target
	// Vegeta loses a last line without a line break, so there always is one.
	if err := vegeta.NewJSONTargeter(strings.NewReader(line+"\n"), nil, nil).Decode(&v); err != nil {
		return Target{}, jsonFault(err)
	}
	u, err := ParseURL(v.URL)
	if err != nil {
		return Target{}, err
	}
	t := Target{Method: v.Method, URL: u, Body: v.Body}
	for name, values := range v.Header {
		for _, value := range values {
			t.Header = append(t.Header, Field{name, value})
		}
	}
	slices.SortStableFunc(t.Header, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return t, nil
}

// checkMembers refuses what vegeta's schema of a target does not have: its
// reader would pass over a misspelt member.
func checkMembers(line string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		return fmt.Errorf("not a JSON object on one line: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "method", "url", "header", "body":
		default:
			return fmt.Errorf("member %q is unknown: want method, url, header or body", name)
		}
	}
	return nil
}

// jsonFault says what vegeta found wrong, without the line that its parser
// quotes, which may hold a password.
func jsonFault(err error) error {
	if errors.Is(err, vegeta.ErrNoMethod) || errors.Is(err, vegeta.ErrNoURL) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), " of '")
	return fmt.Errorf("not a target: %s", text)
}
