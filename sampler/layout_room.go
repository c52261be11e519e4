package sampler

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// write writes a file below the directory, whose own is there. Where that has no more
// room, as little memory is set apart for /dev/shm in containers, all moves once to
// where temporary files are.
func (l *layout) write(name string, text []byte) error {
	err := overwrite(path.Join(l.dir, name), text)
	if !errors.Is(err, syscall.ENOSPC) || filepath.Dir(l.dir) == filepath.Clean(os.TempDir()) {
		return err
	}
	if moved := l.move(os.TempDir()); moved != nil {
		return fmt.Errorf("making room for a host's files: %w", errors.Join(err, moved))
	}
	return overwrite(path.Join(l.dir, name), text)
}

// move lays all files in base instead. On an error they stay where they are.
func (l *layout) move(base string) error {
	to, err := newLayoutIn(base)
	if err != nil {
		return err
	}
	for dir := range l.made {
		err = errors.Join(err, os.MkdirAll(path.Join(to.dir, dir), 0o700))
	}
	for name, f := range l.files {
		if err == nil {
			err = overwrite(path.Join(to.dir, name), f.text)
		}
	}
	if err != nil {
		return errors.Join(err, to.close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dir, to.dir = to.dir, l.dir
	l.lock, to.lock = to.lock, l.lock
	return to.close()
}

// overwrite writes a file with as few calls as will do, which os.File does not.
func overwrite(name string, text []byte) error {
	fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	n, err := syscall.Write(fd, text)
	if err := errors.Join(err, syscall.Close(fd)); err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	if n < len(text) {
		return &os.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	return nil
}

// close removes the directory.
func (l *layout) close() error {
	err := l.discard()
	l.lock.Close()
	if err != nil {
		return fmt.Errorf("removing a host's files: %w", err)
	}
	return nil
}

// discard removes the files and may be called at any time, from any goroutine.
func (l *layout) discard() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return os.RemoveAll(l.dir)
}
