package report

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// TestPageEscapes plays RC-106: whatever a server or a user says, the page has the
// same elements as with a harmless word, shows the text and obeys none of it.
func TestPageEscapes(t *testing.T) {
	plain := structure(rendered(t, withText(t, "word")))
	for _, evil := range []string{
		"</script><script>alert(1)</script>", "</style><style>*{display:none}", "</title></svg><!--", `"'><img src=x onerror=alert(1)>`,
		"\x00\x01\x1b[2J\x7f\u0085", "\u202etxt.exe\u2066\u200f", "\u2028\u2029", "&lt;&amp;&#60;", "\xff\xfe<p>", "{{.Version}}", "]]>",
	} {
		text := rendered(t, withText(t, evil))
		if err := errors.Join(balanced(text), selfContained(text), visible(text)); err != nil {
			t.Errorf("%q: %v", evil, err)
		}
		if structure(text) != plain {
			t.Errorf("%q: changes the page's elements", evil)
		}
		if root, err := html.Parse(strings.NewReader(text)); err != nil || !strings.Contains(textOf(root), shown(evil)) {
			t.Errorf("%q: is not shown as %s", evil, shown(evil))
		}
	}
}

func textOf(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// TestPageLongTexts: a megabyte of text is cut, not printed.
func TestPageLongTexts(t *testing.T) {
	if n := len(rendered(t, withText(t, strings.Repeat("<é>", 1<<18)))); n > 1<<20 {
		t.Errorf("the page has %d bytes", n)
	}
}

// withText is a run in which every text that can come from outside is text.
func withText(t testing.TB, text string) *Document {
	d := loadRun(t, "overload")
	d.Version, d.Plan.URL, d.Plan.Method, d.Plan.UnixSocket = text, text, text, text
	d.Plan.Header = []plan.Field{{Name: text, Value: text}}
	d.Environment.Client = ClientHost{OS: text, Kernel: text, Go: text}
	d.Environment.Server = ServerHost{Address: []string{text}, Software: text, Protocol: text}
	d.Verdict.Findings = []record.Finding{{Code: text, Text: text}}
	d.Summary.Reasons = map[string]string{"client_timeout": text}
	d.Objectives = []Objective{{Text: text}}
	d.Server = []Server{{Name: text, Host: text, Source: text, Samples: []ServerSample{{T: 1, Cores: 1}, {T: 2, Cores: 1}}}}
	d.Hosts = []Host{{Name: text, Kernel: text, Notes: []string{text}, Lost: &LinkLoss{T: 3, Why: text}}}
	return d
}

// visible is nil if text has no control character but line feeds, and none that
// turns the direction of writing.
func visible(text string) error {
	for _, r := range text {
		if unicode.Is(unicode.Cc, r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0xfffd {
			return fmt.Errorf("holds %U", r)
		}
	}
	return nil
}

// structure is the elements of a page in order, but for those that depend on where
// a line ends.
func structure(text string) string {
	var names []string
	for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
		if name, _ := z.TagName(); len(name) > 0 && string(name) != "div" && string(name) != "span" {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, " ")
}

// TestPageUndefined: a document in which no figure has a value, and one that has
// nothing at all, can be printed in every format that draws.
func TestPageUndefined(t *testing.T) {
	undefined := withText(t, "word")
	blank(reflect.ValueOf(undefined).Elem())
	for name, d := range map[string]*Document{"undefined": undefined, "empty": {Plan: plan.New()}} {
		for format, write := range map[string]Writer{"html": WriteHTML, "svg": WriteSVG, "png": WritePNG, "pdf": WritePDF} {
			var b bytes.Buffer
			if err := write(&b, d); err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
			}
			if text := b.String(); (format == "html" || format == "svg") && (strings.Contains(text, "NaN") || strings.Contains(text, "Inf")) {
				t.Errorf("%s as %s: holds a number that is none", name, format)
			}
		}
	}
}

// blank takes the value from every Number.
func blank(v reflect.Value) {
	if n, ok := v.Addr().Interface().(*record.Number); ok {
		*n = record.Undefined()
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				blank(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			blank(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			blank(v.Elem())
		}
	}
}
