package testserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzRequestReader holds reading in one go against reading byte by byte.
func FuzzRequestReader(f *testing.F) {
	f.Add([]byte(get + get))
	f.Add([]byte("POST / HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nabcHEAD / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"))
	f.Add([]byte("\r\n\r\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		whole := newRequestReader(bytes.NewReader(input))
		slow := newRequestReader(bufio.NewReaderSize(oneByOne{bytes.NewReader(input)}, 16))
		for {
			a, errA := whole.next()
			b, errB := slow.next()
			if (errA == nil) != (errB == nil) || errors.Is(errA, errBadRequest) != errors.Is(errB, errBadRequest) ||
				!bytes.Equal(a.head, b.head) || a.isHead != b.isHead || a.persist != b.persist || a.contentSize != b.contentSize {
				t.Fatalf("in one go %+v (%v), byte by byte %+v (%v)", a, errA, b, errB)
			}
			if errA != nil {
				return
			}
		}
	})
}

// oneByOne reads a byte at a time.
type oneByOne struct{ from io.Reader }

func (o oneByOne) Read(p []byte) (int, error) { return o.from.Read(p[:min(1, len(p))]) }
