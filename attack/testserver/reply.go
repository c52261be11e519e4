package testserver

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
)

// A form is everything that one reply differs in from another.
type form struct {
	status     int
	isHead     bool // no body
	persist    bool
	oldVersion bool
}

// replies holds the bytes of every reply, made before the first request, so that
// a burst of them costs little more than the writes.
type replies struct {
	body  []byte
	whole map[form][]byte
}

func newReplies(size int) *replies {
	r := &replies{body: bytes.Repeat([]byte("x"), size), whole: map[form][]byte{}}
	for _, status := range []int{200, 500, 503, 400} {
		for i := range 8 {
			f := form{status, i&1 != 0, i&2 != 0, i&4 != 0}
			head := appendHead(nil, f, len(r.bodyOf(status)), "")
			r.whole[f] = append(head, r.sent(f)...)
		}
	}
	return r
}

// bodyOf is the body of a status: the configured one if good, else a line of text.
func (r *replies) bodyOf(status int) []byte {
	if status == 200 {
		return r.body
	}
	return []byte(http.StatusText(status) + "\n")
}

// sent is the part of the body that goes over the wire.
func (r *replies) sent(f form) []byte {
	if f.isHead {
		return nil
	}
	return r.bodyOf(f.status)
}

// appendHead appends a reply's head; extra is header lines, each with its line end.
// There is no Date: a reply is to be the same bytes each time.
func appendHead(to []byte, f form, size int, extra string) []byte {
	to = fmt.Appendf(to, "HTTP/1.1 %d %s\r\nServer: ratebench-serve\r\nContent-Length: %d\r\n", f.status, http.StatusText(f.status), size)
	switch {
	case !f.persist:
		to = append(to, "Connection: close\r\n"...)
	case f.oldVersion:
		to = append(to, "Connection: keep-alive\r\n"...)
	}
	to = append(to, extra...)
	return append(to, "\r\n"...)
}

// stamped appends the reply with the two stamps to the given bytes.
func (r *replies) stamped(to []byte, f form, arrival, departure int64) []byte {
	extra := "X-Arrival: " + strconv.FormatInt(arrival, 10) + "\r\nX-Departure: " + strconv.FormatInt(departure, 10) + "\r\n"
	to = appendHead(to, f, len(r.bodyOf(f.status)), extra)
	return append(to, r.sent(f)...)
}

// truncated is a good reply up to the middle of its body, which has at least two
// bytes so that there is a middle; of a reply to HEAD, half of the head.
func (r *replies) truncated(f form) []byte {
	body := r.body
	if len(body) < 2 {
		body = []byte("xx")
	}
	head := appendHead(nil, f, len(body), "")
	if f.isHead {
		return head[:len(head)/2]
	}
	return append(head, body[:len(body)/2]...)
}
