package plan

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// maxLine is the longest line that vegeta's http reader takes; at a longer one
// it stops and says nothing, so that the rest of the file would be lost.
const maxLine = bufio.MaxScanTokenSize - 1

// httpBlock is one target of the http format: its request line and what follows
// it up to a blank line, a body or, straight after the request line, another one.
type httpBlock struct {
	open   bool
	fresh  bool // nothing has followed the request line yet
	faulty bool
	line   int // of the request line
	target Target
}

var beginsWithMethod = regexp.MustCompile(`^[A-Z]+\s`)

// httpLine takes the next line of the http format.
func (f *targetsFile) httpLine(b *httpBlock, line string) {
	if len(line) > maxLine {
		f.fault(f.line, fmt.Errorf("longer than %d bytes", maxLine))
		b.open, b.fresh, b.faulty = true, false, true
		return
	}
	line = strings.TrimSpace(line)
	comment := strings.HasPrefix(line, "#")
	switch {
	case !b.open && (line == "" || comment):
	case !b.open:
		f.requestLine(b, line)
	case line == "":
		f.endBlock(b)
	case b.fresh && beginsWithMethod.MatchString(line):
		f.endBlock(b)
		f.httpLine(b, line)
	case comment:
		b.fresh = false
	case line[0] == '@':
		f.bodyLine(b, line[1:])
		f.endBlock(b)
	default:
		b.fresh = false
		f.fieldLine(b, line)
	}
}

// requestLine begins a target. Vegeta reads the line, so that it means here what
// it means there; what follows is read here, because vegeta's header is a map
// that loses the order of the fields.
func (f *targetsFile) requestLine(b *httpBlock, line string) {
	*b = httpBlock{open: true, fresh: true, line: f.line}
	var v vegeta.Target
	err := vegeta.NewHTTPTargeter(strings.NewReader(line), nil, nil).Decode(&v)
	if err != nil {
		err = requestLineFault(line, err)
	} else {
		b.target.Method = v.Method
		b.target.URL, err = ParseURL(v.URL)
	}
	f.blockFault(b, err)
}

func (f *targetsFile) fieldLine(b *httpBlock, line string) {
	name, value, _ := strings.Cut(line, ":")
	field := Field{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
	err := field.validate()
	switch {
	case err != nil && beginsWithMethod.MatchString(line):
		err = fmt.Errorf("%q: a blank line is missing before the next target", maskFaulty(line))
	case field.Name == "" || field.Value == "":
		err = fmt.Errorf("header %q: want 'Name: value', neither of them empty", maskField(line))
	}
	f.blockFault(b, err)
	b.target.Header = append(b.target.Header, field)
}

func (f *targetsFile) bodyLine(b *httpBlock, path string) {
	body, err := f.bodies.read(path)
	if err != nil {
		err = fmt.Errorf("body @%s: %w", path, err)
	}
	f.blockFault(b, err)
	b.target.Body = body
}

// blockFault notes what is wrong with the line last read, if anything.
func (f *targetsFile) blockFault(b *httpBlock, err error) {
	if err != nil {
		f.fault(f.line, err)
		b.faulty = true
	}
}

// endBlock takes the target that b holds, if any, and empties b.
func (f *targetsFile) endBlock(b *httpBlock) {
	if b.open && !b.faulty {
		f.add(b.line, b.target)
	}
	*b = httpBlock{}
}

// requestLineFault says what vegeta found wrong, without the password that its
// own words may quote.
func requestLineFault(line string, err error) error {
	method, text, found := strings.Cut(line, " ")
	if !found {
		return fmt.Errorf("%q is not a target: want 'METHOD URL'", maskFaulty(line))
	}
	if !beginsWithMethod.MatchString(line) {
		return fmt.Errorf("method %q: want capital letters", maskFaulty(method))
	}
	if _, err := ParseURL(text); err != nil {
		return err
	}
	return fmt.Errorf("URL %q: %w", maskFaulty(text), cause(err))
}
