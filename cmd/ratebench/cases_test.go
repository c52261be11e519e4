package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// areas are the public cases that the tests of one run have to play, by area.
func areas() map[string]string {
	return map[string]string{
		"protocol parsing":         "RC-001 RC-002 RC-004 RC-005 RC-007 RC-008 RC-010 RC-011 RC-013 RC-014",
		"connection life cycle":    "RC-016 RC-017 RC-019 RC-020",
		"timeouts & errors":        "RC-022 RC-023 RC-025 RC-026 RC-028 RC-029",
		"rate & schedule accuracy": "RC-031 RC-032 RC-034 RC-035 RC-037 RC-038",
		"latency statistics":       "RC-040 RC-041 RC-043 RC-044 RC-046 RC-047",
		"CLI & input validation":   "RC-049 RC-050 RC-052 RC-053 RC-055 RC-056 RC-058",
		"output formats":           "RC-059 RC-061 RC-062 RC-064 RC-065",
		"resource limits":          "RC-085 RC-086",
		"CPU sampling":             "RC-067 RC-068 RC-070 RC-071 RC-073 RC-074 RC-076",
		"SSH":                      "RC-077 RC-079 RC-080 RC-082 RC-083",
		"signals & interrupts":     "RC-088 RC-089 RC-091",
		"TLS":                      "RC-092 RC-094 RC-095",
		"HTTP/2":                   "RC-097 RC-098",
		"DNS/IPv6":                 "RC-100 RC-101 RC-103 RC-104",
	}
}

// unplayed are the cases of ids that none of texts names.
func unplayed(ids string, texts []string) []string {
	return slices.DeleteFunc(strings.Fields(ids), func(id string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, id) })
	})
}

// testFiles are the texts of all tests of the module but this file.
func testFiles(t *testing.T) (texts []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || entry.Name() == "cases_test.go" && filepath.Base(filepath.Dir(path)) == "ratebench" {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestEveryCaseIsPlayed(t *testing.T) {
	texts := testFiles(t)
	for area, ids := range areas() {
		for _, id := range unplayed(ids, texts) {
			t.Errorf("%s: no test names %s", area, id)
		}
	}
}

func TestUnplayedTellsWhatIsMissing(t *testing.T) {
	texts := []string{"// RC-001", "plays RC-002 and RC-003"}
	if got := unplayed("RC-001 RC-002 RC-003", texts); len(got) != 0 {
		t.Errorf("%q are missing", got)
	}
	if got := unplayed("RC-001 RC-004", texts); !slices.Equal(got, []string{"RC-004"}) {
		t.Errorf("%q are missing, not RC-004", got)
	}
}
