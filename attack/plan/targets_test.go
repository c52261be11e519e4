package plan

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// line is a target as one line of text, to compare targets by.
func line(t Target) string {
	s := t.Method + " " + t.URL.Text
	for _, f := range t.Header {
		s += " | " + f.Name + ": " + f.Value
	}
	if t.Body != nil {
		s += fmt.Sprintf(" | body %q", t.Body)
	}
	return s
}

// bodyFile is a file with some bytes, in a directory of the test's own.
func bodyFile(t testing.TB, content string) string {
	path := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadTargets(t *testing.T) {
	body := bodyFile(t, `{"n":1}`)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"simple": {"GET http://h/a\nHEAD http://h/b?x=1\n", []string{"GET http://h/a", "HEAD http://h/b?x=1"}},
		"header": {"GET http://h/a\nX-Id: 7\naccept: a, b\nx-id: 8\nX-Id: 9\n\nDELETE http://h/b\nZ: 1\nA: 2\n",
			[]string{"GET http://h/a | X-Id: 7 | accept: a, b | x-id: 8 | X-Id: 9", "DELETE http://h/b | Z: 1 | A: 2"}},
		"body": {"POST http://h/a\nContent-Type: application/json\n@" + body + "\nPUT http://h/b\n@" + body,
			[]string{`POST http://h/a | Content-Type: application/json | body "{\"n\":1}"`, `PUT http://h/b | body "{\"n\":1}"`}},
		"comments": {"# all\n\n  # of them\nGET http://h/a\n# X: 1\nY: 2\n#\n\nGET http://h/b\n\n\n\n#end", []string{"GET http://h/a | Y: 2", "GET http://h/b"}},
		"blanks":   {"\r\n  GET http://h/a\r\n\t x :  1 2 \r\n   \r\nGET http://h/b\r\n", []string{"GET http://h/a | x: 1 2", "GET http://h/b"}},
		"escapes":  {"PURGE http://h/a%2Fb?q=%20+\nGET http://h/a b\n", []string{"PURGE http://h/a%2Fb?q=%20+", "GET http://h/a b"}},
		"no break": {"GET http://h/a", []string{"GET http://h/a"}},
		"json": {`{"method":"POST","url":"http://h/a","header":{"B":["2","1"],"A":["3"],"c":[]},"body":"aGVsbG8="}` + "\n\n" + `  {"url":"http://h/b","method":"GET"}  ` + "\r\n",
			[]string{`POST http://h/a | A: 3 | B: 2 | B: 1 | body "hello"`, "GET http://h/b"}},
		"json, no break": {" \n" + `{"method":"GET","url":"http://h/ü","header":null,"body":null}`, []string{"GET http://h/ü"}},
	} {
		targets, err := ReadTargets(name, strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, target := range targets {
			got = append(got, line(target))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: read as\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestBodyIsRelativeToTheWorkingDirectory(t *testing.T) {
	t.Chdir(filepath.Dir(bodyFile(t, "here")))
	targets, err := ReadTargets("elsewhere/targets", strings.NewReader("POST http://h/\n@body.json\n"))
	if err != nil || string(targets[0].Body) != "here" {
		t.Errorf("%+v: %v", targets, err)
	}
}

func TestReadTargetsReportsEveryLine(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	for _, c := range []struct {
		text string
		want []string // beginnings of the error's lines
	}{
		{"", []string{"f: no targets"}},
		{" \n\t\n", []string{"f: no targets"}},
		{"# nothing\n", []string{"f: no targets"}},
		{"http://h/\n", []string{`f:1: "http://h/" is not a target: want 'METHOD URL'`}},
		{"GET\n", []string{`f:1: "GET" is not a target`}},
		{"get http://h/\n", []string{`f:1: method "get": want capital letters`}},
		{"CONNECT http://h/\n", []string{`f:1: method "CONNECT"`}},
		{"GET h\nGET http://h:0/\n", []string{`f:1: URL "h": want http://`, `f:2: URL "http://h:0/": port 0`}},
		{"GET  http://h/\n", []string{`f:1: URL " http://h/"`}},
		{"GET /path\n", []string{`f:1: URL "/path": want http://`}},
		{"GET http://h/%zz\nx y: 1\nNoColon\nEmpty:\n: x\nTransfer-Encoding: chunked\n\nGET http://h/\n", []string{
			`f:1: URL "http://h/%zz": "%zz" is not`, `f:2: header name "x y"`, `f:3: header "NoColon": want 'Name: value'`, `f:4: header "Empty:"`, `f:5: header ": x"`,
			"f:6: header Transfer-Encoding"}},
		{"GET http://h/\nX: 1\nGET http://h/b\n", []string{`f:3: "GET http://h/b": a blank line is missing`}},
		{"POST http://h/\n@/no/such/file\n\nPOST http://h/\nContent-Length: 1\n@/no/such/file\nGET h", []string{
			"f:2: body @/no/such/file: no such file", "f:6: body @/no/such/file: no such file", `f:7: URL "h"`}},
		{"POST http://h/\n@/dev/zero\n", []string{"f:2: body @/dev/zero: not a regular file"}},
		{"POST http://h/\n@/\n", []string{"f:2: body @/: not a regular file"}},
		{"GET http://h/\nHost: a\nHost: b\n\nGET http://h/\nContent-Length: 3\n", []string{"f:1: header Host: given 2 times", "f:5: header Content-Length: 3: the body has 0 bytes"}},
		{"GET http://h/" + long + "\nX: 1\n\nGET http://h/\nX: " + long + "\n", []string{"f:1: longer than 65535 bytes", "f:5: longer than 65535 bytes"}},
		{"post http://u:Q7J8Q@h/\nGET http://u:Q7J8Q@h:0/\n\nhttp://u:Q7J8Q@h/ x\n\nGET http://u:Q7J8Q@[fe80::1%l]/\n", []string{
			`f:1: method "post"`, `f:2: URL "http://***@h:0/"`, `f:4: method "http://***@h/"`, `f:6: URL "http://***@[fe80::1%l]/"`}},

		{"GET http://h/\nAuthorization Bearer Q7J8Q\nCookie: \n", []string{`f:2: header "Authorization ***"`, `f:3: header "Cookie ***"`}},

		{"{\n  \"method\": \"GET\"\n}\n", []string{"f:1: not a JSON object on one line", "f:2: not a JSON object", "f:3: not a JSON object"}},
		{"{}\n[]\nnull\n" + `{"method":"GET"}` + "\n" + `{"method":"GET","url":"x","headers":{}}`, []string{
			"f:1: target: required method is missing", "f:2: not a JSON object", "f:3: target: required method", "f:4: target: required url is missing", `f:5: member "headers" is unknown`}},
		{`{"method":"GET","url":"http://h/"} x` + "\n" + `{"method":5,"url":"http://u:Q7J8Q@h/"}` + "\n" + `{"method":"GET","url":"http://h/","body":"*"}` + "\n" + `{"method":"GET","url":"http://h/","header":{"A":"b"}}`, []string{
			"f:1: not a JSON object", "f:2: not a target: parse error", "f:3: not a target: parse error", "f:4: not a target: parse error"}},
		{`{"method":"A B","url":"http://h/"}` + "\n" + `{"method":"GET","url":"http://u:Q7J8Q@h:0/"}` + "\n" + `{"method":"GET","url":"http://h/","header":{"A":["x\ny"],"B C":["x"]}}`, []string{
			`f:1: method "A B"`, `f:2: URL "http://***@h:0/"`, "f:3: header A: value", `f:3: header name "B C"`}},
	} {
		targets, err := ReadTargets("f", strings.NewReader(c.text))
		if err == nil {
			t.Errorf("%.200q is taken for %v", c.text, targets)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = strings.HasPrefix(got[i], c.want[i])
		}
		if !same || shows(err.Error(), "Q7J8Q") {
			t.Errorf("%.200q: the faults are\n%v\nwant\n%s", c.text, err, strings.Join(c.want, "\n"))
		}
	}
}

func TestReadTargetsIsBounded(t *testing.T) {
	const mib = 1 << 20
	if targets, err := readTargets("f", strings.NewReader("GET http://h/\nGET http://h/\n"), 2, mib); len(targets) != 2 {
		t.Errorf("%d targets: %v", len(targets), err)
	}
	body := bodyFile(t, strings.Repeat("x", mib-10))
	if targets, err := readTargets("f", strings.NewReader("POST http://h/\n@"+body+"\nPOST http://h/\n@"+body+"\n"), 2, mib); len(targets) != 2 {
		t.Errorf("%d targets that share a body: %v", len(targets), err)
	}
	other := bodyFile(t, "a few bytes more")
	for says, r := range map[string]io.Reader{
		"f: more than 2 targets":             strings.NewReader(strings.Repeat("GET http://h/\n", 3)),
		"f: larger than 1 MiB":               strings.NewReader(strings.Repeat("#\n", mib)),
		"the bodies of all targets together": strings.NewReader("POST http://h/\n@" + body + "\nPOST http://h/\n@" + other + "\n"),
		"f: timeout":                         iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("GET http://h/"))),
		"f: " + io.ErrUnexpectedEOF.Error():  io.MultiReader(strings.NewReader("GET http://h/\nX"), iotest.ErrReader(io.ErrUnexpectedEOF)),
	} {
		targets, err := readTargets("f", r, 2, mib)
		if err == nil {
			t.Errorf("%d targets, want the fault %q", len(targets), says)
		} else if !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want it to say %q", err, says)
		}
	}
}

func TestReadTargetsListsTwentyFaults(t *testing.T) {
	_, err := ReadTargets("f", strings.NewReader(strings.Repeat("bad\n\n", 1000)))
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != maxFaults+1 || !strings.HasPrefix(lines[19], "f:39: ") || lines[20] != "and 980 more" {
		t.Errorf("%d lines:\n%v", len(lines), err)
	}
}

func ExampleReadTargets() {
	targets, err := ReadTargets("targets.txt", strings.NewReader(`
# look, then buy
GET http://127.0.0.1:8080/items?page=2
Accept: text/html, text/plain

POST http://127.0.0.1:8080/orders
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range targets {
		fmt.Println(t.Method, t.URL.Target, t.Header)
	}
	_, err = ReadTargets("bad.txt", strings.NewReader("get http://127.0.0.1/\n\nGET http://127.0.0.1:0/\n"))
	fmt.Println(err)
	// Output:
	// GET /items?page=2 [{Accept text/html, text/plain}]
	// POST /orders []
	// bad.txt:1: method "get": want capital letters
	// bad.txt:3: URL "http://127.0.0.1:0/": port 0: want 1 to 65535
}
