package sampler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newTestLayout(t *testing.T) *layout {
	t.Helper()
	l, err := newLayoutIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// lay is one reading.
func (l *layout) lay(t *testing.T, files map[string]string) {
	t.Helper()
	l.begin()
	for name, text := range files {
		if err := l.put(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.end(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// wantTree compares all files below the directory.
func (l *layout) wantTree(t *testing.T, want map[string]string) {
	t.Helper()
	if fault := treeDiffers(l.dir, want); fault != "" {
		t.Error(fault)
	}
}

func treeDiffers(dir string, want map[string]string) string {
	found := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found++
		text, err := os.ReadFile(path)
		if name := strings.TrimPrefix(path, dir); want[name] != string(text) {
			return fmt.Errorf("%s: %q, want %q", name, text, want[name])
		}
		return err
	})
	if err == nil && found != len(want) {
		err = fmt.Errorf("%d files, want %d", found, len(want))
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// Each reading is whole and nothing of another is in it.
func TestLayoutTurns(t *testing.T) {
	l := newTestLayout(t)
	for _, files := range []map[string]string{
		{"/proc/stat": "cpu 1\n", "/proc/1/stat": "1 (init) S", "/proc/1/status": "long", "/sys/fs/cgroup/a.slice/b/cpu.stat": "x"},
		{"/proc/stat": "c\n", "/proc/1/stat": "1 (init) S"},
		{"/proc/stat": "cpu longer\n", "/proc/2/stat": "2"},
		{"/proc/1/stat": "1 again", "/run/x.pid": "1"},
		{},
	} {
		l.lay(t, files)
		l.wantTree(t, files)
	}
	l.lay(t, map[string]string{"/proc/3/stat": ""})
	l.wantTree(t, nil)
	if _, err := os.Stat(l.dir + "/proc/1"); err == nil {
		t.Error("the directory of a process that is gone is left")
	}
	if treeDiffers(l.dir, map[string]string{"/a": "b"}) == "" || treeDiffers("/nosuch", nil) == "" {
		t.Error("the comparison does not tell trees apart")
	}
}

func TestLayoutRefuses(t *testing.T) {
	l := newTestLayout(t)
	l.lay(t, map[string]string{"/a": "file"})
	l.begin()
	if err := l.put("/a/b", []byte("x")); err == nil {
		t.Error("a file was made below a file")
	}
	if err := l.put("/", []byte("x")); err == nil {
		t.Error("the directory itself was written to")
	}
	if err := l.put("/../../escape", []byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.dir + "/escape"); err != nil {
		t.Errorf("a path left the directory: %v", err)
	}
}

func TestLayoutIsPrivate(t *testing.T) {
	l := newTestLayout(t)
	info, err := os.Stat(l.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v; want 0700", info.Mode(), err)
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.dir); err == nil {
		t.Error("the directory is left")
	}
}

// What a killed process left is removed by the next, what is in use is not, nor what
// is new or is no such directory.
func TestLayoutOrphans(t *testing.T) {
	base := t.TempDir()
	old := time.Now().Add(-time.Hour)
	used, err := newLayoutIn(base)
	if err != nil {
		t.Fatal(err)
	}
	defer used.close()
	for _, name := range []string{layoutPrefix + "orphan", layoutPrefix + "new", "other"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(base, "other"), filepath.Join(base, layoutPrefix+"link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{used.dir, filepath.Join(base, layoutPrefix+"orphan"), filepath.Join(base, "other")} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	removeOrphans(base)
	for name, want := range map[string]bool{filepath.Base(used.dir): true, layoutPrefix + "orphan": false, layoutPrefix + "new": true, "other": true, layoutPrefix + "link": true} {
		if _, err := os.Stat(filepath.Join(base, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

func BenchmarkLayout(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l, err := newLayout()
			if err != nil {
				b.Fatal(err)
			}
			defer l.close()
			tail := ") S 1 1 1 0 -1 4194560 1000 0 0 0 " + strings.Repeat("1 ", 38) + "\n"
			for turn := range b.N {
				l.begin()
				for pid := range n {
					busy := 0 // one in ten has worked since the last
					if pid%10 == 0 {
						busy = turn
					}
					if err := l.put(processFile(int32(pid+1), "stat"), fmt.Appendf(nil, "%d (worker%d%s", pid+1, busy, tail)); err != nil {
						b.Fatal(err)
					}
				}
				if err := l.end(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A process that ends at once leaves no directory, whether or not it also stops.
func TestDiscard(t *testing.T) {
	s := startSSHD(t)
	w, err := Open(t.Context(), Config{Host: s.host(), SSH: s.ssh()})
	if err != nil {
		t.Fatal(err)
	}
	dir := w.transport.(*remote).layout.dir
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	w.Discard()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", dir, err)
	}
	w.Stop()
	w.Discard()
}
