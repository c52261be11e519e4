package wire

import (
	"bytes"
	"errors"
	"fmt"
)

// Bounds of a reply. What exceeds them is a protocol error.
const (
	MaxHeaderBytes = 1 << 20 // status lines and header blocks, interim replies included
	maxChunkLine   = 4096    // a chunk's size with its extensions, and each trailer line
	maxTrailer     = 1 << 16 // all trailer lines
)

// ErrTruncated is a connection closed in good order before its reply was complete.
var ErrTruncated = errors.New("closed before the reply was complete")

// Reply reads one HTTP/1.x reply from the bytes that arrive, in pieces of any
// size. It keeps no body and copies only lines that are cut between pieces. Call
// Reset before each reply; the zero value is ready for a GET.
//
// It follows RFC 9112: informational replies are passed over (except 101), HEAD,
// 204 and 304 have no body, Transfer-Encoding overrides Content-Length, and a
// body without either ends when the connection does.
type Reply struct {
	Status       int    // of the final reply, 0 to 999; set once its status line is read
	Minor        int    // of HTTP/1.x
	HeaderBytes  int    // so far, interim replies included
	ContentBytes int64  // so far, without chunk framing
	Server       []byte // value of the final reply's Server field, only if WantServer
	WantServer   bool

	state     state
	head      bool // the request was a HEAD
	interim   bool
	chunked   bool
	close     bool   // Connection: close
	keepAlive bool   // Connection: keep-alive
	length    int64  // Content-Length, -1 if none
	left      int64  // bytes of the body or of the chunk still to come
	framing   bool   // the last field decides about the body, so it may not be folded
	lines     int    // bytes of chunk lines or of the trailer
	partial   []byte // start of a line whose end has not come yet
}

type state uint8

const (
	statusLine state = iota
	fieldLine
	bodyLength
	bodyToClose
	chunkSize
	chunkData
	chunkEnd
	trailerLine
	complete
)

// Reset makes r ready for the reply to the next request; head says that it was a
// HEAD. WantServer and the buffers are kept.
func (r *Reply) Reset(head bool) {
	*r = Reply{head: head, length: -1, WantServer: r.WantServer, Server: r.Server[:0], partial: r.partial[:0]}
}

// Feed takes the next bytes of the connection. It returns how many belong to the
// reply (all of them unless it is done: the rest is surplus) and whether the
// reply is complete. An error is a breach of the protocol; nothing may be fed
// after it or after the end.
func (r *Reply) Feed(b []byte) (used int, done bool, err error) {
	rest := b
	for len(rest) > 0 && r.state != complete {
		var n int
		switch r.state {
		case bodyLength, chunkData:
			n = r.content(rest)
		case bodyToClose:
			n = len(rest)
			r.ContentBytes += int64(n)
		default:
			n, err = r.line(rest)
		}
		if err != nil {
			return len(b) - len(rest), false, err
		}
		rest = rest[n:]
	}
	return len(b) - len(rest), r.state == complete, nil
}

// End tells r that the connection was closed in good order. The reply is complete
// if its body was to end so; otherwise the error is ErrTruncated.
func (r *Reply) End() error {
	if r.state == bodyToClose {
		r.state = complete
	}
	if r.state != complete {
		return ErrTruncated
	}
	return nil
}

// Reusable says whether the connection may carry another request after a
// complete reply (RFC 9112 section 9.3).
func (r *Reply) Reusable() bool {
	if r.state != complete || r.close || r.Status == 101 || r.toClose() {
		return false
	}
	return r.Minor >= 1 || r.keepAlive
}

// content takes bytes of a body or chunk of known length.
func (r *Reply) content(b []byte) int {
	n := min(r.left, int64(len(b)))
	r.left -= n
	r.ContentBytes += n
	if r.left == 0 {
		if r.state == chunkData {
			r.state = chunkEnd
		} else {
			r.state = complete
		}
	}
	return int(n)
}

// line takes bytes up to the end of a line and acts on the line once it is whole.
func (r *Reply) line(b []byte) (int, error) {
	end := bytes.IndexByte(b, '\n')
	if end < 0 {
		if err := r.account(len(b)); err != nil {
			return 0, err
		}
		r.partial = append(r.partial, b...)
		return len(b), nil
	}
	if err := r.account(end + 1); err != nil {
		return 0, err
	}
	line := b[:end]
	if len(r.partial) > 0 {
		r.partial = append(r.partial, line...)
		line = r.partial
	}
	err := r.act(line)
	r.partial = r.partial[:0]
	return end + 1, err
}

// account holds n more bytes of lines against the bounds.
func (r *Reply) account(n int) error {
	if r.state <= fieldLine {
		if r.HeaderBytes += n; r.HeaderBytes > MaxHeaderBytes {
			return errors.New("header block exceeds 1 MiB")
		}
		return nil
	}
	r.lines += n
	if r.state == trailerLine && r.lines > maxTrailer || r.state != trailerLine && len(r.partial)+n > maxChunkLine {
		return errors.New("chunk line or trailer too long")
	}
	return nil
}

func (r *Reply) act(line []byte) error {
	bare := len(line) == 0 || line[len(line)-1] != '\r'
	if !bare {
		line = line[:len(line)-1]
	}
	switch r.state {
	case statusLine:
		return r.status(line)
	case fieldLine:
		return r.field(line)
	case trailerLine:
		return r.trailer(line)
	}
	if bare { // RFC 9112 lets a lone LF end header lines, not chunk lines
		return errors.New("chunk line ends without CR")
	}
	if r.state == chunkEnd {
		if len(line) > 0 {
			return errors.New("chunk is longer than its size")
		}
		r.state = chunkSize
		return nil
	}
	return r.size(line)
}

