package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// vegetaTargets is what vegeta itself reads.
func vegetaTargets(text string) ([]vegeta.Target, error) {
	tr := vegeta.NewHTTPTargeter(strings.NewReader(text), nil, nil)
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		tr = vegeta.NewJSONTargeter(strings.NewReader(text+"\n"), nil, nil)
	}
	return vegeta.ReadAllTargets(tr)
}

// sameAsVegeta says how targets differ from vegeta's.
func sameAsVegeta(targets []Target, theirs []vegeta.Target) error {
	if len(targets) != len(theirs) {
		return fmt.Errorf("%d targets, vegeta has %d", len(targets), len(theirs))
	}
	for i, t := range targets {
		header := http.Header{}
		for _, f := range t.Header {
			header[f.Name] = append(header[f.Name], f.Value)
		}
		for name, values := range theirs[i].Header {
			if len(values) == 0 {
				delete(theirs[i].Header, name)
			}
		}
		v := theirs[i]
		if t.Method != v.Method || t.URL.Text != v.URL || !bytes.Equal(t.Body, v.Body) || !reflect.DeepEqual(header, v.Header) {
			return fmt.Errorf("target %d is %s, vegeta's is %+v", i, line(t), v)
		}
	}
	return nil
}

func TestSameAsVegetaFindsDifferences(t *testing.T) {
	theirs := func() []vegeta.Target {
		v, err := vegetaTargets("GET http://h/\nX: 1\n")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	u := URL{Text: "http://h/"}
	if err := sameAsVegeta([]Target{{Method: "GET", URL: u, Header: []Field{{"X", "1"}}}}, theirs()); err != nil {
		t.Error(err)
	}
	for _, wrong := range [][]Target{
		{}, {{Method: "PUT", URL: u, Header: []Field{{"X", "1"}}}}, {{Method: "GET", Header: []Field{{"X", "1"}}}},
		{{Method: "GET", URL: u}}, {{Method: "GET", URL: u, Header: []Field{{"X", "1"}}, Body: []byte("x")}},
	} {
		if sameAsVegeta(wrong, theirs()) == nil {
			t.Errorf("%+v passes for vegeta's targets", wrong)
		}
	}
}

// validThere says whether vegeta reads text as requests that are valid here too.
func validThere(text string) bool {
	theirs, err := vegetaTargets(text)
	if err != nil {
		return false
	}
	for _, v := range theirs {
		u, err := ParseURL(v.URL)
		t := Target{Method: v.Method, URL: u, Body: v.Body}
		for name, values := range v.Header {
			for _, value := range values {
				t.Header = append(t.Header, Field{name, value})
			}
		}
		if err != nil || t.check() != nil {
			return false
		}
	}
	return true
}

// What is accepted is valid, and the same requests that vegeta would send; what
// is refused vegeta refuses too, or it would send what is not valid.
func FuzzReadTargets(f *testing.F) {
	for _, text := range []string{
		"GET http://h/a\nX: 1\n# c\nx: 2\n\nPOST http://h/b\n@targets.go\nGET http://h/c",
		"GET http://h/\n# c\nAB : v\n", "GET http://h/\n# c\nGET http://h/\n", "GET http://h/\n \nGET http://u:p@h/\r\nA: b",
		`{"method":"GET","url":"http://h/","header":{"A":["1","2"]},"body":"aGk="}` + "\n\n" + `{"method":"GET","url":"http://h/"}`,
		"{}", "bad", "GET /x", "{\"method\":\"G\\u0045T\",\"url\":\"http://h\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		targets, err := ReadTargets("f", strings.NewReader(text))
		if err != nil {
			if len(targets) > 0 || err.Error() == "" {
				t.Fatalf("%d targets beside an error", len(targets))
			}
			stricter := strings.ContainsAny(text, "{@") || len(text) > maxLine // on purpose: members, body files, long lines
			if !stricter && validThere(text) {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		theirs, err := vegetaTargets(text)
		if err != nil {
			t.Fatalf("vegeta refuses it: %v", err)
		}
		if err := sameAsVegeta(targets, theirs); err != nil {
			t.Fatal(err)
		}
		p := &Plan{Targets: targets, TargetsFile: "f"}
		if err := errors.Join(p.Resolve(), p.validateRequests()); err != nil {
			t.Fatalf("an accepted target is not valid: %v", err)
		}
		for _, target := range p.Targets {
			if u, err := ParseURL(target.URL.Text); err != nil || u.Target != target.URL.Target {
				t.Fatalf("the URL %q reads as %+v: %v", target.URL.Text, u, err)
			}
		}
	})
}

// A file that vegeta's own encoder wrote is read back whole.
func TestReadTargetsThatVegetaWrote(t *testing.T) {
	theirs := []vegeta.Target{
		{Method: "POST", URL: "http://h/\"ü\"", Body: []byte{0, 1, 255}, Header: http.Header{"X": {"a\"b", "c"}, "x": {"d"}}},
		{Method: "GET", URL: "http://h/2", Header: http.Header{}},
	}
	var file bytes.Buffer
	enc := vegeta.NewJSONTargetEncoder(&file)
	for i := range theirs {
		if err := enc(&theirs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid([]byte(strings.Split(file.String(), "\n")[0])) {
		t.Fatal("vegeta wrote no JSON")
	}
	targets, err := ReadTargets("f", &file)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameAsVegeta(targets, theirs); err != nil {
		t.Error(err)
	}
}
