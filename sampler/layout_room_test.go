package sampler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// full makes the next write of a file meet a full disk (full(4)).
func (l *layout) full(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(l.dir, name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(l.dir, name)); err != nil {
		t.Fatal(err)
	}
}

// Where the memory set apart for files is full, all goes on in the directory for
// temporary ones, what was laid before too; where that is full there is an error.
func TestLayoutMovesWhereThereIsRoom(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	l := newTestLayout(t)
	l.lay(t, map[string]string{"/proc/stat": "cpu 1\n", "/proc/1/stat": "1 (init) S"})
	before := l.dir
	l.full(t, "proc/2/stat")
	files := map[string]string{"/proc/stat": "cpu 2\n", "/proc/1/stat": "1 (init) S", "/proc/2/stat": "2 (b) S"}
	l.lay(t, files)
	l.wantTree(t, files)
	if _, err := os.Stat(before); !os.IsNotExist(err) || filepath.Dir(l.dir) != temporary {
		t.Errorf("the files are in %s, and %s is left (%v)", l.dir, before, err)
	}
	l.full(t, "proc/3/stat")
	if err := l.put("/proc/3/stat", []byte("3")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want no room", err)
	}
	l.lay(t, map[string]string{"/proc/1/stat": "1 again"})
}

func TestLayoutFindsNoRoom(t *testing.T) {
	l := newTestLayout(t)
	l.lay(t, map[string]string{"/a": "1"})
	t.Setenv("TMPDIR", filepath.Join(l.dir, "nosuch"))
	l.full(t, "b")
	err := l.put("/b", []byte("2"))
	if err == nil || !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "making room for a host's files: ") {
		t.Errorf("%v, want no room", err)
	}
	os.Remove(filepath.Join(l.dir, "b"))
	l.lay(t, map[string]string{"/a": "1", "/b": "2"})
	l.wantTree(t, map[string]string{"/a": "1", "/b": "2"})
}

// manyProcesses is an answer to a reading, with files of all processes.
func manyProcesses(n int, separator string) (want wanted, text []byte) {
	var b strings.Builder
	b.WriteString("10.00 5.00\n" + separator)
	for range len(readingFiles) - 1 {
		b.WriteString("x\n" + separator)
	}
	for pid := range n {
		fmt.Fprintf(&b, "%d (x) S %s\n", pid+1, strings.Repeat("1 ", 40))
	}
	b.WriteString(separator + separator)
	return wanted{}, []byte(b.String())
}

// A host is refused that has more processes than there is room for, by a line that
// names the bound; one with as many is not.
func TestTooManyProcesses(t *testing.T) {
	const separator = "no-other-line\n"
	for n, refused := range map[int]bool{mostProcesses: false, mostProcesses + 1: true} {
		r := &remote{layout: newTestLayout(t), separator: []byte(separator)}
		want, text := manyProcesses(n, separator)
		err := r.lay(t.Context(), &view{}, want, exchange{}, text)
		if (err != nil) != refused {
			t.Errorf("%d processes: %v", n, err)
		}
		if refused {
			wantError(t, err, `^the host has more than 10000 processes, `)
		}
	}
	if wantList := strings.Repeat("/proc/7 ", mostProcesses+1); new(remote).keepKnown(nil, []byte(wantList)) == nil {
		t.Error("a list of too many is taken")
	}
}

// Laying out ends with its context, and the next reading is as if it had not been.
func TestLayingEndsWithContext(t *testing.T) {
	const separator = "no-other-line\n"
	r := &remote{layout: newTestLayout(t), separator: []byte(separator)}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	want, text := manyProcesses(1000, separator)
	if err := r.lay(over, &view{}, want, exchange{}, text); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want to be interrupted", err)
	}
	if len(r.layout.files) > len(readingFiles) {
		t.Errorf("%d files were laid all the same", len(r.layout.files))
	}
	if err := r.layout.end(over); err != nil {
		t.Errorf("%v: nothing was left to remove", err)
	}
	r.layout.begin()
	if err := r.layout.end(over); !errors.Is(err, context.Canceled) {
		t.Errorf("removing: %v, want to be interrupted", err)
	}
	if err := r.lay(t.Context(), &view{}, want, exchange{}, text); err != nil || len(r.listed) != 1000 {
		t.Errorf("%v, %d processes listed", err, len(r.listed))
	}
}
