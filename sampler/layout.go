package sampler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// layout is a directory in which a host's files lie by their paths. Every file in it
// is of the same reading. Files are overwritten in place, and only where they
// changed, as that is most of what a reading costs here.
type layout struct {
	dir   string
	lock  *os.File   // held on dir as long as it is in use
	mu    sync.Mutex // held while dir changes, and by who else wants to know it
	turn  int        // number of the reading
	files map[string]*laid
	made  map[string]bool // directories below dir that hold a file or a directory
}

// laid is a file as it was last written, and in which turn it was last wanted.
type laid struct {
	text []byte
	turn int
}

const layoutPrefix = "ratebench-proc-"

// newLayout makes a directory in memory where there is such, as /dev/shm on Linux
// (shm_overview(7)), else for temporary files.
func newLayout() (*layout, error) {
	var faults []error
	for _, base := range []string{inMemory, os.TempDir()} {
		l, err := newLayoutIn(base)
		if err == nil {
			return l, nil
		}
		faults = append(faults, err)
	}
	return nil, fmt.Errorf("making room for a host's files: %w", errors.Join(faults...))
}

const inMemory = "/dev/shm"

func newLayoutIn(base string) (*layout, error) {
	removeOrphans(base)
	dir, err := os.MkdirTemp(base, layoutPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &layout{dir: dir, lock: lock, files: map[string]*laid{}, made: map[string]bool{".": true}}, nil
}

// lockDir locks a directory until the file is closed or this process ends.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	return f, nil
}

// removeOrphans removes what processes that were killed have left in base: old
// enough not to be in the making, and locked by nobody. What is another user's
// cannot be removed and stays; nothing depends on its being gone.
func removeOrphans(base string) {
	if !canLock {
		return
	}
	left, _ := filepath.Glob(filepath.Join(base, layoutPrefix+"*"))
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if lock, err := lockDir(dir); err == nil {
			_ = os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// begin starts a reading.
func (l *layout) begin() { l.turn++ }

// put lays a file at the absolute path name. What does not exist on the host came as
// nothing and is left out.
func (l *layout) put(name string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	name = strings.TrimPrefix(path.Clean(name), "/")
	f := l.files[name]
	if f != nil && bytes.Equal(f.text, text) {
		f.turn = l.turn
		return nil
	}
	if err := l.makeDir(path.Dir(name)); err != nil {
		return err
	}
	if err := l.write(name, text); err != nil {
		return err
	}
	if f == nil {
		f = &laid{}
		l.files[name] = f
	}
	f.text, f.turn = append(f.text[:0], text...), l.turn
	return nil
}

// keep leaves a file as it was laid at an earlier reading.
func (l *layout) keep(name string) {
	if f := l.files[strings.TrimPrefix(name, "/")]; f != nil {
		f.turn = l.turn
	}
}

func (l *layout) makeDir(name string) error {
	if l.made[name] {
		return nil
	}
	if err := l.makeDir(path.Dir(name)); err != nil {
		return err
	}
	if err := os.Mkdir(path.Join(l.dir, name), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	l.made[name] = true
	return nil
}

// end removes the files that this reading did not bring. If ctx ends before, the next
// does.
func (l *layout) end(ctx context.Context) error {
	for name, f := range l.files {
		if f.turn == l.turn {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := os.Remove(path.Join(l.dir, name)); err != nil {
			return err
		}
		delete(l.files, name)
		l.removeEmpty(path.Dir(name))
	}
	return nil
}

// removeEmpty removes the directory of a process that is gone: one is listed as long
// as it is there.
func (l *layout) removeEmpty(name string) {
	for name != "." && syscall.Rmdir(path.Join(l.dir, name)) == nil {
		delete(l.made, name)
		name = path.Dir(name)
	}
}
