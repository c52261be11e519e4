package plan

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseField(t *testing.T) {
	// RC-049 first.
	for text, want := range map[string]Field{
		"Accept: text/html, application/json;q=0.9": {"Accept", "text/html, application/json;q=0.9"},
		"X: a,b,c":               {"X", "a,b,c"},
		"X-Empty:":               {"X-Empty", ""},
		"x-lower:v":              {"x-lower", "v"},
		"X: \t a b \t":           {"X", "a b"},
		"X: a:b: c":              {"X", "a:b: c"},
		"X: caf\xc3\xa9":         {"X", "caf\xc3\xa9"},
		"Host: www.example.test": {"Host", "www.example.test"},
	} {
		if got, err := ParseField(text); err != nil || got != want {
			t.Errorf("%q is read as %+v (%v), want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"NoColon", "", ":", ": v", "X: a\r\nY: b", "X: a\nb", "X: a\rb", "X: a\x00b", "X: a\x7fb", "X\r\nY: b",
		" X: v", "X : v", "X Y: v", "(X): v", "Ü: v", "Transfer-Encoding: chunked", "transfer-encoding: gzip",
	} {
		if got, err := ParseField(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
	for _, text := range []string{
		"Authorization: Q7J8Q\n", "Authorization Bearer Q7J8Q", " cookie\tQ7J8Q", "Cookie=Q7J8Q", "Authorization Basic Q7J8Q: x",
	} {
		if _, err := ParseField(text); err == nil || shows(err.Error(), "Q7J8Q") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	if _, err := ParseField("X-Name Q7J8Q"); err == nil || !shows(err.Error(), "Q7J8Q") {
		t.Errorf("the error does not show what is wrong: %v", err)
	}
}

func FuzzParseField(f *testing.F) {
	for _, text := range []string{"Accept: a, b", "X-Empty:", "X: a\r\nY: b", "Transfer-Encoding: x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		field, err := ParseField(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(field.Name+field.Value, "\r\n\x00") || strings.ContainsAny(field.Name, " \t:") || field.Name == "" {
			t.Fatalf("%q is read as %+v", text, field)
		}
		if again, err := ParseField(field.Name + ": " + field.Value); err != nil || again != field {
			t.Fatalf("%q is read as %+v, and that as %+v: %v", text, field, again, err)
		}
	})
}

// planOf is a plan of one URL.
func planOf(url string, fields ...Field) *Plan {
	p := New()
	p.URL, p.Header = url, fields
	return p
}

func TestResolve(t *testing.T) {
	p := planOf("http://user:p%40ss@127.0.0.1:8080/a", Field{"X", "1"})
	p.Method, p.Body = "", []byte("body")
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	got := p.Targets[0]
	want := []Field{{"X", "1"}, {"Authorization", "Basic dXNlcjpwQHNz"}}
	if len(p.Targets) != 1 || got.Method != "GET" || string(got.Body) != "body" || !reflect.DeepEqual(got.Header, want) {
		t.Errorf("resolved to %+v", got)
	}
	if len(p.Header) != 1 {
		t.Errorf("the plan's own header became %v", p.Header)
	}

	own := planOf("http://user:pass@h/", Field{"authorization", "Bearer x"})
	if err := own.Resolve(); err != nil || len(own.Targets[0].Header) != 1 {
		t.Errorf("an own Authorization field became %v: %v", own.Targets[0].Header, err)
	}
}

func TestResolveOwnFields(t *testing.T) { // RC-058
	for _, fields := range [][]Field{
		{{"Host", "www.example.test"}}, {{"User-Agent", "x"}}, {{"Connection", "close"}}, {{"Content-Length", "4"}}, {{"content-length", "4"}},
	} {
		p := planOf("http://127.0.0.1/", fields...)
		p.Body = []byte("body")
		if err := p.Resolve(); err != nil || !reflect.DeepEqual(p.Targets[0].Header, fields) || p.Targets[0].URL.Server.Host != "127.0.0.1" {
			t.Errorf("%v: resolved to %+v: %v", fields, p.Targets[0], err)
		}
	}
	for says, fields := range map[string][]Field{
		"header Content-Length: 5":             {{"Content-Length", "5"}},
		"header Content-Length: 04":            {{"Content-Length", "04"}},
		"header Content-Length: given 2 times": {{"Content-Length", "4"}, {"Content-Length", "4"}},
		"header Host: given 2 times":           {{"Host", "a"}, {"host", "b"}},
		"Transfer-Encoding":                    {{"Transfer-Encoding", "chunked"}},
		"header name \"\"":                     {{"", "x"}},
	} {
		p := planOf("http://127.0.0.1/", fields...)
		p.Body = []byte("body")
		if err := p.Resolve(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want it to say %q", fields, err, says)
		}
	}
}

func TestResolveReportsAllFaults(t *testing.T) {
	p := planOf("http://h:0/", Field{"A B", "x"}, Field{"X", "\n"})
	p.Method = "CONNECT"
	err := p.Resolve()
	if err == nil {
		t.Fatal("no fault found")
	}
	for _, says := range []string{"port 0", `method "CONNECT"`, `header name "A B"`, `header X`} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("the fault %q is missing from:\n%v", says, err)
		}
	}
}

func TestResolveTargetsOfAFile(t *testing.T) {
	u, err := ParseURL("http://u:Q7J8Q@h/a")
	if err != nil {
		t.Fatal(err)
	}
	p := planOf("", Field{"X", "plan"})
	p.TargetsFile, p.Body = "targets.txt", []byte("plan")
	p.Targets = []Target{{Method: "POST", URL: u, Header: []Field{{"Y", "own"}}}, {Method: "PUT", URL: u, Body: []byte{}}}
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	first, second := p.Targets[0], p.Targets[1]
	if first.Header[0] != (Field{"X", "plan"}) || first.Header[1] != (Field{"Y", "own"}) || string(first.Body) != "plan" {
		t.Errorf("the first target is %+v", first)
	}
	if len(second.Body) != 0 {
		t.Errorf("an empty body became %q", second.Body)
	}
	if p.TargetOf(0) != 0 || p.TargetOf(1) != 1 || p.TargetOf(2) != 0 {
		t.Error("targets are not dealt in turn")
	}

	p.Header = []Field{{"Host", "a"}, {"Host", "b"}}
	p.Targets = make([]Target, 1000)
	for i := range p.Targets {
		p.Targets[i] = Target{Method: "GET", URL: u}
	}
	err = p.Resolve()
	if err == nil || !strings.Contains(err.Error(), "target 1 of targets.txt, GET http://***@h/a: header Host") || !strings.HasSuffix(err.Error(), "\nand 980 more") {
		t.Errorf("the faults are listed as %v", err)
	}
}

func TestMaskedHidesSecrets(t *testing.T) {
	p := planOf("http://u:Q7J8Q@h/", Field{"Authorization", "Q7J8Q"}, Field{"cookie", "Q7J8Q"}, Field{"PROXY-AUTHORIZATION", "Q7J8Q"}, Field{"X", "kept"})
	p.Body = []byte("Q7J8Q")
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(p.Masked())
	if err != nil || shows(string(document), "Q7J8Q") || !strings.Contains(string(document), "kept") {
		t.Errorf("the document is %s (%v)", document, err)
	}
	if p.Header[0].Value != "Q7J8Q" || p.Targets == nil {
		t.Error("masking changed the plan itself")
	}
	for _, url := range []string{"http://u:p/Q7J8Q@h/", "u:Q7J8Q@h"} { // not well-formed
		if got := planOf(url).Masked().URL; shows(got, "Q7J8Q") {
			t.Errorf("%q is shown as %q", url, got)
		}
	}
}
