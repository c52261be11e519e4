package main

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A rename would replace a file that its user may not write: RC-064 wants it refused.
func TestWriteProtectedOutputs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	put(t, path, "old")
	for _, err := range []error{os.Chmod(path, 0o444), os.Chmod(dir, 0o777), os.Chmod(filepath.Dir(dir), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error)
	go func() { // its thread, which is not root any more, ends with it
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			_ = syscall.Setfsuid(65534)
		}
		o, err := openOutputs([]string{path})
		o.discard()
		done <- err
	}()
	if err := <-done; err == nil {
		t.Error("accepted")
	}
	if !onlyHas(t, dir, "r.json", "old") {
		t.Errorf("the directory holds %q", content(t, dir))
	}
}
