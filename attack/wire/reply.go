package wire

import "errors"

// Bounds of a reply. What exceeds them is a breach of the protocol. MaxHeaderBytes
// covers status lines and header blocks, interim replies included; maxLine is what
// is kept of one line of them.
const (
	MaxHeaderBytes = 1 << 20
	maxLine        = 8 << 10
)

// ErrTruncated is a connection closed in good order before its reply was complete.
var ErrTruncated = errors.New("closed before the reply was complete")

var (
	errHeaderTooLong = errors.New("header block exceeds 1 MiB")
	errLineTooLong   = errors.New("status line, field name or framing field exceeds 8 KiB")
)

// Reply reads one HTTP/1.x reply from the bytes that arrive, in pieces of any
// size. It keeps no body, copies lines only where they are cut between pieces, and
// holds some 20 KiB at most whatever the server sends. Call Reset before each
// further reply; the zero value is ready for the reply to a GET.
//
// It follows RFC 9112: informational replies are passed over (except 101), HEAD,
// 204 and 304 have no body, Transfer-Encoding overrides Content-Length, and a
// body without either ends when the connection does. Where the RFC leaves a
// choice it takes that of [net/http.ReadResponse], so that both engines put every
// reply into the same class: only chunked is read of the transfer codings, as
// nothing else was offered (RFC 9110 section 10.1.4); lines of the header may end
// in a bare LF, chunk lines may not; "Content-Length: 5, 5" is refused, two equal
// fields are not; a blank before a field's colon makes it an unknown field; and a
// line that the end of the connection cut is judged as it stands, so that what is
// no HTTP at all is not taken for a truncated reply.
//
// It differs from net/http on purpose in these points:
//
//   - A version other than HTTP/1.x is refused: the reply of another major
//     version cannot be understood (RFC 9110 section 2.5).
//   - A status of a sign and two digits is refused: it is three digits
//     (RFC 9112 section 4).
//   - HTTP/1.0 with Transfer-Encoding spoils the connection, as its framing is in
//     doubt (RFC 9112 section 6.1).
//   - The header block, the status line, field names and the fields that matter
//     are bounded; net/http leaves that to its caller.
//   - A chunk of 2^62 bytes or more is refused; net/http's account of overhead
//     overflows there and decides by chance.
//   - A blank line that ends in a bare LF is refused in a trailer; net/http ends
//     the trailer there, but only if another blank line follows somewhere.
//   - A connection closed inside a trailer is ErrTruncated; net/http has errors of
//     its own for it.
//
// Faults of a line are found as soon as it is whole; net/http sometimes waits for
// the byte after it.
type Reply struct {
	Status       int    // of the final reply, 0 to 999; set once its status line is read
	Minor        int    // of HTTP/1.x
	HeaderBytes  int    // so far, interim replies included
	ContentBytes int64  // so far, without chunk framing
	Server       []byte // value of the final reply's first Server field, only if WantServer
	WantServer   bool

	state  state
	last   field // kind of the last field line, to which folded lines belong
	toHead bool  // the request was a HEAD
	header header
	left   int64 // bytes of the body or of the chunk still to come
	excess int64 // chunk framing beyond what the content justifies

	known   block
	partial []byte // start of a line whose end has not come yet
	value   []byte // of the last field, if it matters
}

type state uint8

const (
	statusLine state = iota
	fieldLine
	bodyLength
	bodyToClose
	chunkLine
	chunkData
	chunkEnd
	trailer
	complete
)

// Reset makes r ready for the reply to the next request; head says that it was a
// HEAD. WantServer and the buffers are kept.
func (r *Reply) Reset(head bool) {
	r.Status, r.Minor, r.HeaderBytes, r.ContentBytes, r.Server = 0, 0, 0, 0, r.Server[:0]
	r.state, r.last, r.toHead, r.header = statusLine, noField, head, header{}
	r.left, r.excess, r.partial = 0, 0, r.partial[:0]
}

// Feed takes the next bytes of the connection. It returns how many belong to the
// reply (all of them unless it is done: the rest is surplus) and whether the
// reply is complete. An error is a breach of the protocol; used then means
// nothing, and nothing may be fed after it.
func (r *Reply) Feed(b []byte) (used int, done bool, err error) {
	if r.HeaderBytes == 0 {
		used, err = r.start(b)
	}
	for used < len(b) && r.state != complete && err == nil {
		var n int
		switch rest := b[used:]; r.state {
		case statusLine, fieldLine:
			n, err = r.headLine(rest)
		case bodyLength, chunkData:
			n = r.content(rest)
		case bodyToClose:
			n = len(rest)
			r.ContentBytes += int64(n)
		case chunkLine:
			n, err = r.chunkLine(rest)
		case chunkEnd:
			n, err = r.chunkEnd(rest)
		case trailer:
			n, err = r.trailer(rest)
		}
		used += n
	}
	return used, r.state == complete && err == nil, err
}

// content takes bytes of a body or chunk of known length.
func (r *Reply) content(b []byte) int {
	n := min(r.left, int64(len(b)))
	r.left -= n
	r.ContentBytes += n
	switch {
	case r.left > 0:
	case r.state == chunkData:
		r.state = chunkEnd
	default:
		r.state = complete
	}
	return int(n)
}

// End tells r that the connection was closed in good order. It returns nil if the
// reply is complete, as one is whose body was to end so; ErrTruncated if it is
// not; or a breach of the protocol, if the line that was cut is one.
func (r *Reply) End() error {
	switch {
	case r.state == complete:
		return nil
	case r.state == bodyToClose:
		r.state = complete
		return nil
	case r.state <= fieldLine && len(r.partial) > 0:
		if err := r.judge(r.partial); err != nil {
			return err
		}
	}
	return ErrTruncated
}

// Reusable says whether the connection may carry another request after a
// complete reply (RFC 9112 section 9.3).
func (r *Reply) Reusable() bool {
	if r.state != complete || r.header.close || r.Status == 101 || r.endsByClose() {
		return false
	}
	return r.Minor >= 1 || r.header.keepAlive
}
