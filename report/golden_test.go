package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record testdata/runs and render testdata/golden again")

// golden compares got with the file testdata/golden/name, or writes it under
// -update. A difference fails the test with a diff.
func golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("..", "testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, path, got)
}

// compare compares got with the content of a file.
func compare(t testing.TB, path string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v (go test ./report -update makes it)", err)
		return
	}
	if d := diff(path, string(want), string(got)); d != "" {
		t.Errorf("output differs:\n%s", d)
	}
}

// diff is one hunk of a unified diff around all that differs, empty if nothing does.
func diff(name, want, got string) string {
	if want == got {
		return ""
	}
	const context = 3
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	head := common(a, b)
	slices.Reverse(a)
	slices.Reverse(b)
	tail := min(common(a, b), len(a)-head, len(b)-head)
	slices.Reverse(a)
	slices.Reverse(b)
	start := max(head-context, 0)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ got\n@@ line %d @@\n", name, start+1)
	prefixed(&out, " ", a[start:head])
	prefixed(&out, "-", a[head:len(a)-tail])
	prefixed(&out, "+", b[head:len(b)-tail])
	prefixed(&out, " ", a[len(a)-tail:min(len(a)-tail+context, len(a))])
	return out.String()
}

func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func prefixed(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		if line != "" {
			fmt.Fprintf(out, "%s%s\n", mark, strings.TrimSuffix(line, "\n"))
		}
	}
}

func TestDiff(t *testing.T) {
	check := func(want, got, out string) {
		t.Helper()
		if d := diff("f", want, got); d != out {
			t.Errorf("diff(%q, %q) = %q, want %q", want, got, d, out)
		}
	}
	check("", "", "")
	check("a\nb\n", "a\nb\n", "")
	check("a\nb\nc\n", "a\nx\nc\n", "--- f\n+++ got\n@@ line 1 @@\n a\n-b\n+x\n c\n")
	check("a\n", "a\na\n", "--- f\n+++ got\n@@ line 1 @@\n a\n+a\n")
	check("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n", "--- f\n+++ got\n@@ line 2 @@\n 2\n 3\n 4\n-5\n")
}

// failures is a testing.TB that notes failures and goes on.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.n++ }

// TestCompareFails holds the golden helper to failing on a difference and on a
// file that is not there.
func TestCompareFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "want")
	if err := os.WriteFile(path, []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]int{"a\n": 0, "b\n": 1, "a": 1, "": 1} {
		f := &failures{TB: t}
		compare(f, path, []byte(content))
		if f.n != want {
			t.Errorf("compare with %q failed %d times, want %d", content, f.n, want)
		}
	}
	f := &failures{TB: t}
	compare(f, path+".missing", nil)
	if f.n != 1 {
		t.Errorf("compare with a missing file failed %d times, want 1", f.n)
	}
}

// textFormats are the formats that are read line by line. Those that draw have
// goldens of their own.
func textFormats() []format {
	drawn := []string{"html", "svg", "png", "pdf"}
	return slices.DeleteFunc(formats(), func(f format) bool { return slices.Contains(drawn, f.name) })
}

// TestGoldens renders every recorded run in every format of text. A run as JSON is
// the recording itself.
func TestGoldens(t *testing.T) {
	for _, name := range runNames() {
		d := loadRun(t, name)
		for _, f := range textFormats() {
			t.Run(name+f.ending, func(t *testing.T) {
				var b bytes.Buffer
				if err := f.write(&b, d); err != nil {
					t.Fatal(err)
				}
				if f.name == "json" {
					compare(t, runPath(name), b.Bytes())
					return
				}
				golden(t, name+f.ending, b.Bytes())
			})
		}
	}
}

// TestLocale plays RC-062: no format looks at the locale.
func TestLocale(t *testing.T) {
	for _, locale := range []string{"C", "de_DE.UTF-8", "pl_PL.UTF-8"} {
		t.Setenv("LC_ALL", locale)
		t.Setenv("LANG", locale)
		t.Setenv("LC_NUMERIC", locale)
		for _, f := range textFormats() {
			var b bytes.Buffer
			if err := f.write(&b, loadRun(t, "overload")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("..", "testdata", "golden", "overload"+f.ending)
			if f.name == "json" {
				path = runPath("overload")
			}
			compare(t, path, b.Bytes())
		}
	}
}
