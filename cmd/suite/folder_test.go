package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/report"
)

func kept() *Suite {
	rate, _ := plan.ParseRate("10")
	return &Suite{
		Name: "n", SHA256: strings.Repeat("ab", 32), Repeat: 6, Timeout: plan.DefaultTimeout,
		Servers: []Server{{Name: "../../etc/passwd", URL: "http://h/"}, {Name: "ü/..", URL: "http://i/"}},
		Loads:   []Load{{Name: "100/s", Rate: rate, Total: 10, Arrivals: plan.Uniform}},
	}
}

// made is a document of a trial.
func made(t *testing.T, s *Suite, trial Trial) *report.Document {
	t.Helper()
	p := s.Plan(trial)
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	r := record.New(p, 1, nil, nil)
	r.Start(time.Now())
	run := r.Finish(0, true)
	record.Judge(p, run)
	return report.New("v", report.ClientHost{OS: "linux/amd64", Cores: 1, Go: "go"}, p, run)
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := kept()
	trials := s.Trials()
	head := s.Head()
	head.Version = "v"
	f, err := OpenFolder(dir, s, head, false)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := f.Load(trials[0]); d != nil || err != nil {
		t.Errorf("%v, %v before there is one", d, err)
	}
	for _, trial := range trials[:2] {
		if err := f.Save(trial, made(t, s, trial)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenFolder(dir, s, head, true); err == nil || !strings.Contains(err.Error(), "another ratebench is at work") {
		t.Errorf("a second one: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".trial-1.tmp"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f.Close()
	later := head
	later.Version = "w"
	if f, err = OpenFolder(dir, s, later, true); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Head.Version != "v" {
		t.Errorf("the beginning is forgotten: %+v", f.Head)
	}
	if d, err := f.Load(trials[1]); err != nil || d.Plan.Seed != trials[1].Seed {
		t.Errorf("%v, %v", d, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 { // two trials and the head
		t.Errorf("%v", entries)
	}
	if outside, _ := filepath.Glob(filepath.Join(dir, "..", "*")); len(outside) != 1 {
		t.Errorf("a name led elsewhere: %v", outside)
	}
}

// What is not the trial that its name says, or no document, is not taken for one.
func TestFolderRefusesOtherDocuments(t *testing.T) {
	s := kept()
	trials := s.Trials()
	f, err := OpenFolder(t.TempDir(), s, s.Head(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Save(trials[0], made(t, s, trials[2])); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Load(trials[0]); err == nil {
		t.Error("another block's trial passes")
	}
	for _, text := range []string{"", "{", "{}", `{"schema":"ratebench.run/v1"}`} {
		if err := os.WriteFile(f.path(trials[1]), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(trials[1]); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}

func TestFolderRefusesOtherSuites(t *testing.T) {
	dir := t.TempDir()
	s := kept()
	f, err := OpenFolder(dir, s, s.Head(), true) // nothing to go on with: it begins
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for want, change := range map[string]func(*Head){
		"holds the trials of another suite":    func(h *Head) { h.SHA256 = "00" },
		"its trials were made without --quick": func(h *Head) { h.Quick = true },
		"its trials were made without --aa":    func(h *Head) { h.AA = true },
		"its trials are of 6 blocks, not 7":    func(h *Head) { h.Repeat = 7 },
	} {
		head := s.Head()
		change(&head)
		if _, err := OpenFolder(dir, s, head, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := OpenFolder(dir, s, s.Head(), false); err == nil || !strings.Contains(err.Error(), "--resume goes on") {
		t.Errorf("without resume: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, headFile), []byte(`{"schema":"x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(dir, s, s.Head(), true); err == nil {
		t.Error("a head of another kind passes")
	}
}