// status reads "HTTP/1.1 200 OK"; the reason and its blank may be missing.
func (r *Reply) status(line []byte) error {
	version, rest, _ := bytes.Cut(line, []byte(" "))
	if len(version) != 8 || string(version[:7]) != "HTTP/1." || !isDigit(version[7]) {
		return fmt.Errorf("not an HTTP/1 status line: %.40q", line)
	}
	code := bytes.TrimLeft(rest, " ")
	if i := bytes.IndexByte(code, ' '); i >= 0 {
		code = code[:i]
	}
	if len(code) != 3 || !isDigit(code[0]) || !isDigit(code[1]) || !isDigit(code[2]) {
		return fmt.Errorf("not a three-digit status: %.40q", line)
	}
	r.Minor = int(version[7] - '0')
	r.Status = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	r.framing = true
	r.interim = r.Status >= 100 && r.Status < 200 && r.Status != 101
	r.state = fieldLine
	return nil
}

// field reads one header line, or the blank one that ends the block.
func (r *Reply) field(line []byte) error {
	if len(line) == 0 {
		return r.endOfHeader()
	}
	if line[0] == ' ' || line[0] == '\t' { // folded, RFC 9112 section 5.2
		if r.framing {
			return errors.New("folded line where none may be")
		}
		return nil
	}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !isToken(line[:colon]) {
		return fmt.Errorf("not a header line: %.40q", line)
	}
	r.framing = false
	switch line[0] | 0x20 { // only these fields matter here
	case 'c', 't', 's':
		return r.known(line[:colon], bytes.Trim(line[colon+1:], " \t"))
	}
	return nil
}

func (r *Reply) known(name, value []byte) error {
	switch {
	case equalFold(name, "content-length"):
		r.framing = true
		return r.setLength(value)
	case equalFold(name, "transfer-encoding"):
		r.framing = true
		return r.setEncoding(value)
	case equalFold(name, "connection"):
		for len(value) > 0 {
			var option []byte
			option, value, _ = bytes.Cut(value, []byte(","))
			option = bytes.Trim(option, " \t")
			r.close = r.close || equalFold(option, "close")
			r.keepAlive = r.keepAlive || equalFold(option, "keep-alive")
		}
	case r.WantServer && !r.interim && equalFold(name, "server"):
		r.Server = append(r.Server[:0], value...)
	}
	return nil
}

func (r *Reply) setLength(value []byte) error {
	if len(value) == 0 || len(value) > 18 {
		return fmt.Errorf("Content-Length %.40q is not a length", value)
	}
	var n int64
	for _, c := range value {
		if !isDigit(c) {
			return fmt.Errorf("Content-Length %.40q is not a length", value)
		}
		n = n*10 + int64(c-'0')
	}
	if r.length >= 0 && r.length != n {
		return errors.New("two different Content-Length fields")
	}
	r.length = n
	return nil
}

func (r *Reply) setEncoding(value []byte) error {
	if r.Minor == 0 { // HTTP/1.0 knows no Transfer-Encoding
		return nil
	}
	if r.chunked || !equalFold(value, "chunked") {
		return fmt.Errorf("Transfer-Encoding %.40q is not supported", value)
	}
	r.chunked = true
	return nil
}

// endOfHeader decides how the body ends (RFC 9112 section 6.3).
func (r *Reply) endOfHeader() error {
	if r.interim {
		r.state = statusLine
		r.interim, r.chunked, r.close, r.keepAlive, r.length, r.framing = false, false, false, false, -1, false
		return nil
	}
	switch {
	case r.bodyless():
		r.state = complete
	case r.chunked:
		r.state = chunkSize
	case r.length > 0:
		r.state, r.left = bodyLength, r.length
	case r.length == 0:
		r.state = complete
	default:
		r.state = bodyToClose
	}
	return nil
}

func (r *Reply) bodyless() bool {
	return r.head || r.Status == 204 || r.Status == 304 || r.Status == 101
}

// toClose says that only the end of the connection ends the body.
func (r *Reply) toClose() bool { return !r.bodyless() && !r.chunked && r.length < 0 }

// size reads a chunk's size; extensions after a semicolon are passed over.
func (r *Reply) size(line []byte) error {
	digits, _, extended := bytes.Cut(line, []byte(";"))
	if !extended {
		digits = bytes.TrimRight(line, " \t")
	}
	if len(digits) == 0 || len(digits) > 15 {
		return fmt.Errorf("chunk size %.40q is not a size", line)
	}
	var n int64
	for _, c := range digits {
		v := hexValue(c)
		if v < 0 {
			return fmt.Errorf("chunk size %.40q is not a size", line)
		}
		n = n<<4 | int64(v)
	}
	r.left, r.lines = n, 0
	r.state = chunkData
	if n == 0 {
		r.state = trailerLine
	}
	return nil
}

// trailer passes over trailer fields up to the blank line.
func (r *Reply) trailer(line []byte) error {
	if len(line) == 0 {
		r.state = complete
		return nil
	}
	if bytes.IndexByte(line, ':') <= 0 {
		return fmt.Errorf("not a trailer line: %.40q", line)
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// isToken tells the field names of RFC 9110 section 5.6.2, without a look at
// each punctuation mark: blanks, controls and separators that would move the
// colon are refused.
func isToken(name []byte) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// equalFold compares b with lower, which is in lower case, by ASCII letters.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
