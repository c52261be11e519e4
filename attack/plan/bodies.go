package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// bodies reads the files that hold bodies, each once and a bounded size in all.
type bodies struct {
	left  int64 // bytes that may still be read
	files map[string][]byte
}

func (b *bodies) read(path string) ([]byte, error) {
	if body, ok := b.files[path]; ok {
		return body, nil
	}
	body, err := readRegular(path, b.left)
	if err != nil {
		return nil, err
	}
	b.left -= int64(len(body))
	b.files[path] = body
	return body, nil
}

// readRegular reads a file of at most limit bytes. A pipe, a terminal or
// /dev/zero, which might never end, is refused.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("the bodies of all targets together are larger than %d MiB", MaxTargetsBytes>>20)
	}
	return body, err
}

// withoutPath is a file error without the path, which the caller names.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
