package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func recorded(name string) string { return filepath.Join("..", "..", "testdata", "runs", name+".json") }

func rendered(t *testing.T, name string) string {
	t.Helper()
	return textOf(t, filepath.Join("..", "..", "testdata", "golden", name))
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// printed is why r is not a success that printed want and nothing else; empty if it is.
func printed(r result, want string) string {
	switch {
	case r.status != exitDone:
		return "the status is not that of success"
	case r.stderr != "":
		return "standard error is not empty: " + r.stderr
	case r.stdout != want:
		return "standard output is\n" + r.stdout + "and not\n" + want
	}
	return ""
}

func TestPrintedTellsWhatIsNone(t *testing.T) {
	if why := printed(result{exitDone, "a", ""}, "a"); why != "" {
		t.Error("a success is not recognised:", why)
	}
	for _, r := range []result{{exitFailed, "a", ""}, {exitDone, "b", ""}, {exitDone, "a", "x"}} {
		if printed(r, "a") == "" {
			t.Errorf("%+v passes for a success", r)
		}
	}
}

func TestReportPrints(t *testing.T) {
	steady, overload := recorded("steady"), recorded("overload")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"text":         {[]string{steady}, rendered(t, "steady.txt")},
		"format after": {[]string{overload, "--format", "httperf"}, rendered(t, "overload.httperf")},
		"format first": {[]string{"--format=csv", overload}, rendered(t, "overload.csv")},
		"json":         {[]string{"--format", "json", steady}, textOf(t, steady)},
		"several":      {[]string{steady, overload}, rendered(t, "steady.txt") + "\n" + rendered(t, "overload.txt")},
		"several rows": {[]string{steady, overload, "--format", "csv-summary"},
			rendered(t, "steady.summary.csv") + strings.SplitAfter(rendered(t, "overload.summary.csv"), "\n")[1]},
	} {
		if why := printed(command(t, &engine{}, append([]string{"report"}, c.args...)...), c.want); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

func TestReportReadsStandardInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(textOf(t, recorded("steady"))), stdout: &stdout, stderr: &stderr}
	status := a.run(context.Background(), []string{"report", "-"})
	if why := printed(result{status, stdout.String(), stderr.String()}, rendered(t, "steady.txt")); why != "" {
		t.Error(why)
	}
}

func TestReportWritesFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	r := command(t, &engine{}, "report", recorded("overload"), "-o", at("a.csv"), "-o", at("a.summary.csv"), "--output", at("a.json"))
	if why := printed(r, ""); why != "" {
		t.Error(why)
	}
	r = command(t, &engine{}, "report", recorded("overload"), "-o", at("a.dat"), "--format", "hdr")
	if why := printed(r, ""); why != "" {
		t.Error(why)
	}
	for name, want := range map[string]string{
		"a.csv": rendered(t, "overload.csv"), "a.summary.csv": rendered(t, "overload.summary.csv"),
		"a.json": textOf(t, recorded("overload")), "a.dat": rendered(t, "overload.hdr"),
	} {
		if got := textOf(t, at(name)); got != want {
			t.Errorf("%s holds\n%s", name, got)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	steady := recorded("steady")
	empty, braces, later := at("empty", ""), at("braces", "{}"), at("later", `{"schema": "ratebench.run/v2"}`)
	cut := at("cut", "{\n \"schema\": \"x")
	missing, out := filepath.Join(dir, "missing"), filepath.Join(dir, "out.json")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no file":     {nil, []string{"a file is missing, as in: ratebench report run.json --format csv"}},
		"no such":     {[]string{missing}, []string{`"` + missing + `": no such file or directory`}},
		"a directory": {[]string{dir}, []string{dir + ": is a directory"}},
		"empty":       {[]string{empty}, []string{empty + ": empty: want a run document"}},
		"braces":      {[]string{braces}, []string{braces + `:1:1: not a run document: want an object with "schema": "ratebench.run/v1"`}},
		"later":       {[]string{later}, []string{later + ":1:12: ratebench.run/v2 is newer than this program reads, which is ratebench.run/v1"}},
		"cut":         {[]string{cut}, []string{cut + ":2:13: not JSON: unexpected end of JSON input"}},
		"all at once": {[]string{steady, empty, missing, "--format", "docx"}, []string{
			`format "docx": want text, httperf, json, csv, csv-summary, hdr, html, svg, png or pdf`,
			empty + ": empty: want a run document", `"` + missing + `": no such file or directory`}},
		"format of one": {[]string{steady, "--format", "docx"}, []string{`format "docx": want text, httperf, json, csv, csv-summary, hdr, html, svg, png or pdf`}},
		"ending":        {[]string{steady, "-o", "a.docx"}, []string{`--output: output "a.docx": its ending names no format: want .txt, .httperf, .json, .csv, .summary.csv, .hdr, .html, .svg, .png or .pdf`}},
		"no name":       {[]string{steady, "-o", ""}, []string{`--output "": the file's name is missing`}},
		"several":       {[]string{steady, steady, "-o", out}, []string{`format "json" holds one run: for several want text, httperf, csv-summary, html, svg, png or pdf`}},
		"no room":       {[]string{steady, "-o", filepath.Join(missing, "a.csv")}, []string{`output "` + filepath.Join(missing, "a.csv") + `": no such file or directory`}},
	} {
		e := &engine{}
		if why := refusal(e, command(t, e, append([]string{"report"}, c.args...)...), c.want...); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused report left a file behind")
	}
}

