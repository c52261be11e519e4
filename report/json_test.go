package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

func steadyText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(runPath("steady"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadRefuses(t *testing.T) {
	whole := steadyText(t)
	change := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("the recorded run does not hold %q", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for _, c := range []struct{ what, text, want string }{
		{"nothing", "", "f: empty: want a run document"},
		{"blanks", " \n\t", "f: empty: want a run document"},
		{"an empty object", "{}", `f:1:1: not a run document: want an object with "schema": "ratebench.run/v1"`},
		{"an array", "\n []", `f:2:2: not a run document: want an object with "schema": "ratebench.run/v1"`},
		{"null", "null", `f:1:1: not a run document: want an object with "schema": "ratebench.run/v1"`},
		{"a schema that is no text", `{"schema": 1}`, `f:1:12: not a run document: want an object with "schema": "ratebench.run/v1"`},
		{"another tool's", `{"schema": "vegeta/v1"}`, `f:1:12: schema "vegeta/v1": want ratebench.run/v1`},
		{"another kind", `{"schema":"ratebench.sweep/v1"}`, `f:1:11: schema "ratebench.sweep/v1": want ratebench.run/v1`},
		{"a later version", change("ratebench.run/v1", "ratebench.run/v2"), "f:2:13: ratebench.run/v2 is newer than this program reads, which is ratebench.run/v1"},
		{"a version 0", change("ratebench.run/v1", "ratebench.run/v0"), `f:2:13: schema "ratebench.run/v0": want ratebench.run/v1`},
		{"schema alone", `{"schema": "ratebench.run/v1"}`, "f:1:1: the document: missing properties"},
		{"half a document", whole[:len(whole)/2], "not JSON: unexpected end of JSON input"},
		{"a document and more", whole + "{}", "not JSON: invalid character '{' after top-level value"},
		{"no JSON", "requests 5", "f:1:1: not JSON: invalid character 'r' looking for beginning of value"},
		{"NaN", change(`"warmup_s": 0`, `"warmup_s": NaN`), "f:12:17: not JSON: invalid character 'N' looking for beginning of value"},
		{"a count below 0", change(`"unsent": 0`, `"unsent": -1`), ": summary.unsent: minimum: got -1, want 0"},
		{"a count that is text", change(`"unsent": 0`, `"unsent": "0"`), ": summary.unsent: got string, want integer"},
		{"a fraction of a request", change(`"unsent": 0`, `"unsent": 0.5`), ": summary.unsent: got number, want integer"},
		{"an unexpected member", change(`"unsent": 0`, `"unsent": 0, "extra\u001b": 1`), `: summary: additional properties 'extra\x1b' not allowed`},
		{"a member too few", change(`"unsent": 0,`, ``), ": summary: missing property 'unsent'"},
		{"no plan", change(`"tls": {`, `"tls": null, "sources": {`), ": plan.tls: got null, want object"},
		{"a rate beyond all", change(`"rate_per_s": 1000,`, `"rate_per_s": 1e12,`), ": plan.rate_per_s: maximum: got "},
		{"a rate that no plan has", change(`"rate_per_s": 1000,`, `"rate_per_s": 1e-9,`), ": plan.rate_per_s: minimum: got "},
		{"a timeout of 300 years", change(`"timeout_s": 5`, `"timeout_s": 1e10`), ": plan.timeout_s: maximum: got "},
		{"statuses that are none", change(`"expect": "200-399"`, `"expect": "ok"`), `f: "ok" is not a status`},
		{"a date that is none", change(`"2026-11-30T`, `"2026-31-30T`), ": started_at: "},
		{"a request lost", change(`"unsent": 0`, `"unsent": 1`), "f: accounts: planned 12000 ≠"},
		{"a histogram cut short", change(`"response": "HISTF`, `"response": "ISTF`), "f: histogram response: "},
		{"a histogram lost", change(`"response": "HISTF`, `"tls": "HISTF`), "f: histogram response: missing"},
	} {
		_, err := Read("f", strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%s: read without an error, want %q", c.what, c.want)
			continue
		}
		if got := err.Error(); !strings.Contains(got, c.want) || !strings.HasPrefix(got, "f:") || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("%s: error %q, want one line that begins with f: and holds %q", c.what, got, c.want)
		}
	}
}

// TestReadDirectory opens a directory as a file, which fails only when it is read.
func TestReadDirectory(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Read("runs", f); err == nil || err.Error() != "runs: is a directory" {
		t.Errorf("error %v, want runs: is a directory", err)
	}
}

func TestReadNameIsEscaped(t *testing.T) {
	_, err := Read("a\nb\x1b[2J", strings.NewReader("{}"))
	if err == nil || !strings.HasPrefix(err.Error(), `a\nb\x1b[2J:1:1: `) {
		t.Errorf("error %q, want the name escaped", err)
	}
}

// TestReadPrefixes cuts a document at every place: never a panic, always an error.
func TestReadPrefixes(t *testing.T) {
	whole := strings.TrimSpace(steadyText(t))
	for i := 0; i < len(whole); i += 41 {
		if _, err := Read("f", strings.NewReader(whole[:i])); err == nil {
			t.Fatalf("the first %d bytes were read without an error", i)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(steadyText(f))
	f.Add(`{"schema": "ratebench.run/v1"}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read("f", strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		for _, format := range formats() {
			if err := format.write(io.Discard, d); err != nil {
				t.Errorf("%s: %v", format.name, err)
			}
		}
	})
}

// TestSchemaKnowsEveryMember fills every member of a document, so that one that
// is added to a struct and not to the schema is found.
func TestSchemaKnowsEveryMember(t *testing.T) {
	d := new(Document)
	fill(reflect.ValueOf(d).Elem())
	d.Schema = RunSchema
	d.Plan = plan.New()
	fill(reflect.ValueOf(d.Plan).Elem())
	d.Plan.Arrivals, d.Plan.Family = plan.Poisson, 6
	d.Plan.Timestamps, d.Plan.Priority = plan.TimestampsUser, plan.PriorityHigh
	d.Plan.Rate, _ = plan.ParseRate("2.5")
	d.Verdict.Status, d.Verdict.Findings[0].Status = record.Suspect, record.Invalid
	d.Summary.TimeoutPhase = map[string]uint64{"wait": 1}
	d.Summary.Reasons = map[string]string{"stale": "x"}
	d.Summary.Status = map[string]uint64{"200": 1}
	d.Intervals[0].ByClass = map[string]uint64{"tls": 1}
	d.Histograms = map[string]string{"response": "AA=="}
	var b bytes.Buffer
	if err := WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes(), RunSchema); err != nil {
		t.Errorf("%v in\n%s", err, b.String())
	}
	unknown := strings.Replace(b.String(), `"version"`, `"new": 1, "version"`, 1)
	if err := validate([]byte(unknown), RunSchema); err == nil {
		t.Error("a member that the schema does not know passed")
	}
}

// fill sets everything below v that is a number, text, list or struct to
// something that is not left out of JSON.
func fill(v reflect.Value) {
	if !v.CanSet() || v.Type() == reflect.TypeOf(time.Time{}) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint64, reflect.Uint8:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// TestSameMembers plays RC-059: a run in which nothing worked has the members of
// a good one, none of them NaN.
func TestSameMembers(t *testing.T) {
	p := plan.New()
	p.Rate, _ = plan.ParseRate("1")
	var b bytes.Buffer
	if err := WriteJSON(&b, &Document{Schema: RunSchema, Plan: p, Verdict: record.Verdict{Status: record.Valid}}); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes(), RunSchema); err != nil {
		t.Errorf("a document of nothing: %v", err)
	}
	want := members(t, []byte(steadyText(t)))
	for _, name := range runNames() {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "runs", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		want, got := want, members(t, text)
		if name == "closed" { // its plan has another measure of the load, and a closed loop alone has processing
			got = regexp.MustCompile(`(?m)^\.summary\.time\.processing\..*\n`).ReplaceAllString(got, "")
			want = strings.Replace(strings.Replace(want, ".plan.rate_per_s\n", "", 1), ".plan.deadline_s\n", ".plan.concurrency\n.plan.deadline_s\n", 1)
		}
		if d := diff(name, want, got); d != "" {
			t.Errorf("members differ from those of a steady run:\n%s", d)
		}
	}
	if d := diff("", want, members(t, []byte(`{"schema": 1}`))); d == "" {
		t.Error("a document without members passed for a whole one")
	}
}

// members lists the paths of a document, down to maps whose keys are data.
func members(t *testing.T, text []byte) string {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var paths []string
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		object, isObject := v.(map[string]any)
		if !isObject || prefix == ".histograms" || prefix == ".summary.status" {
			paths = append(paths, prefix)
			return
		}
		for key, value := range object {
			if key != "error_reasons" && key != "server" && key != "hosts" { // there for some runs only
				walk(prefix+"."+key, value)
			}
		}
	}
	walk("", document)
	return strings.Join(sorted(paths), "\n")
}

// fullDisk is a writer that takes n bytes.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (w *fullDisk) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, errFull
	}
	w.left -= len(p)
	return len(p), nil
}

// TestFullDisk holds that every format returns the error of a write.
func TestFullDisk(t *testing.T) {
	d := loadRun(t, "steady")
	for _, f := range formats() {
		if err := f.write(&fullDisk{100}, d); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", f.name, err, errFull)
		}
		if f.series == nil {
			continue
		}
		if err := f.series(&fullDisk{100}, []Labelled[*Document]{{"a", d}, {"b", d}}); !errors.Is(err, errFull) {
			t.Errorf("%s, several: error %v, want %v", f.name, err, errFull)
		}
	}
}
