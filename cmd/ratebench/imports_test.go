package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// room is a package, with those below it, and what it may import of this
// module. The longest that fits a package is its room.
type room struct {
	path    string
	imports []string
}

func rooms() []room {
	return []room{
		{"ratebench/cmd", []string{"ratebench"}},
		{"ratebench/report", []string{"ratebench/report", "ratebench/attack/search", "ratebench/attack/record", "ratebench/attack/plan", "ratebench/sampler"}},
		{"ratebench/sampler", []string{"ratebench/sampler"}},
		{"ratebench/attack", []string{"ratebench/attack"}},
		{"ratebench/attack/epoll", []string{"ratebench/attack/epoll", "ratebench/attack/record", "ratebench/attack/wire", "ratebench/attack/plan"}},
		{"ratebench/attack/nethttp", []string{"ratebench/attack/nethttp", "ratebench/attack/record", "ratebench/attack/wire", "ratebench/attack/plan"}},
		{"ratebench/attack/search", []string{"ratebench/attack/search", "ratebench/attack/record", "ratebench/attack/plan"}},
		{"ratebench/attack/record", []string{"ratebench/attack/record", "ratebench/attack/plan"}},
		{"ratebench/attack/wire", []string{"ratebench/attack/wire", "ratebench/attack/plan"}},
		{"ratebench/attack/plan", []string{"ratebench/attack/plan"}},
		{"ratebench/attack/testserver", []string{"ratebench/attack/testserver"}},
	}
}

// owners are the modules that one room alone may import.
func owners() map[string]string {
	return map[string]string{
		"github.com/tsenart/vegeta":  "ratebench/attack",
		"github.com/shirou/gopsutil": "ratebench/sampler",
		"github.com/urfave/cli":      "ratebench/cmd",
		"github.com/goccy/go-yaml":   "ratebench/cmd/suite",
	}
}

func within(path, room string) bool {
	return path == room || strings.HasPrefix(path, room+"/")
}

func roomOf(path string) (found room, ok bool) {
	for _, r := range rooms() {
		if within(path, r.path) && len(r.path) > len(found.path) {
			found, ok = r, true
		}
	}
	return found, ok
}

// violations are the imports that run the wrong way. Each line is a package
// and what it imports.
func violations(lines []string) []string {
	var found []string
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		home, ok := roomOf(words[0])
		if !ok {
			found = append(found, words[0]+" has no room")
			continue
		}
		for _, imported := range words[1:] {
			if !allowed(home, words[0], imported) {
				found = append(found, fmt.Sprintf("%s imports %s", words[0], imported))
			}
		}
	}
	return found
}

func allowed(home room, path, imported string) bool {
	for module, owner := range owners() {
		if within(imported, module) && !within(path, owner) {
			return false
		}
	}
	if !within(imported, "ratebench") {
		return true
	}
	for _, may := range home.imports {
		if within(imported, may) {
			return true
		}
	}
	return false
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "ratebench/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 5 {
		t.Fatalf("go list names %d packages only", len(lines))
	}
	for _, v := range violations(lines) {
		t.Error(v)
	}
}

func TestViolationsAreFound(t *testing.T) {
	for line, bad := range map[string]bool{
		"ratebench/cmd/ratebench ratebench/attack ratebench/report github.com/urfave/cli/v2": false,
		"ratebench/attack ratebench/attack/nethttp ratebench/attack/record":                  false,
		"ratebench/attack/nethttp github.com/tsenart/vegeta/v12/lib ratebench/attack/plan":   false,
		"ratebench/sampler github.com/shirou/gopsutil/v3/cpu":                                false,
		"ratebench/report ratebench/attack/record":                                           false,
		"ratebench/report ratebench/attack":                                                  true,
		"ratebench/report ratebench/attack/nethttp":                                          true,
		"ratebench/report github.com/tsenart/vegeta/v12/lib":                                 true,
		"ratebench/attack ratebench/sampler":                                                 true,
		"ratebench/attack ratebench/report":                                                  true,
		"ratebench/attack/record ratebench/report":                                           true,
		"ratebench/attack/nethttp ratebench/attack/epoll":                                    true,
		"ratebench/attack/nethttp ratebench/attack":                                          true,
		"ratebench/attack/plan ratebench/attack/record":                                      true,
		"ratebench/attack/epoll github.com/shirou/gopsutil/v3/cpu":                           true,
		"ratebench/sampler ratebench/attack/record":                                          true,
		"ratebench/report github.com/urfave/cli/v2":                                          true,
		"ratebench/cmd/suite github.com/goccy/go-yaml/parser ratebench/report":               false,
		"ratebench/cmd/ratebench github.com/goccy/go-yaml":                                   true,
		"ratebench/elsewhere fmt":                                                            true,
	} {
		if got := violations([]string{line}); (len(got) > 0) != bad {
			t.Errorf("%s: %q", line, got)
		}
	}
}
