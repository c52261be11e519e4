package plan

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Bounds of a targets file.
const (
	MaxTargets = 1_000_000
	// MaxTargetsBytes bounds the file, and apart from it the bodies that it names.
	MaxTargetsBytes = 256 << 20
)

// ReadTargets reads requests in vegeta's http or json target format: json if the
// first byte that is not blank is '{'. It reports every faulty line at once, as
// name:line: what is wrong. A file without a target is an error.
//
// The http format is blocks of lines, a blank line between them:
//
//	# a comment
//	POST http://127.0.0.1:8080/orders
//	Content-Type: application/json
//	@order.json
//
// The method is in capitals; @ names a file that holds the body, relative to
// the working directory. The json format is an object a line with the members
// method, url, header (name to list of values) and body (base64).
func ReadTargets(name string, r io.Reader) ([]Target, error) {
	return readTargets(name, r, MaxTargets, MaxTargetsBytes)
}

func readTargets(name string, r io.Reader, maxTargets int, maxBytes int64) ([]Target, error) {
	f := targetsFile{
		name: name, lines: bufio.NewReader(io.LimitReader(r, maxBytes+1)),
		maxTargets: maxTargets, maxBytes: maxBytes,
		bodies: bodies{left: maxBytes, files: map[string][]byte{}},
	}
	if err := f.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := f.found.join(); err != nil {
		return nil, err
	}
	if len(f.targets) == 0 {
		return nil, fmt.Errorf("%s: no targets", name)
	}
	return f.targets, nil
}

// targetsFile is a targets file while it is read.
type targetsFile struct {
	name       string
	lines      *bufio.Reader
	line       int   // number of the line last read
	size       int64 // bytes read
	maxTargets int
	maxBytes   int64
	bodies     bodies

	targets []Target
	found   faults
}

// read takes the file line by line. An error ends the reading; faults do not.
func (f *targetsFile) read() error {
	var take func(line string) // nil until the format is known
	var block httpBlock        // the target being read, of the http format
	for len(f.targets) <= f.maxTargets {
		line, err := f.next()
		if err == io.EOF && block.open {
			f.endBlock(&block)
			continue
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if begin := strings.TrimSpace(line); take == nil && begin != "" {
			take = func(line string) { f.httpLine(&block, line) }
			if begin[0] == '{' {
				take = f.jsonLine
			}
		}
		if take != nil {
			take(line)
		}
	}
	return fmt.Errorf("more than %d targets", f.maxTargets)
}

// next is the next line without its line break; io.EOF after the last.
func (f *targetsFile) next() (string, error) {
	line, err := f.lines.ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return "", err
	}
	f.line++
	if f.size += int64(len(line)); f.size > f.maxBytes {
		return "", fmt.Errorf("larger than %d MiB", f.maxBytes>>20)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// fault notes what is wrong with a line.
func (f *targetsFile) fault(line int, err error) {
	f.found.add(fmt.Errorf("%s:%d: %w", f.name, line, err))
}

// add takes a target that began at line, unless the whole of it is at fault.
func (f *targetsFile) add(line int, t Target) {
	errs := t.check()
	for _, err := range errs {
		f.fault(line, err)
	}
	if len(errs) == 0 {
		f.targets = append(f.targets, t)
	}
}
