package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// content is what a directory holds: names and, of regular files, contents.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		found[e.Name()] = ""
		if e.Type().IsRegular() {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found[e.Name()] = string(text)
		}
	}
	return found
}

// onlyHas says whether dir holds a file called name with this text and nothing else.
func onlyHas(t *testing.T, dir, name, text string) bool {
	t.Helper()
	found := content(t, dir)
	got, ok := found[name]
	return ok && got == text && len(found) == 1
}

func TestOnlyHasTellsADifference(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"), "x")
	if !onlyHas(t, dir, "a", "x") {
		t.Error("the file that is there is not seen")
	}
	if onlyHas(t, dir, "a", "y") || onlyHas(t, dir, "b", "x") {
		t.Error("another text or name passes")
	}
	put(t, filepath.Join(dir, ".hidden.tmp"), "")
	if onlyHas(t, dir, "a", "x") {
		t.Error("a file left over passes")
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, paths ...string) *outputs {
	t.Helper()
	o, err := openOutputs(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.discard)
	return o
}

func say(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// RC-065: an old file stays as it was until the new one is whole.
func TestOutputsAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	put(t, path, "old")
	o := opened(t, path)
	if err := o.write(0, say("new")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir)["r.json"]; got != "old" {
		t.Errorf("before commit the file holds %q", got)
	}
	if err := o.commit(); err != nil {
		t.Fatal(err)
	}
	o.discard() // as callers defer it
	if !onlyHas(t, dir, "r.json", "new") {
		t.Errorf("after commit the directory holds %q", content(t, dir))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is now %v", info.Mode().Perm())
	}
}

func TestDiscardLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "r.json"), "old")
	o := opened(t, filepath.Join(dir, "r.json"), filepath.Join(dir, "new.json"))
	if err := o.write(0, say("half")); err != nil {
		t.Fatal(err)
	}
	o.discard()
	if err := o.commit(); err != nil {
		t.Fatal(err)
	}
	if !onlyHas(t, dir, "r.json", "old") {
		t.Errorf("the directory holds %q", content(t, dir))
	}
}

func TestFailedOutputIsGivenUp(t *testing.T) {
	dir := t.TempDir()
	bad, good := filepath.Join(dir, "bad"), filepath.Join(dir, "good")
	o := opened(t, bad, good)
	boom := errors.New("boom")
	err := o.write(0, func(w io.Writer) error { _ = say("half")(w); return boom })
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), bad) {
		t.Errorf("the error is %v", err)
	}
	if err := errors.Join(o.write(1, say("whole")), o.commit()); err != nil {
		t.Error(err)
	}
	if !onlyHas(t, dir, "good", "whole") {
		t.Errorf("the directory holds %q", content(t, dir))
	}
}

func TestFullDisk(t *testing.T) {
	o := opened(t, "/dev/full")
	err := o.write(0, say("x"))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
}

func TestDevicesAndPipesAreWrittenDirectly(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() { // ends when the writer closes
		text, _ := os.ReadFile(fifo)
		read <- string(text)
	}()
	o := opened(t, fifo, "/dev/null")
	if err := errors.Join(o.write(0, say("through")), o.write(1, say("away")), o.commit()); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("the pipe carried %q", got)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatal("/dev/null is no device any more")
	}
}

func TestLinksStayLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real"), "old")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	o := opened(t, link)
	if err := errors.Join(o.write(0, say("new")), o.commit()); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "real" || content(t, dir)["real"] != "new" {
		t.Errorf("link to %q (%v), contents %q", to, err, content(t, dir))
	}
}

func TestLinksToNothingStayLinks(t *testing.T) {
	dir := t.TempDir()
	for link, to := range map[string]string{"link": "chain", "chain": filepath.Join(dir, "new")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	o := opened(t, filepath.Join(dir, "link"))
	if err := errors.Join(o.write(0, say("new")), o.commit()); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "chain" || content(t, dir)["new"] != "new" {
		t.Errorf("link to %q (%v), contents %q", to, err, content(t, dir))
	}
}

// RC-064: all of these are found before the first request.
func TestUnusableOutputs(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "here"), "old")
	if err := os.Symlink("here", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"dangling": "none", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for what, paths := range map[string][]string{
		"missing directory": {filepath.Join(dir, "no/such/r.json")},
		"directory":         {dir},
		"directory to be":   {filepath.Join(dir, "new") + "/"},
		"file as directory": {filepath.Join(dir, "here", "r.json")},
		"empty name":        {""},
		"twice":             {filepath.Join(dir, "r.json"), dir + "/./r.json"},
		"twice, not there":  {filepath.Join(dir, "none"), filepath.Join(dir, "dangling")},
		"loop":              {filepath.Join(dir, "loop")},
		"twice by a link":   {filepath.Join(dir, "here"), filepath.Join(dir, "link")},
		"long name":         {filepath.Join(dir, strings.Repeat("x", 300))},
		"good and bad":      {filepath.Join(dir, "r.json"), dir},
	} {
		o, err := openOutputs(paths)
		bad := paths[len(paths)-1]
		var usage usageError
		if o != nil || !errors.As(err, &usage) || !strings.Contains(err.Error(), `"`+bad+`"`) {
			t.Errorf("%s: %v, error %v", what, o, err)
		}
		if found := content(t, dir); len(found) != 4 || found["here"] != "old" {
			t.Errorf("%s: the directory holds %q", what, found)
		}
	}
}

func TestStandardOutputIsNoOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	put(t, path, "")
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	os.Stdout = f
	if _, err := openOutputs([]string{path}); err == nil || !strings.Contains(err.Error(), "standard output") {
		t.Errorf("the error is %v", err)
	}
}
