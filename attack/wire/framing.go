package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// header is what the fields of a block say about the body and the connection. Its
// zero value is an empty block.
type header struct {
	chunked    bool
	close      bool  // Connection: close
	keepAlive  bool  // Connection: keep-alive
	hasLength  bool  // there is a Content-Length
	digits     int   // its number of digits
	length     int64 // its value
	badTrailer bool  // Trailer announces a field that none may hold
	fault      error // why the block is refused when it ends
}

// field is what a field line is about.
type field uint8

const (
	noField    field = iota // no line yet
	otherField              // one that does not matter here
	contentLength
	transferEncoding
	connection
	trailerField
	serverField
)

func kindOf(name []byte) field {
	switch len(name) { // most names end here
	case len("Server"):
		return otherwise(name, "Server", serverField)
	case len("Trailer"):
		return otherwise(name, "Trailer", trailerField)
	case len("Connection"):
		return otherwise(name, "Connection", connection)
	case len("Content-Length"):
		return otherwise(name, "Content-Length", contentLength)
	case len("Transfer-Encoding"):
		return otherwise(name, "Transfer-Encoding", transferEncoding)
	}
	return otherField
}

func otherwise(name []byte, text string, kind field) field {
	if equalFold(name, text) {
		return kind
	}
	return otherField
}

// settle takes account of the last field, now that no folded line can follow. Its
// faults wait for the end of the block: a block cut short is a truncated reply.
func (r *Reply) settle() {
	switch r.last {
	case noField, otherField:
	case contentLength:
		r.fail(r.header.setLength(trim(r.value)))
	case transferEncoding:
		r.fail(r.setEncoding(r.value))
	case connection:
		r.header.setConnection(r.value)
	case trailerField:
		r.header.setTrailer(r.value)
	case serverField:
		if r.WantServer && !r.interim() && len(r.Server) == 0 {
			r.Server = append(r.Server, trim(r.value)...)
		}
	}
	r.last = otherField
}

func (r *Reply) fail(err error) {
	if r.header.fault == nil {
		r.header.fault = err
	}
}

// setLength reads a length of any number of digits below 2^63. A second one must
// be the same text (RFC 9110 section 8.6).
func (h *header) setLength(value []byte) error {
	var n int64
	for _, c := range value {
		if !isDigit(c) || n > (math.MaxInt64-int64(c-'0'))/10 {
			return fmt.Errorf("Content-Length %.40q is not a length", value)
		}
		n = n*10 + int64(c-'0')
	}
	if len(value) == 0 {
		return errors.New("Content-Length is empty")
	}
	if h.hasLength && (h.length != n || h.digits != len(value)) {
		return errors.New("two different Content-Length fields")
	}
	h.hasLength, h.length, h.digits = true, n, len(value)
	return nil
}

// setEncoding takes chunked and nothing else. HTTP/1.0 knows no Transfer-Encoding:
// it is ignored there, but the connection not trusted (RFC 9112 section 6.1).
func (r *Reply) setEncoding(value []byte) error {
	if r.Minor == 0 {
		r.header.close = true
		return nil
	}
	if value = trimLeft(value); r.header.chunked || !equalFold(value, "chunked") {
		return fmt.Errorf("Transfer-Encoding %.40q is not supported", value)
	}
	r.header.chunked = true
	return nil
}

func (h *header) setConnection(value []byte) {
	for option, rest := element(value); ; option, rest = element(rest) {
		h.close = h.close || equalFold(option, "close")
		h.keepAlive = h.keepAlive || equalFold(option, "keep-alive")
		if rest == nil {
			return
		}
	}
}

// setTrailer looks for fields that may not come in a trailer, as they say how the
// body is framed (RFC 9110 section 6.5.1).
func (h *header) setTrailer(value []byte) {
	for name, rest := element(value); ; name, rest = element(rest) {
		switch kindOf(name) {
		case contentLength, transferEncoding, trailerField:
			h.badTrailer = true
		}
		if rest == nil {
			return
		}
	}
}

// element cuts the first element off a comma-separated list; rest is nil after the last.
func element(list []byte) (first, rest []byte) {
	if i := bytes.IndexByte(list, ','); i >= 0 {
		return trim(list[:i]), list[i+1:]
	}
	return trim(list), nil
}

// endOfHeader refuses the block, or goes on to the body or to the next block.
func (r *Reply) endOfHeader() error {
	r.settle()
	h := &r.header
	switch {
	case h.fault != nil:
		return h.fault
	case h.chunked && h.badTrailer:
		return errors.New("a Trailer field announces framing fields")
	case r.interim():
		r.Status, r.state, r.last, r.header = 0, statusLine, noField, header{}
	default:
		r.beginBody()
	}
	return nil
}

// beginBody decides how the body ends (RFC 9112 section 6.3).
func (r *Reply) beginBody() {
	switch h := &r.header; {
	case r.bodyless():
		r.state = complete
	case h.chunked:
		r.state = chunkLine
	case !h.hasLength:
		r.state = bodyToClose
	case h.length == 0:
		r.state = complete
	default:
		r.state, r.left = bodyLength, h.length
	}
}

// interim says that another reply to the same request follows (RFC 9110 section 15.2).
func (r *Reply) interim() bool { return r.Status >= 100 && r.Status < 200 && r.Status != 101 }

func (r *Reply) bodyless() bool {
	return r.toHead || r.Status == 204 || r.Status == 304 || r.Status == 101
}

// endsByClose says that only the end of the connection ends the body.
func (r *Reply) endsByClose() bool {
	return !r.bodyless() && !r.header.chunked && !r.header.hasLength
}
