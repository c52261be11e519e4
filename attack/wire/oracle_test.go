package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// verdict is what a reader makes of the bytes of a connection that was then closed
// in good order.
type verdict struct {
	outcome  string // complete, truncated or protocol
	status   int    // 0 before the header block has ended, as for the next three
	header   int    // bytes of status lines and header blocks
	content  int64
	reusable bool // only of a complete reply, as used
	used     int  // bytes that belong to the reply
	err      error
}

func (v verdict) String() string {
	return fmt.Sprintf("%s, status %d, header %d, content %d, reusable %t, used %d (%v)",
		v.outcome, v.status, v.header, v.content, v.reusable, v.used, v.err)
}

// ours feeds input in pieces of the given lengths, and what they leave in one more.
func ours(input []byte, head bool, cuts []byte) verdict {
	r := new(Reply)
	r.Reset(head)
	return feed(r, input, cuts)
}

func feed(r *Reply, input, cuts []byte) (v verdict) {
	var done bool
	for rest := input; !done && v.err == nil; {
		piece := rest
		if len(cuts) > 0 {
			piece, cuts = rest[:min(int(cuts[0]), len(rest))], cuts[1:]
		}
		var n int
		if n, done, v.err = r.Feed(piece); n > len(piece) || n < len(piece) && !done && v.err == nil {
			panic(fmt.Sprintf("used %d of %d bytes", n, len(piece)))
		}
		v.used += n
		if rest = rest[len(piece):]; len(rest) == 0 {
			break
		}
	}
	if !done && v.err == nil {
		v.err = r.End()
	}
	if r.state > fieldLine {
		v.status, v.header, v.content = r.Status, r.HeaderBytes, r.ContentBytes
	}
	return v.conclude(v.err == ErrTruncated, r.Reusable())
}

func (v verdict) conclude(truncated, reusable bool) verdict {
	switch {
	case v.err == nil:
		v.outcome, v.reusable = "complete", reusable
		return v
	case truncated:
		v.outcome = "truncated"
	default:
		v.outcome = "protocol"
	}
	v.used = 0
	return v
}

// theirs reads the same with net/http, as the vegeta engine does. end is what the
// connection says after the input: io.EOF, or errHang for one that stays open.
func theirs(input []byte, head bool, end error) (v verdict) {
	request := &http.Request{Method: "GET"}
	if head {
		request.Method = "HEAD"
	}
	source := bytes.NewReader(input)
	reader := bufio.NewReaderSize(io.MultiReader(source, failing{end}), 4096)
	taken := func() int { return len(input) - source.Len() - reader.Buffered() }
	var reply *http.Response
	for reply == nil || reply.StatusCode >= 100 && reply.StatusCode < 200 && reply.StatusCode != 101 {
		if reply, v.err = http.ReadResponse(reader, request); v.err != nil {
			return v.conclude(isEOF(v.err), false)
		}
	}
	v.status, v.header = reply.StatusCode, taken()
	v.content, v.err = io.Copy(io.Discard, reply.Body)
	v.used = taken()
	return v.conclude(isEOF(v.err) || cutInTrailer(v.err, source.Len() == 0 && reader.Buffered() < 4096), !reply.Close && v.status != 101)
}

var errHang = errors.New("no more bytes")

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func isEOF(err error) bool { return err != nil && errors.Is(err, io.ErrUnexpectedEOF) }

// cutInTrailer knows the end of the connection by the names that net/http gives it
// inside a trailer. The second is also that of a trailer beyond the buffer's size.
func cutInTrailer(err error, short bool) bool {
	return err != nil && (err.Error() == "http: unexpected EOF reading trailer" ||
		err.Error() == "http: suspiciously long trailer after chunked body" && short)
}

