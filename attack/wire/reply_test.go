package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	ok      = "HTTP/1.1 200 OK\r\n"
	chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
)

// bloated is chunks of one byte with 16 KiB more framing than the 18 bytes that each
// justifies.
var bloated = strings.Repeat("1;"+strings.Repeat("x", 4014)+"\r\na\r\n", 4) + "1;" + strings.Repeat("x", 398) + "\r\na\r\n"

// rules are what a reader of RFC 9112 would ask of Reply. Each input is all that
// comes before the connection is closed; surplus is what follows the reply.
var rules = []struct {
	rule     string
	input    string
	outcome  string
	status   int
	content  int64
	reusable bool
	surplus  int
}{
	{"a length ends the body", ok + "Content-Length: 5\r\n\r\nhello", "complete", 200, 5, true, 0},
	{"a length of 0 ends the reply with its header", ok + "Content-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"bytes after the length are surplus", ok + "Content-Length: 5\r\n\r\nhelloEXTRA", "complete", 200, 5, true, 5},
	{"a body shorter than its length is truncated", ok + "Content-Length: 10\r\n\r\nhello", "truncated", 200, 5, false, 0},
	{"a body without length ends with the connection", ok + "\r\nHello World!", "complete", 200, 12, false, 0},
	{"a closed connection may leave an empty body", ok + "\r\n", "complete", 200, 0, false, 0},
	{"no reply at all is truncated", "", "truncated", 0, 0, false, 0},
	{"a header cut between lines is truncated", ok + "A: b\r\n", "truncated", 0, 0, false, 0},
	{"a header cut in a value is truncated", ok + "A: b", "truncated", 0, 0, false, 0},
	{"text that is no HTTP is a protocol error even if cut", "<html>hi</html>", "protocol", 0, 0, false, 0},

	{"204 has no body", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "complete", 204, 0, true, 0},
	{"304 has no body", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "complete", 304, 0, true, 0},
	{"204 without fields leaves the connection usable", "HTTP/1.1 204 No Content\r\n\r\n", "complete", 204, 0, true, 0},
	{"205 has a body like any other", "HTTP/1.1 205 Reset\r\nContent-Length: 1\r\n\r\nx", "complete", 205, 1, true, 0},

	{"the reason may be missing", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"blanks before the status are passed over", "HTTP/1.1   200 OK\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"a status of two digits is refused", "HTTP/1.1 20 OK\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a status of four digits is refused", "HTTP/1.1 2000 OK\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a signed status is refused", "HTTP/1.1 +20 OK\r\n\r\n", "protocol", 0, 0, false, 0},
	{"999 is a status", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", "complete", 999, 0, true, 0},
	{"000 is a status", "HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n", "complete", 0, 0, true, 0},
	{"HTTP/2.0 in a status line is refused", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"HTTP/1.7 is read as 1.1", "HTTP/1.7 200 OK\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"a blank line before the status line is refused", "\r\n" + ok + "\r\n", "protocol", 0, 0, false, 0},

	{"HTTP/1.0 closes", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "complete", 200, 2, false, 0},
	{"HTTP/1.0 with keep-alive does not close", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok", "complete", 200, 2, true, 0},
	{"close outweighs keep-alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\nok", "complete", 200, 2, false, 0},
	{"keep-alive cannot save a body without length", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nok", "complete", 200, 2, false, 0},
	{"HTTP/1.0 does not know chunks", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "complete", 200, 5, false, 0},
	{"HTTP/1.0 with Transfer-Encoding is not trusted again", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: x\r\nContent-Length: 2\r\n\r\nok", "complete", 200, 2, false, 0},
	{"Connection: close is heard in any case and place", ok + "CONNECTION: a,\tClOsE , b\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, false, 0},
	{"a word that holds close is not close", ok + "Connection: closed\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"the second Connection field counts too", ok + "Connection: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, false, 0},

	{"100 is passed over", "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok", "complete", 200, 2, true, 0},
	{"fields of an interim reply do not count", "HTTP/1.1 103 Early\r\nConnection: close\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok", "complete", 200, 2, true, 0},
	{"an interim reply alone is truncated", "HTTP/1.1 100 Continue\r\n\r\n", "truncated", 0, 0, false, 0},
	{"a fault in an interim reply counts", "HTTP/1.1 100 Continue\r\nContent-Length: x\r\n\r\n" + ok + "\r\n", "protocol", 0, 0, false, 0},
	{"101 is final and takes the connection", "HTTP/1.1 101 Switching Protocols\r\n\r\nframes", "complete", 101, 0, false, 6},

	{"equal lengths are one", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", "complete", 200, 2, true, 0},
	{"different lengths are refused", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", "protocol", 0, 0, false, 0},
	{"lengths that differ in zeros are refused", ok + "Content-Length: 2\r\nContent-Length: 02\r\n\r\nok", "protocol", 0, 0, false, 0},
	{"a list of lengths is refused", ok + "Content-Length: 2, 2\r\n\r\nok", "protocol", 0, 0, false, 0},
	{"an empty length is refused", ok + "Content-Length:\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a negative length is refused", ok + "Content-Length: -1\r\n\r\n", "protocol", 0, 0, false, 0},
	{"the largest length is 2^63-1", ok + "Content-Length: 9223372036854775807\r\n\r\nok", "truncated", 200, 2, false, 0},
	{"a length of 2^63 is refused", ok + "Content-Length: 9223372036854775808\r\n\r\nok", "protocol", 0, 0, false, 0},
	{"a bad length of a header cut short is truncated", ok + "Content-Length: x\r\nA:", "truncated", 0, 0, false, 0},
	{"a folded length is whole only with its fold", ok + "Content-Length:\r\n 2\r\n\r\nok", "complete", 200, 2, true, 0},
	{"a length folded in two numbers is refused", ok + "Content-Length: 1\r\n 2\r\n\r\nok", "protocol", 0, 0, false, 0},
	{"chunked overrides a length", ok + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "complete", 200, 2, true, 0},

	{"chunked is read in any case", ok + "Transfer-Encoding: ChunkED\r\n\r\n0\r\n\r\n", "complete", 200, 0, true, 0},
	{"chunked twice is refused", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"another coding is refused", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"chunks add up without their framing", chunked + "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", "complete", 200, 21, true, 0},
	{"chunk extensions are passed over", chunked + "2;foo=bar\r\nhi\r\n0;last\r\n\r\n", "complete", 200, 2, true, 0},
	{"blanks before a chunk extension are refused", chunked + "2 ; q=\"a b\"\r\nhi\r\n0\r\n\r\n", "protocol", 200, 0, false, 0},
	{"blanks after a chunk size are passed over", chunked + "2 \r\nhi\r\n0\r\n\r\n", "complete", 200, 2, true, 0},
	{"a chunk size has 16 digits at most", chunked + "00000000000000002\r\nhi\r\n0\r\n\r\n", "protocol", 200, 0, false, 0},
	{"an absurd chunk size is refused", chunked + "ffffffffffffffff\r\n", "protocol", 200, 0, false, 0},
	{"a chunk of 2^62 bytes is absurd", chunked + "4000000000000000\r\n", "protocol", 200, 0, false, 0},
	{"a chunk of one byte less is not", chunked + "3fffffffffffffff\r\n", "truncated", 200, 0, false, 0},
	{"an empty chunk size is refused", chunked + "\r\n", "protocol", 200, 0, false, 0},
	{"a chunk line must not end in a bare LF", chunked + "2\nhi\r\n0\r\n\r\n", "protocol", 200, 0, false, 0},
	{"a chunk line must not hold a CR", chunked + "2;a\rb\r\nhi\r\n0\r\n\r\n", "protocol", 200, 0, false, 0},
	{"a chunk longer than its size is refused without waiting for a line", chunked + "2\r\nhiXX", "protocol", 200, 2, false, 0},
	{"content that is mostly chunk extensions is refused", chunked + strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\na\r\n", 9), "protocol", 200, 4, false, 0},
	{"16 KiB of framing beyond what the chunks justify are allowed", chunked + bloated + "0\r\n\r\n", "complete", 200, 5, true, 0},
	{"one byte more of it is refused", chunked + bloated + "1;" + strings.Repeat("x", 15) + "\r\na\r\n", "protocol", 200, 5, false, 0},
	{"chunks of one byte each are allowed", chunked + strings.Repeat("1\r\na\r\n", 9000) + "0\r\n\r\n", "complete", 200, 9000, true, 0},
	{"chunks without the last are truncated", chunked + "2\r\nhi\r\n", "truncated", 200, 2, false, 0},
	{"a trailer belongs to the reply and is no content", chunked + "2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\nEXTRA", "complete", 200, 2, true, 5},
	{"a trailer without its blank line is truncated", chunked + "2\r\nhi\r\n0\r\nX-Sum: 7\r\n", "truncated", 200, 2, false, 0},
	{"a trailer line without colon is refused", chunked + "0\r\nX-Sum\r\n\r\n", "protocol", 200, 0, false, 0},
	{"framing fields in a trailer do not count", chunked + "0\r\nContent-Length: 7\r\n\r\n", "complete", 200, 0, true, 0},
	{"a trailer announced to hold framing fields is refused", ok + "Trailer: X, Content-Length\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"an endless trailer is refused", chunked + "0\r\n" + strings.Repeat("X-Sum: 7\r\n", 410), "protocol", 200, 0, false, 0},

	{"header lines may end in a bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "complete", 200, 2, true, 0},
	{"folded lines are passed over", ok + "A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"the first line must not be folded", ok + " A: b\r\nContent-Length: 0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a line without colon is refused", ok + "A b\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a field without name is refused", ok + ": b\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a name of other than token bytes is refused", ok + "A(b): c\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a blank before the colon makes another field", ok + "Content-Length : 2\r\n\r\nokay", "complete", 200, 4, false, 0},
	{"a control byte in a value is refused", ok + "A: b\x00c\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a CR in a value is refused", ok + "A: b\rc\r\n\r\n", "protocol", 0, 0, false, 0},
	{"tabs and bytes beyond ASCII are text", ok + "A: b\t\xe4\xffc\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"a value of 64 KiB is passed over", ok + "Set-Cookie: " + strings.Repeat("x", 64<<10) + "\r\nContent-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"2000 lines are passed over", ok + strings.Repeat("X-Short: y\r\n", 2000) + "Content-Length: 0\r\n\r\n", "complete", 200, 0, true, 0},
	{"an endless line is refused", ok + "A: " + strings.Repeat("a", MaxHeaderBytes), "protocol", 0, 0, false, 0},
	{"endless lines are refused", ok + strings.Repeat("A: b\r\n", MaxHeaderBytes/6), "protocol", 0, 0, false, 0},
	{"endless interim replies are refused", strings.Repeat("HTTP/1.1 100 Go on\r\n\r\n", MaxHeaderBytes/20), "protocol", 0, 0, false, 0},
	{"a framing field beyond 8 KiB is refused", ok + "Connection: " + strings.Repeat("a,", maxLine/2-8) + "close\r\nContent-Length: 0\r\n\r\n", "protocol", 0, 0, false, 0},
	{"a framing field folded beyond 8 KiB is refused", ok + "Connection: a" + strings.Repeat("\r\n ,a", maxLine) + "\r\nContent-Length: 0\r\n\r\n", "protocol", 0, 0, false, 0},
}

func TestRules(t *testing.T) {
	for _, c := range rules {
		t.Run(c.rule, func(t *testing.T) {
			got := ours([]byte(c.input), false, nil)
			if got.outcome != c.outcome || got.status != c.status || got.content != c.content || got.reusable != c.reusable {
				t.Errorf("%.300q: got %v, want %s, status %d, content %d, reusable %t", c.input, got, c.outcome, c.status, c.content, c.reusable)
			}
			if got.outcome == "complete" && got.used != len(c.input)-c.surplus {
				t.Errorf("%.300q: used %d of %d bytes, want a surplus of %d", c.input, got.used, len(c.input), c.surplus)
			}
			check(t, []byte(c.input), false, []byte{1, 200, 30})
		})
	}
}

func TestReplyToHeadHasNoBody(t *testing.T) {
	for _, header := range []string{"Content-Length: 51115\r\n", "Transfer-Encoding: chunked\r\n", ""} {
		got := ours([]byte(ok+header+"\r\nbody"), true, nil)
		want := verdict{outcome: "complete", status: 200, header: len(ok + header + "\r\n"), reusable: true, used: len(ok + header + "\r\n")}
		if got != want {
			t.Errorf("%q: got %v, want %v", header, got, want)
		}
	}
}

func TestZeroReplyReadsTheReplyToAGet(t *testing.T) {
	var r Reply
	if used, done, err := r.Feed([]byte(ok + "Content-Length: 2\r\n\r\nok")); used != len(ok)+23 || !done || err != nil {
		t.Errorf("used %d, done %t, error %v", used, done, err)
	}
}

func TestOnlyALateCloseIsErrTruncated(t *testing.T) {
	for input, truncated := range map[string]bool{"": true, ok: true, "HTTP/1.1 200 OK": true, "garbage": false, ok + "no colon": false} {
		var r Reply
		if _, _, err := r.Feed([]byte(input)); err != nil {
			t.Fatal(err)
		}
		if err := r.End(); err == nil || errors.Is(err, ErrTruncated) != truncated {
			t.Errorf("%q: End says %v", input, err)
		}
	}
}

func TestServerIsTheFirstOfTheFinalReply(t *testing.T) {
	input := []byte("HTTP/1.1 103 Early\r\nServer: early\r\n\r\n" + ok + "SERVER:  nginx/1.26.3 \r\n (Debian)\r\nServer: other\r\nContent-Length: 0\r\n\r\n")
	var r Reply
	for _, r.WantServer = range []bool{false, true, true, false} {
		for _, cuts := range [][]byte{nil, {50, 1, 1}, nil} {
			r.Reset(false)
			feed(&r, input, cuts)
			if want := map[bool]string{true: "nginx/1.26.3 (Debian)"}[r.WantServer]; string(r.Server) != want {
				t.Errorf("WantServer %t, cut by %v: %q, want %q", r.WantServer, cuts, r.Server, want)
			}
		}
	}
}

func TestEachByteOfNamesAndValuesIsReadAsByNetHTTP(t *testing.T) {
	for c := range 256 {
		check(t, append([]byte(ok+"A"), byte(c), 'B', ':', 'c', '\r', '\n', '\r', '\n'), false, nil)
		check(t, append([]byte(ok+"Name: a value of "), byte(c), 'x', '\r', '\n', '\r', '\n'), false, nil)
		check(t, append([]byte(ok+"A"), byte(c), ':', '\r', '\n', '\r', '\n'), false, nil)
	}
}

// parts make replies that random bytes would take long to find.
var parts = strings.Split(strings.ReplaceAll("HTTP/1.1 200 OK|HTTP/1.0 200 OK|HTTP/1.1 100 Continue|HTTP/1.1 204|HTTP/1.1 101 x|"+
	"Content-Length: 2|Content-Length: 02|Content-Length:|Content-Length: x|Transfer-Encoding: chunked|transfer-encoding: CHUNKED|Transfer-Encoding:|Transfer-Encoding : chunked|"+
	"Connection: close|Connection: keep-alive|Connection:|Trailer: X|Trailer: content-length|Server: s|X: y|X y: z|X|X:\x01|"+
	" folded| chunked| 2|\t|\r||||2|2;x|0|0;x|00 |ok|okok|:", "|", "\x1f"), "\x1f")

func TestRepliesMadeOfPartsAreReadAsByNetHTTP(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	complete := 0
	for range 8000 {
		var b bytes.Buffer
		b.WriteString(parts[random.IntN(4)])
		for range 2 + random.IntN(12) {
			b.WriteString([]string{"\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", ""}[random.IntN(7)])
			b.WriteString(parts[random.IntN(len(parts))])
		}
		b.WriteString("\r\n\r\n")
		check(t, b.Bytes(), random.IntN(4) == 0, []byte{byte(random.IntN(60)), byte(random.IntN(9)), byte(random.IntN(40))})
		if ours(b.Bytes(), false, nil).outcome == "complete" {
			complete++
		}
		if t.Failed() {
			return
		}
	}
	if complete < 300 {
		t.Errorf("only %d of the replies are complete", complete)
	}
}

func TestAReplyInOnePieceIsReadWithoutAllocation(t *testing.T) {
	for _, input := range []string{nginxReply, chunked + "2;x\r\nhi\r\n0\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Connection: close\r\n\r\nhello"} {
		b, r := []byte(input), Reply{WantServer: true}
		n := testing.AllocsPerRun(100, func() {
			r.Reset(false)
			if _, _, err := r.Feed(b); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%.40q: %v allocations", input, n)
		}
	}
}

func TestAReplyInPiecesIsReadWithoutAllocationOnceTheBuffersStand(t *testing.T) {
	b, r := []byte(nginxReply), Reply{}
	n := testing.AllocsPerRun(100, func() {
		r.Reset(false)
		for i := range b {
			if _, _, err := r.Feed(b[i : i+1]); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestTextIsFoundByteForByteAsEightAtATime(t *testing.T) {
	for at := range 20 {
		for c := range 256 {
			b := bytes.Repeat([]byte{0x20, 0xff, '\t', 0x7e, 0x80, 'a'}, 4)[:20]
			b[at] = byte(c)
			if got, want := isText(b), c >= ' ' && c != 0x7f || c == '\t'; got != want {
				t.Errorf("byte %#x at %d: text %t, want %t", c, at, got, want)
			}
		}
	}
}
