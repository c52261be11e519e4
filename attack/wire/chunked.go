package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// Bounds of chunked content (RFC 9112 section 7.1), those of net/http.
const (
	maxChunkLine = 4096     // a chunk's size with its extensions, and the whole trailer
	maxExcess    = 16 << 10 // framing beyond 16 bytes a chunk and twice the content
	maxChunk     = 1 << 62  // bytes; no server means it
)

var (
	errChunkLine = errors.New("chunk line exceeds 4 KiB")
	errTrailer   = errors.New("trailer exceeds 4 KiB")
	errChunkSize = errors.New("chunk of 2^62 bytes or more")
	errBareLF    = errors.New("blank line in a trailer ends without CR")
)

// chunkLine takes bytes up to the end of the line that starts a chunk. Unlike a
// header's it must end in CR LF.
func (r *Reply) chunkLine(b []byte) (n int, err error) {
	line, n, whole := cutLine(b)
	if len(r.partial)+len(line) >= maxChunkLine {
		return 0, errChunkLine
	}
	if line = r.join(line, whole); !whole {
		return n, nil
	}
	cr := bytes.IndexByte(line, '\r')
	if cr < 0 || cr != len(line)-1 {
		return n, errors.New("chunk line does not end in CR LF")
	}
	return n, r.beginChunk(line[:cr])
}

// beginChunk reads a chunk's size; extensions after a semicolon are passed over.
func (r *Reply) beginChunk(line []byte) error {
	digits := trimRight(line)
	if i := bytes.IndexByte(digits, ';'); i >= 0 {
		digits = digits[:i]
	}
	size, ok := parseHex(digits)
	if !ok {
		return fmt.Errorf("chunk size %.40q is not a size", line)
	}
	if size == 0 {
		r.state = trailer
		return nil
	}
	if size >= maxChunk {
		return errChunkSize
	}
	r.state, r.left = chunkData, int64(size)
	r.excess = max(r.excess+int64(len(line))+2-16-2*r.left, 0)
	if r.excess > maxExcess {
		return errors.New("chunked content is mostly framing")
	}
	return nil
}

// chunkEnd takes the CR LF after a chunk's content.
func (r *Reply) chunkEnd(b []byte) (n int, err error) {
	n = min(2-len(r.partial), len(b))
	end := b[:n]
	if n < 2 {
		r.partial = append(r.partial, end...)
		if end = r.partial; len(end) < 2 {
			return n, nil
		}
	}
	r.partial = r.partial[:0]
	if string(end) != "\r\n" {
		return n, errors.New("chunk is longer than its size")
	}
	r.state = chunkLine
	return n, nil
}

// trailer collects the trailer up to its blank line and then judges it as a
// whole, so that one cut short is a truncated reply whatever it holds.
func (r *Reply) trailer(b []byte) (n int, err error) {
	n = bytes.IndexByte(b, '\n') + 1
	if n == 2 && b[0] == '\r' && len(r.partial) == 0 { // nobody sends trailers
		r.state = complete
		return n, nil
	}
	if n == 0 {
		n = len(b)
	}
	if len(r.partial)+n > maxChunkLine {
		return 0, errTrailer
	}
	r.partial = append(r.partial, b[:n]...)
	switch {
	case string(r.partial) == "\r\n":
		r.state = complete
	case bytes.HasSuffix(r.partial, []byte("\r\n\r\n")):
		r.state = complete
		err = judgeTrailer(r.partial[:len(r.partial)-2])
	case len(r.partial) == maxChunkLine:
		err = errTrailer
	}
	return n, err
}

// judgeTrailer checks the field lines of a trailer; what they say is not used.
func judgeTrailer(block []byte) error {
	first := true
	for line := range bytes.Lines(block) {
		line = dropCR(line[:len(line)-1])
		if len(line) == 0 {
			return errBareLF
		}
		if folded := isBlank(line[0]); folded && first || !folded && nameLen(line) == 0 || !isText(line) {
			return fmt.Errorf("not a trailer line: %.40q", line)
		}
		first = false
	}
	return nil
}
