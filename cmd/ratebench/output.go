package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// outputs are the files that a command writes. Each is opened before the
// command's work begins, so that one that cannot be written is found in time. A
// regular file is written under another name in the same directory and
// renamed when it is whole: until then an old file of its name stays as it was.
// What exists and is not a regular file, a pipe or a device, is written directly.
type outputs struct {
	mu    sync.Mutex // an interrupt discards while another goroutine writes
	files []*output
}

type output struct {
	path string // as given
	file *os.File
	temp string // name of file, empty if it is written directly
	dest string // what temp is renamed to: path, or the file that path links to
	done bool   // closed and renamed, or given up
}

// openOutputs opens all paths. Its error is a usageError that holds every fault
// and names the paths; then nothing is left open and nothing behind.
func openOutputs(paths []string) (*outputs, error) {
	o := &outputs{}
	var errs []error
	for i, path := range paths {
		err := twice(path, paths[:i])
		if err == nil {
			var opened *output
			if opened, err = openOutput(path); err == nil {
				o.files = append(o.files, opened)
			}
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		o.discard()
		return nil, usageError{err}
	}
	return o, nil
}

func openOutput(path string) (*output, error) {
	o := &output{path: path, dest: path}
	info, err := os.Stat(path)
	switch {
	case path == "":
		return nil, errors.New("output \"\": the file's name is missing")
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("output %q: is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		o.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	case err == nil:
		err = o.replace(info)
	case errors.Is(err, fs.ErrNotExist):
		if o.dest, err = linkTarget(path); err == nil {
			err = o.create(0o666)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("output %w", fileError(path, err))
	}
	return o, nil
}

// linkTarget is the file that path stands for, whether or not it exists: path
// itself or where its links lead.
func linkTarget(path string) (string, error) {
	for range 40 { // as many as the kernel follows (path_resolution(7))
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many links")
}

// replace prepares to take the place of an existing regular file. A rename
// needs no permission to write the file itself, so that is asked for first.
func (o *output) replace(old fs.FileInfo) error {
	if stdout, err := os.Stdout.Stat(); err == nil && os.SameFile(old, stdout) {
		return errors.New("is standard output already")
	}
	existing, err := os.OpenFile(o.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	existing.Close()
	if o.dest, err = filepath.EvalSymlinks(o.path); err != nil {
		return err
	}
	if err := o.create(old.Mode().Perm()); err != nil {
		return err
	}
	return o.file.Chmod(old.Mode().Perm())
}

// create makes the temporary file beside dest.
func (o *output) create(mode fs.FileMode) (err error) {
	if base := filepath.Base(o.dest); base == "." || base == ".." || os.IsPathSeparator(o.dest[len(o.dest)-1]) {
		return errors.New("is no file's name")
	}
	for {
		o.temp = filepath.Join(filepath.Dir(o.dest), fmt.Sprintf(".ratebench-%016x.tmp", rand.Uint64()))
		o.file, err = os.OpenFile(o.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// twice says whether path is one of others under another spelling.
func twice(path string, others []string) error {
	for _, other := range others {
		if path != "" && place(path) == place(other) {
			return fmt.Errorf("output %q: given twice", path)
		}
	}
	return nil
}

// place is the path with all links resolved, also those to a file that does not exist yet.
func place(path string) string {
	if target, err := linkTarget(path); err == nil {
		path = target
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return absolute
}

// writer is file i for what is written bit by bit; write(i, …) then ends it.
func (o *outputs) writer(i int) io.Writer { return o.files[i].file }

// write prints to file i, through a buffer. After an error the file is given
// up: nothing of it appears under its name.
func (o *outputs) write(i int, print func(io.Writer) error) error {
	f := o.files[i]
	err := buffered(f.file, print)
	if err == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	f.giveUp()
	return fmt.Errorf("writing %w", fileError(f.path, err))
}

// buffered prints to w through a buffer.
func buffered(w io.Writer, print func(io.Writer) error) error {
	buffer := bufio.NewWriter(w)
	if err := print(buffer); err != nil {
		return err
	}
	return buffer.Flush()
}

// commit lets each file that was written without an error appear under its name.
func (o *outputs) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for _, f := range o.files {
		if err := f.commit(); err != nil {
			errs = append(errs, fmt.Errorf("writing %w", fileError(f.path, err)))
		}
	}
	return errors.Join(errs...)
}

// discard gives up every file that is not committed. It may be called at any
// time, by any goroutine and more than once, also on the nil of a failed openOutputs.
func (o *outputs) discard() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		f.giveUp()
	}
}

func (f *output) commit() error {
	if f.done {
		return nil
	}
	err := f.file.Close()
	if err == nil && f.temp != "" {
		err = os.Rename(f.temp, f.dest)
	}
	if err != nil {
		f.giveUp()
	}
	f.done = true
	return err
}

func (f *output) giveUp() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	if f.temp != "" {
		os.Remove(f.temp)
	}
}
