package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// differs is the first line in which got differs from want, empty if none does.
func differs(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		switch {
		case i >= len(g):
			return "-" + w[i]
		case i >= len(w):
			return "+" + g[i]
		case g[i] != w[i]:
			return "-" + w[i] + "\n+" + g[i]
		}
	}
	return ""
}

func TestDiffersTellsADifference(t *testing.T) {
	if d := differs("a\nb\n", "a\nb\n"); d != "" {
		t.Errorf("the same text differs: %s", d)
	}
	for _, other := range []string{"", "a\n", "a\nc\n", "a\nb\nc\n", "a\nb"} {
		if differs("a\nb\n", other) == "" {
			t.Errorf("%q passes for another text", other)
		}
	}
}

func TestHelpGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"help": {"--help"}, "help-serve": {"serve", "--help"}, "help-report": {"report", "-h"}, "help-sample": {"sample", "--help"},
		"help-sweep": {"sweep", "--help"}, "help-capacity": {"capacity", "-h"}, "help-compare": {"compare", "-h"},
	} {
		e := &engine{}
		r := command(t, e, args...)
		if r.status != exitDone || r.stderr != "" || len(e.plans) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
		golden(t, filepath.Join("testdata", name+".txt"), r.stdout)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := differs(got, string(want)); d != "" {
		t.Errorf("%s (go test -run Golden -update writes it anew):\n%s", path, d)
	}
}

// Whatever else stands on the line, who asks for help gets it.
func TestHelpAndVersionComeFirst(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--rtae", "5", "--help"}, {url, "-h", url}, {"--help", "nosuchcommand"}} {
		if r := command(t, &engine{}, args...); r.status != exitDone || !strings.Contains(r.stdout, "--rate RATE") {
			t.Errorf("%q: %+v", args, r)
		}
	}
	r := command(t, &engine{}, "--version")
	if r.status != exitDone || r.stdout != "ratebench "+version()+"\n" {
		t.Errorf("--version: %+v", r)
	}
}

func TestHelpFitsAScreenLine(t *testing.T) {
	for line := range strings.Lines(programHelp(runFlags(), nil)) {
		if len(line) > helpWidth+1 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
