package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratebench/attack/testserver"
)

// members are the names of everything in a JSON document, joined by dots. What
// a name that is data itself holds, such as a status or an error's class, is
// left out, and so are the elements of lists.
func members(t *testing.T, text string) []string {
	t.Helper()
	var document any
	d := json.NewDecoder(strings.NewReader(text)) // knows neither NaN nor Infinity
	if err := d.Decode(&document); err != nil || d.More() {
		t.Fatalf("not one JSON document: %v\n%s", err, text)
	}
	found := map[string]bool{}
	var collect func(prefix string, v any)
	collect = func(prefix string, v any) {
		object, ok := v.(map[string]any)
		if !ok || slices.Contains([]string{".summary.status", ".summary.error_reasons", ".summary.timeout_phase", ".histograms"}, prefix) {
			return
		}
		for name, value := range object {
			found[prefix+"."+name] = true
			collect(prefix+"."+name, value)
		}
	}
	collect("", document)
	delete(found, ".summary.error_reasons") // only where there are some
	return slices.Sorted(maps.Keys(found))
}

func TestMembersTellsADifference(t *testing.T) {
	a, b := members(t, `{"a":{"b":null},"histograms":{"x":1}}`), members(t, `{"a":{"b":2},"histograms":{}}`)
	if !slices.Equal(a, b) {
		t.Errorf("%q and %q", a, b)
	}
	if slices.Equal(a, members(t, `{"a":{"c":2},"histograms":{}}`)) || slices.Equal(a, members(t, `{"a":null,"histograms":{}}`)) {
		t.Error("another member passes")
	}
}

// TestJSONOfBadRuns plays RC-059: runs in which little or nothing worked have
// the members of a good one, null where nothing is known. A closed port has nobody
// to watch, so that nobody is.
func TestJSONOfBadRuns(t *testing.T) {
	t.Parallel()
	good := rawServer(t, "")
	silent, err := testserver.StartRaw(testserver.RawConfig{Ending: testserver.Ending{How: testserver.Hang}})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed := fmt.Sprintf("http://127.0.0.1:%d/", freePort(t))
	for _, engine := range bothEngines() {
		want := members(t, live(t, "--engine", engine, "--format", "json", "--server", "none", "--rate", "100", "--total", "120", good.URL()).stdout)
		if len(want) < 100 {
			t.Fatalf("%d members only: %q", len(want), want)
		}
		for name, args := range map[string][]string{
			"closed port":  {"--rate", "100", "--total", "20", closed},
			"one request":  {"--rate", "100", "--total", "1", good.URL()},
			"all timeouts": {"--rate", "100", "--total", "20", "--timeout", "300ms", silent.URL()},
		} {
			r := live(t, append(args, "--engine", engine, "--server", "none", "--format", "json")...)
			if got := members(t, r.stdout); !slices.Equal(got, want) {
				t.Errorf("%s, %s: the members are\n%q\nand not\n%q", engine, name, got, want)
			}
			answered := name == "one request"
			if null := strings.Contains(r.stdout, `"p99_s":null`) || strings.Contains(r.stdout, `"p99_s": null`); !null && !answered {
				t.Errorf("%s, %s: no undefined figure: %s", engine, name, r.stdout)
			}
			if (r.status == exitFailed) == answered {
				t.Errorf("%s, %s: status %d, %s", engine, name, r.status, r.stderr)
			}
		}
	}
}

// TestCSVOfAnOddURL plays RC-061: whatever stands in a URL or in a file's name,
// each row has the header's columns and the values come back.
func TestCSVOfAnOddURL(t *testing.T) {
	t.Parallel()
	server, dir := rawServer(t, ""), t.TempDir()
	url := server.URL() + `a,b?x="1"`
	targets := filepath.Join(dir, "=a\n\",\"b;\r.txt")
	put(t, targets, "GET "+url+"\n")
	for column, c := range map[string]struct {
		value string
		args  []string
	}{
		"url": {url, []string{url}}, "targets_file": {targets, []string{"--targets", targets}},
	} {
		for _, format := range []string{"csv", "csv-summary"} {
			text := live(t, append(c.args, "--rate", "1000", "--total", "1100", "--format", format)...).stdout
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll() // refuses rows of other lengths
			if err != nil || len(rows) < 2 {
				t.Fatalf("%s: %v, %d rows of\n%s", format, err, len(rows), text)
			}
			if at := slices.Index(rows[0], column); format == "csv-summary" && (at < 0 || rows[1][at] != c.value) {
				t.Errorf("%s is not %q in %q", column, c.value, rows)
			}
			if strings.Contains(strings.ReplaceAll(text, c.value, ""), "\r\n") {
				t.Errorf("%s: line ends differ: %q", format, text)
			}
		}
	}
	short := live(t, "--rate", "100", "--total", "3", "--format", "csv", url).stdout // not a second long
	if rows, err := csv.NewReader(strings.NewReader(short)).ReadAll(); err != nil || len(rows) < 1 || rows[0][0] != "t_s" {
		t.Errorf("%v: %q", err, short)
	}
}

// TestLocaleOfAProcess plays RC-062: a German or Polish environment changes no
// byte of any format.
func TestLocaleOfAProcess(t *testing.T) {
	t.Parallel()
	saved := "../../testdata/runs/overload.json"
	if _, err := os.Stat(saved); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "httperf", "json", "csv", "csv-summary", "hdr"} {
		texts := map[string]bool{}
		for _, locale := range []string{"C", "de_DE.UTF-8", "pl_PL.UTF-8", "nonsense"} {
			cmd, _ := process(t, "report", saved, "--format", format)
			cmd.Env = append(cmd.Env, "LC_ALL="+locale, "LANG="+locale)
			text, err := cmd.Output()
			if err != nil || len(text) == 0 {
				t.Fatalf("%s, %s: %v", format, locale, err)
			}
			texts[string(text)] = true
		}
		if len(texts) != 1 {
			t.Errorf("%s: %d different reports", format, len(texts))
		}
	}
}
