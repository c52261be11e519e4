package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func readFromRoot(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// blockFault is what is wrong with a console block: the first line in which
// its commands, run in turn, print something else than stands there.
func blockFault(t *testing.T, block string) string {
	t.Helper()
	got := ""
	for line := range strings.Lines(block) {
		command, found := strings.CutPrefix(line, "$ ratebench ")
		if !found {
			continue
		}
		r := commandLineOf(t, command)
		got += line + r.stdout + r.stderr
	}
	return differs(got, block)
}

func commandLineOf(t *testing.T, line string) result {
	t.Helper()
	return command(t, &engine{}, strings.Fields(line)...)
}

func TestReadmeBlocksPrintWhatTheySay(t *testing.T) {
	blocks := consoleBlock.FindAllStringSubmatch(readFromRoot(t, "README.md"), -1)
	if len(blocks) == 0 {
		t.Error("README.md has no console block")
	}
	for _, b := range blocks {
		if fault := blockFault(t, b[1]); fault != "" {
			t.Errorf("README.md: %s", fault)
		}
	}
	if blockFault(t, "$ ratebench --rtae 5 "+url+"\nnothing\n") == "" {
		t.Error("a block with another output passes")
	}
}

var optionWord = regexp.MustCompile("`(--?[a-z0-9A-Z][a-z0-9-]*)")

// strangers are the options that text names and none of the commands has.
func strangers(text string, program *cli.App) []string {
	known := map[string]bool{"--help": true}
	flags := program.Flags
	for _, c := range program.Commands {
		flags = append(flags, c.Flags...)
	}
	for _, f := range flags {
		for _, name := range f.Names() {
			known["-"+name], known["--"+name] = true, true
		}
	}
	var found []string
	for _, m := range optionWord.FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			found = append(found, m[1])
		}
	}
	return found
}

func TestReadmeNamesTheOptions(t *testing.T) {
	readme, program := readFromRoot(t, "README.md"), (&app{}).program()
	if found := strangers(readme, program); len(found) > 0 {
		t.Errorf("README.md names options that do not exist: %q", found)
	}
	if found := strangers("`--rate` and `--rtae 5`", program); fmt.Sprint(found) != "[--rtae]" {
		t.Errorf("of --rate and --rtae %q do not exist", found)
	}
	for _, f := range runFlags() {
		name := f.Names()[0]
		if name != "version" && !strings.Contains(readme, "-"+name) && !strings.Contains(readme, "-"+f.Names()[len(f.Names())-1]+" ") {
			t.Errorf("README.md does not name --%s", name)
		}
	}
}

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readFromRoot(t, "README.md"), "\n"); n >= 250 {
		t.Errorf("README.md has %d lines, want fewer than 250", n)
	}
}

// Each direct dependency has its reason in the README.
func TestReadmeGivesReasons(t *testing.T) {
	readme := strings.Join(strings.Fields(readFromRoot(t, "README.md")), " ")
	for _, module := range direct(readFromRoot(t, "go.mod")) {
		if !strings.Contains(readme, " "+module+" (") {
			t.Errorf("README.md gives no reason for %s", module)
		}
	}
}

var required = regexp.MustCompile(`(?m)^(?:require )?\s*([a-zA-Z0-9.-]+\.[a-z]+/\S+) v\S+$`)

// direct are the modules that a go.mod requires itself.
func direct(mod string) []string {
	var modules []string
	for _, m := range required.FindAllStringSubmatch(mod, -1) {
		modules = append(modules, m[1])
	}
	return modules
}

func TestDirect(t *testing.T) {
	mod := "module m\n\ngo 1.26\n\nrequire (\n\tgithub.com/a/b v1.0.0\n\tgolang.org/x/c v0.1.0 // indirect\n)\n\nrequire example.org/d v1.2.3\n"
	if got := fmt.Sprint(direct(mod)); got != "[github.com/a/b example.org/d]" {
		t.Errorf("%s", got)
	}
}
