package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxHead bounds a request's head in bytes.
const maxHead = 64 << 10

// A request is what the server needs to know of one.
type request struct {
	head        []byte // as received, to the empty line; valid until the next read
	target      string // the path asked for; only if the reader keeps targets
	isHead      bool   // method HEAD: the reply has no body
	oldVersion  bool   // HTTP/1.0: a reply must say keep-alive to mean it
	persist     bool   // the connection stays open after the reply, RFC 9112 section 9.3
	contentSize int64  // bytes of body that follow the head
}

// errBadRequest is wrapped by every error that speaks of the request, not of the connection.
var errBadRequest = errors.New("bad request")

// A requestReader reads one connection's requests. Bodies are read and dropped.
type requestReader struct {
	from io.Reader
	buf  []byte // read and not yet used
	used int    // bytes at the front of buf that belong to the request returned last

	keepTargets bool
}

func newRequestReader(from io.Reader) *requestReader {
	return &requestReader{from: from, buf: make([]byte, 0, 2<<10)}
}

// next returns when a request has been read to the end of its body. The error is
// io.EOF if the client closed between requests, io.ErrUnexpectedEOF within one.
func (r *requestReader) next() (request, error) {
	r.drop(r.used)
	r.used = 0
	for {
		if end := bytes.Index(r.buf, []byte("\r\n\r\n")); end >= 0 {
			q, err := parseHead(r.buf[:end+4])
			if err != nil {
				return q, err
			}
			r.used = end + 4
			if r.keepTargets {
				q.target = target(q.head)
			}
			return q, r.body(q.contentSize)
		}
		if len(r.buf) >= maxHead {
			return request{}, fmt.Errorf("%w: head of more than %d bytes", errBadRequest, maxHead)
		}
		if err := r.more(); err != nil {
			return request{}, err
		}
	}
}

// body drops the given number of bytes after the head, which stays in place.
func (r *requestReader) body(size int64) error {
	for {
		n := min(size, int64(len(r.buf)-r.used))
		r.buf = append(r.buf[:r.used], r.buf[r.used+int(n):]...)
		if size -= n; size == 0 {
			return nil
		}
		if err := r.more(); err != nil {
			return err
		}
	}
}

func (r *requestReader) drop(n int) { r.buf = append(r.buf[:0], r.buf[n:]...) }

// more appends what one read brings.
func (r *requestReader) more() error {
	if len(r.buf) == cap(r.buf) {
		r.buf = append(r.buf, 0)[:len(r.buf)]
	}
	n, err := r.from.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if n > 0 {
		return nil // an error comes again with the next read
	}
	if err == io.EOF && len(r.buf) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseHead reads a head that ends in an empty line. Only what decides about
// framing and persistence is looked at.
func parseHead(head []byte) (request, error) {
	line, fields, _ := bytes.Cut(head, []byte("\r\n"))
	words := bytes.Split(line, []byte(" "))
	if len(words) != 3 || !bytes.HasPrefix(words[2], []byte("HTTP/1.")) || len(words[0]) == 0 {
		return request{}, fmt.Errorf("%w: request line %q", errBadRequest, line)
	}
	q := request{head: head, isHead: string(words[0]) == "HEAD"}
	q.oldVersion = string(words[2]) == "HTTP/1.0"
	q.persist = !q.oldVersion
	for len(fields) > 2 {
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		if err := q.field(line); err != nil {
			return request{}, err
		}
	}
	return q, nil
}

// target is the second word of a head that parseHead has accepted.
func target(head []byte) string {
	_, rest, _ := bytes.Cut(head, []byte(" "))
	word, _, _ := bytes.Cut(rest, []byte(" "))
	return string(word)
}

func (q *request) field(line []byte) error {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return fmt.Errorf("%w: header line %q", errBadRequest, line)
	}
	value = bytes.Trim(value, " \t")
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%w: Content-Length %q", errBadRequest, value)
		}
		q.contentSize = n
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		return fmt.Errorf("%w: Transfer-Encoding %q is not read here", errBadRequest, value)
	case bytes.EqualFold(name, []byte("Connection")):
		q.connection(value)
	}
	return nil
}

func (q *request) connection(value []byte) {
	for option := range bytes.SplitSeq(value, []byte(",")) {
		option = bytes.Trim(option, " \t")
		switch {
		case bytes.EqualFold(option, []byte("close")):
			q.persist = false
		case bytes.EqualFold(option, []byte("keep-alive")) && q.oldVersion:
			q.persist = true
		}
	}
}