// TestReportOverlays: several runs, and several sweeps, are one page, which calls
// each after its file.
func TestReportOverlays(t *testing.T) {
	out := filepath.Join(t.TempDir(), "page.html")
	for name, files := range map[string][]string{
		"runs": {recorded("steady"), recorded("overload")}, "sweeps": {sweepsFile("knee"), sweepsFile("knee")},
	} {
		if why := printed(command(t, &engine{}, append([]string{"report", "-o", out}, files...)...), ""); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		page := textOf(t, out)
		for i, file := range files {
			if want := string(rune('A'+i)) + " " + filepath.Base(file); !strings.Contains(page, want) {
				t.Errorf("%s: no curve is called %q", name, want)
			}
		}
	}
	text := textOf(t, filepath.Join("..", "..", "testdata", "sweeps", "knee.txt"))
	if why := printed(command(t, &engine{}, "report", sweepsFile("knee"), sweepsFile("knee")), text+"\n"+text); why != "" {
		t.Error(why)
	}
}

func sweepsFile(name string) string {
	return filepath.Join("..", "..", "testdata", "sweeps", name+".json")
}

func TestReportRefusesOverlays(t *testing.T) {
	steady, sweep, search := recorded("steady"), sweepsFile("knee"), sweepsFile("search")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"kinds":         {[]string{steady, sweep}, []string{sweep + ": a sweep cannot stand beside the run in " + steady}},
		"search":        {[]string{search, search}, []string{search + ": a capacity search is printed alone: leave out the other files"}},
		"search beside": {[]string{steady, search}, []string{search + ": a capacity search cannot stand beside the run in " + steady}},
		"picture":       {[]string{search, search, "--format", "html"}, []string{search + ": a capacity search is printed alone: leave out the other files"}},
		"its formats":   {[]string{search, "--format", "autobench"}, []string{`format "autobench": want text, json, csv, html, svg, png or pdf for a capacity search`}},
		"table":         {[]string{sweep, sweep, "--format", "autobench"}, []string{`format "autobench" holds one sweep: for several want text, html, svg, png or pdf`}},
	} {
		e := &engine{}
		if why := refusal(e, command(t, e, append([]string{"report"}, c.args...)...), c.want...); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

// TestReportOfMany: nine documents are too many for a picture, whether they can be read
// or not, and not for a text.
func TestReportOfMany(t *testing.T) {
	steady, out := recorded("steady"), filepath.Join(t.TempDir(), "page.svg")
	const want = "9 files in one picture: at most 8 can be told apart; as text there is no limit"
	for _, file := range []string{steady, filepath.Join(t.TempDir(), "missing.json")} {
		nine := append([]string{"report"}, slices.Repeat([]string{file}, 9)...)
		for _, more := range [][]string{{"-o", out}, {"-o", "a.txt", "-o", out}, {"--format", "html"}, {"-o", "a.txt", "--format", "pdf"}} {
			e := &engine{}
			if why := refusal(e, command(t, e, append(nine, more...)...), want); why != "" {
				t.Errorf("%v: %s", more, why)
			}
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a picture that was refused left a file behind")
	}
	texts := append([]string{"report"}, slices.Repeat([]string{steady}, 9)...)
	one := rendered(t, "steady.txt")
	if why := printed(command(t, &engine{}, texts...), one+strings.Repeat("\n"+one, 8)); why != "" {
		t.Error(why)
	}
}