// differences are the points of Reply's documentation in which it differs from
// net/http on purpose, each with an input that shows it.
var differences = []struct {
	reason  string
	example string
	applies func(input []byte, ours, theirs verdict) bool
}{
	{"the reply of another major version cannot be understood",
		"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
		func(input []byte, ours, _ verdict) bool {
			return ours.outcome == "protocol" && regexp.MustCompile(`(?m)^HTTP/[02-9]\.[0-9] `).Match(input)
		}},
	{"a status is three digits",
		"HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n",
		func(input []byte, ours, _ verdict) bool {
			return ours.outcome == "protocol" && regexp.MustCompile(`(?m)^HTTP/1\.[0-9] +[+-][0-9][0-9]`).Match(input)
		}},
	{"HTTP/1.0 with Transfer-Encoding spoils the connection",
		"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
		func(input []byte, ours, theirs verdict) bool {
			doubtful := regexp.MustCompile(`(?is)HTTP/1\.0.*\ntransfer-encoding:`).Match(input)
			spoilt := theirs.reusable && !ours.reusable
			theirs.reusable = false
			return doubtful && spoilt && same(ours, theirs)
		}},
	{"what is kept of a line is bounded",
		"HTTP/1.1 200 " + strings.Repeat("OK", maxLine) + "\r\nContent-Length: 0\r\n\r\n",
		func(input []byte, ours, _ verdict) bool {
			return ours.err == errLineTooLong && len(input) > maxLine
		}},
	{"the header block is bounded",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", MaxHeaderBytes/6) + "Content-Length: 0\r\n\r\n",
		func(input []byte, ours, _ verdict) bool {
			return ours.err == errHeaderTooLong && len(input) > MaxHeaderBytes
		}},
	{"a chunk of 2^62 bytes is refused",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhi",
		func(_ []byte, ours, theirs verdict) bool {
			return ours.err == errChunkSize && theirs.outcome != "complete"
		}},
	{"a blank line that ends in a bare LF is refused in a trailer",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\nC: d\r\n\r\n",
		func(_ []byte, ours, _ verdict) bool { return ours.err == errBareLF }},
}

// compare returns an error if the verdicts differ and no documented difference says why.
func compare(input []byte, ours, theirs verdict) error {
	if same(ours, theirs) {
		return nil
	}
	for _, d := range differences {
		if d.applies(input, ours, theirs) {
			return nil
		}
	}
	return fmt.Errorf("%.300q\n  ours     %v\n  net/http %v", input, ours, theirs)
}

// same compares all but the errors' texts.
func same(a, b verdict) bool {
	a.err, b.err = nil, nil
	return a == b
}

// check holds input against net/http, and against itself in pieces and read by a
// Reply that has read others before, and the same.
func check(t *testing.T, input []byte, head bool, cuts []byte) {
	t.Helper()
	whole := ours(input, head, nil)
	if err := compare(input, whole, theirs(input, head, io.EOF)); err != nil {
		t.Error(err)
	}
	r := new(Reply)
	r.Reset(!head)
	feed(r, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nContent-Length: 7\r\n\r\n5;x\r\nhello\r\n3"), []byte{3, 70})
	r.Reset(!head)
	feed(r, input, nil)
	for _, pieces := range [][]byte{nil, cuts, nil, bytes.Repeat([]byte{1}, min(len(input), 20<<10))} {
		r.Reset(head)
		if got := feed(r, input, pieces); !same(got, whole) || fmt.Sprint(got.err) != fmt.Sprint(whole.err) {
			t.Errorf("%.300q\n  in one piece    %v\n  cut by %v  %v", input, whole, pieces[:min(len(pieces), 40)], got)
		}
		if kept := cap(r.partial) + cap(r.value) + cap(r.known.bytes); kept > 3*maxLine {
			t.Errorf("%.200q: keeps %d bytes", input, kept)
		}
	}
	checkOpen(t, input, head)
}

// checkOpen holds the moment at which a reply is complete against net/http, on a
// connection that stays open.
func checkOpen(t *testing.T, input []byte, head bool) {
	t.Helper()
	r := Reply{toHead: head}
	used, done, err := r.Feed(input)
	if err != nil {
		return
	}
	open := theirs(input[:used], head, errHang)
	if done == (open.err == nil) {
		return
	}
	if same(ours(input, head, nil), theirs(input, head, io.EOF)) { // or else it is told or documented
		t.Errorf("%.300q, still open: complete after %d bytes %t, net/http %v", input, used, done, open)
	}
}

func TestEachDocumentedDifferenceIsReal(t *testing.T) {
	for _, d := range differences {
		mine, other := ours([]byte(d.example), false, nil), theirs([]byte(d.example), false, io.EOF)
		if same(mine, other) {
			t.Errorf("%s: no difference left, both say %v", d.reason, mine)
		}
		if !d.applies([]byte(d.example), mine, other) {
			t.Errorf("%s: does not apply to its example\n  ours     %v\n  net/http %v", d.reason, mine, other)
		}
	}
}

func TestComparisonSeesEveryDifference(t *testing.T) {
	input := []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	right := ours(input, false, nil)
	if err := compare(input, right, theirs(input, false, io.EOF)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*verdict){
		"outcome":  func(v *verdict) { v.outcome = "protocol" },
		"status":   func(v *verdict) { v.status++ },
		"header":   func(v *verdict) { v.header++ },
		"content":  func(v *verdict) { v.content++ },
		"reusable": func(v *verdict) { v.reusable = false },
		"used":     func(v *verdict) { v.used++ },
	} {
		wrong := right
		change(&wrong)
		if compare(input, wrong, right) == nil {
			t.Errorf("another %s passes", name)
		}
	}
}
