package report

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func rendered(t testing.TB, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// balanced is nil if every element of an HTML text is closed where it must be.
func balanced(text string) error {
	void := []string{"meta", "link", "br"}
	var open []string
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Errorf("%q is not closed", open)
			}
			return nil
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains(void, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return fmt.Errorf("</%s> within %q", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// selfContained is nil if nothing in an HTML text can make a browser fetch or run
// anything.
func selfContained(text string) error {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return err
	}
	var faults []error
	for n := range root.Descendants() {
		faults = append(faults, reaching(n))
	}
	return errors.Join(faults...)
}

// reaching is the fault of a node that reaches beyond the page.
func reaching(n *html.Node) error {
	if n.Type == html.TextNode && n.Parent.Data == "style" {
		for _, word := range []string{"url(", "@import", "//", "\\", "<"} {
			if strings.Contains(n.Data, word) {
				return fmt.Errorf("style holds %s", word)
			}
		}
	}
	if n.Type != html.ElementNode {
		return nil
	}
	if slices.Contains([]string{"script", "iframe", "object", "embed", "base", "form", "img", "image", "use", "a", "foreignobject", "animate", "set"}, n.Data) {
		return fmt.Errorf("element %s", n.Data)
	}
	for _, a := range n.Attr {
		address := slices.Contains([]string{"href", "src", "srcset", "xlink:href", "action", "data", "poster", "style", "ping"}, a.Key)
		refresh := a.Key == "http-equiv" && !strings.EqualFold(a.Val, "Content-Security-Policy")
		if address && a.Val != "data:," || strings.HasPrefix(a.Key, "on") || refresh || strings.Contains(a.Val, "url(") {
			return fmt.Errorf("%s %s=%q", n.Data, a.Key, a.Val)
		}
	}
	return nil
}

func TestPageHelpersFail(t *testing.T) {
	for _, bad := range []string{"<p>", "<p></b></p>", "</p>", "<svg><path></svg>"} {
		if balanced(bad) == nil {
			t.Errorf("%s: passes as balanced", bad)
		}
	}
	for _, bad := range []string{
		"<script>1</script>", "<link href='a.css'>", "<style>@import 'a'</style>", "<style>p{background:url(a)}</style>",
		"<p onclick='x()'>", "<img src='data:,'>", "<svg><use xlink:href='#a'/></svg>", "<svg><rect fill='url(#a)'/></svg>",
		"<meta http-equiv='refresh' content='1'>", "<a href='http://a/'>a</a>",
	} {
		if selfContained(bad) == nil {
			t.Errorf("%s: passes as self-contained", bad)
		}
	}
	if structure("<p>a</p><p>b</p>") == structure("<p>a</p>") || visible("<p>a\u202eb\x1b</p>") == nil {
		t.Error("another structure or a hidden character passes")
	}
}

// TestPages: the page of every recorded run is well-formed, alone, and has no
// number that is none.
func TestPages(t *testing.T) {
	for name, d := range simulatedRuns() {
		text := rendered(t, d)
		if err := errors.Join(balanced(text), selfContained(text), visible(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := strings.Count(text, "<svg "); n != 4 || !strings.Contains(text, "default-src 'none'") {
			t.Errorf("%s: %d pictures, want 4, and a policy", name, n)
		}
	}
}

// TestPageGolden holds the words of pages, without pictures and style.
func TestPageGolden(t *testing.T) {
	for _, name := range []string{"steady", "overload", "one-request", "all-refused", "interrupted", "hostile", "closed"} {
		golden(t, name+".page.txt", []byte(words(t, rendered(t, loadRun(t, name)))))
	}
}

// words are the texts of a page outside pictures and style, those of a row of a
// table on one line.
func words(t testing.TB, text string) string {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Data == "svg" || n.Data == "style" {
			return
		}
		if line := strings.Join(strings.Fields(n.Data), " "); n.Type == html.TextNode && line != "" {
			b.WriteString(line + " ")
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if slices.Contains([]string{"h1", "h2", "p", "li", "tr", "div", "pre", "title", "footer", "summary"}, n.Data) && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString("\n")
		}
	}
	walk(root)
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// TestDrawnAgain: the same document is the same page, picture and file.
func TestDrawnAgain(t *testing.T) {
	for name, write := range map[string]Writer{"html": WriteHTML, "svg": WriteSVG, "pdf": WritePDF} {
		var one, two bytes.Buffer
		if err := errors.Join(write(&one, loadRun(t, "hostile")), write(&two, loadRun(t, "hostile"))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s differs the second time", name)
		}
	}
}

// TestDamagedHistogram: what cannot be drawn is an error that names it.
func TestDamagedHistogram(t *testing.T) {
	for name, write := range map[string]Writer{"html": WriteHTML, "svg": WriteSVG, "png": WritePNG, "pdf": WritePDF} {
		d := loadRun(t, "steady")
		d.Histograms["service"] = "x"
		if err := write(&bytes.Buffer{}, d); err == nil || !strings.Contains(err.Error(), "histogram service") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
