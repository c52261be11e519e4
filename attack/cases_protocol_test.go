package attack_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
)

const (
	ok200   = "HTTP/1.1 200 OK\r\n"
	okReply = ok200 + "Content-Length: 2\r\n\r\nok"
	chunked = ok200 + "Transfer-Encoding: chunked\r\n\r\n"
)

// zipped is text as gzip writes it.
func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func withLength(fields, body string) string {
	return fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n%s", ok200, fields, len(body), body)
}

// Replies that are right, however odd they look.
func TestRepliesThatAreRight(t *testing.T) {
	gz := zipped(strings.Repeat("abc", 10_000))
	hints := "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
	proceed := "HTTP/1.1 100 Continue\r\n\r\n"
	playAll(t, []rawCase{
		{"RC-001 204", says("HTTP/1.1 204 No Content\r\n\r\n"), nil, good(100, "204", 0, 1)},
		{"RC-001 204 with a length", says("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"), nil, good(100, "204", 0, 1)},
		{"RC-001 204 chunked", says("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"), nil, good(100, "204", 0, 1)},
		{"RC-001 304 with a length", says("HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\n\r\n"), nil, good(100, "304", 0, 1)},
		{"204 to a POST", says("HTTP/1.1 204 No Content\r\n\r\n"), func(p *plan.Plan) { p.Method, p.Body = "POST", []byte("body") }, good(20, "204", 0, 1)},
		{"205 without a body", says("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"), nil, good(20, "205", 0, 1)},

		{"RC-002 length", says(ok200 + "Content-Length: 51115\r\n\r\n"), head, good(100, "200", 0, 1)},
		{"HEAD chunked", says(chunked), head, good(20, "200", 0, 1)},
		{"HEAD without a length", says(ok200 + "\r\n"), head, good(20, "200", 0, 1)},
		{"HEAD 404", says("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"), head, good(20, "404", 0, 1)},

		{"RC-004 extension", says(chunked + "2;foo=bar\r\nhi\r\n0;last\r\n\r\n"), nil, good(100, "200", 2, 1)},
		{"extension without a value", says(chunked + "2;x\r\nhi\r\n1;a=b;c=\"d;e\"\r\n!\r\n0\r\n\r\n"), nil, good(20, "200", 3, 1)},
		{"chunk sizes in both cases and with zeros", says(chunked + "A\r\n0123456789\r\n000b\r\n0123456789a\r\n00\r\n\r\n"), nil, good(20, "200", 21, 1)},
		{"chunked in mixed case", says(ok200 + "transfer-ENCODING: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"), nil, good(20, "200", 2, 1)},
		{"chunked with a length", says(ok200 + "Content-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"), nil, good(20, "200", 2, 1)},
		{"no chunk but the last", says(chunked + "0\r\n\r\n"), nil, good(20, "200", 0, 1)},

		{"RC-005 trailer", says(ok200 + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n"), fourEach, good(100, "200", 2, 25)},
		{"RC-005 empty trailer", says(chunked + "2\r\nhi\r\n0\r\n\r\n"), fourEach, good(100, "200", 2, 25)},
		{"trailers that were not announced", says(chunked + "2\r\nhi\r\n0\r\nA: 1\r\nB: 2\r\n\r\n"), fourEach, good(20, "200", 2, 5)},

		{"RC-007 close said", saysThen(ok200+"Content-Type: text/plain\r\nConnection: close\r\n\r\nHello World!", thenFIN), nil, good(100, "200", 12, 100)},
		{"RC-007 close not said", saysThen(ok200+"Content-Type: text/plain\r\n\r\nHello World!", thenFIN), nil, good(100, "200", 12, 100)},
		{"RC-007 two requests a connection", saysThen(ok200+"\r\nHello World!", thenFIN), func(p *plan.Plan) { p.RequestsPerConnection = 2 }, good(100, "200", 12, 100)},
		{"empty body that ends with the connection", saysThen(ok200+"\r\n", thenFIN), nil, good(20, "200", 0, 20)},

		{"large body that ends with the connection", saysThen(ok200+"\r\n"+strings.Repeat("x", 4<<20), thenFIN), nil, good(5, "200", 4<<20, 5)},
		{"large bodies on one connection", says(withLength("", strings.Repeat("x", 4<<20))), nil, good(5, "200", 4<<20, 1)},

		{"RC-011 no reason", says("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"), nil, good(100, "200", 2, 1)},
		{"RC-011 two blanks", says("HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok"), nil, good(100, "200", 2, 1)},
		{"RC-011 999", says("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"), nil, good(100, "999", 2, 1)},
		{"RC-011 000", says("HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nok"), nil, good(100, "000", 2, 1)},
		{"reason with colons and bytes beyond ASCII", says("HTTP/1.1 200 a: b \xff\xc3\xa4\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"599", says("HTTP/1.1 599 Odd\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "599", 2, 1)},
		{"redirect that is not followed", says("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"), nil, good(20, "302", 0, 1)},

		{"RC-013 64 KiB cookie", says(ok200 + "Set-Cookie: " + strings.Repeat("c", 64<<10) + "\r\nContent-Length: 2\r\n\r\nok"), nil, good(100, "200", 2, 1)},
		{"RC-013 2000 fields", says(ok200 + strings.Repeat("X-Field: value\r\n", 2000) + "Content-Length: 2\r\n\r\nok"), nil, good(100, "200", 2, 1)},

		{"RC-014 gzip", says(withLength("Content-Encoding: gzip\r\n", gz)), nil, good(100, "200", uint64(len(gz)), 1)},
		{"RC-014 broken gzip", says(withLength("Content-Encoding: gzip\r\n", "hello")), nil, good(100, "200", 5, 1)},
		{"gzip in chunks", says(chunked + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(gz), gz)), nil, good(20, "200", uint64(len(gz)), 1)},

		{"100 first", says(proceed + okReply), nil, good(20, "200", 2, 1)},
		{"103 first", says(hints + okReply), nil, good(20, "200", 2, 1)},
		{"102, 103 and 100 first", says("HTTP/1.1 102 Processing\r\n\r\n" + hints + hints + proceed + okReply), nil, good(20, "200", 2, 1)},
		{"interim replies with a length", says("HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n" + okReply), nil, good(20, "200", 2, 1)},
		{"a hundred times 100", says(strings.Repeat(proceed, 100) + okReply), nil, good(20, "200", 2, 1)},
		{"103 before 204", says(hints + "HTTP/1.1 204 No Content\r\n\r\n"), nil, good(20, "204", 0, 1)},
		{"103 to a HEAD", says(hints + ok200 + "Content-Length: 7\r\n\r\n"), head, good(20, "200", 0, 1)},

		{"lines that end in LF alone", says("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), nil, good(20, "200", 2, 1)},
		{"folded field", says(ok200 + "X-A: one\r\n two\r\n\tthree\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"folded length", says(ok200 + "Content-Length:\r\n 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"field names in lower case, no blanks", says(ok200 + "content-length:2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"blanks around the value", says(ok200 + "Content-Length: \t 2 \t \r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"two equal lengths", says(ok200 + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"), nil, good(20, "200", 2, 1)},
		{"replies of many kinds in turn", saysInTurn(okReply, chunked+"2\r\nhi\r\n0\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n", proceed+okReply), nil,
			facts{counts{replies: 20, status: map[string]uint64{"200": 15, "304": 5}}, 30, 1}},
		{"content that looks like a reply", says(withLength("", okReply)), nil, good(20, "200", uint64(len(okReply)), 1)},
	})
}

// Replies that are complete but leave bytes behind: the next request must not get them.
func TestSurplusBytes(t *testing.T) {
	playAll(t, []rawCase{
		{"RC-010 surplus", says(ok200 + "Content-Length: 5\r\n\r\nhelloEXTRA"), fourEach, good(100, "200", 5, 100)},
		{"RC-010 stray CR LF", says(ok200 + "Content-Length: 5\r\n\r\nhello\r\n"), fourEach, good(100, "200", 5, 100)},
		{"RC-010 HEAD with a body", says(ok200 + "Content-Length: 5\r\n\r\nhello"), all(head, fourEach), good(100, "200", 0, 100)},
		{"a second reply", says(okReply + "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno"), nil, good(20, "200", 2, 20)},
		{"304 with a body", says("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"), nil, good(20, "304", 0, 20)},
		{"204 with a body", says("HTTP/1.1 204 No Content\r\n\r\nhello"), nil, good(20, "204", 0, 20)},
		{"204 chunked with a body", says("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"), nil, good(20, "204", 0, 20)},
		{"bytes after the last chunk", says(chunked + "2\r\nhi\r\n0\r\n\r\n\x00"), nil, good(20, "200", 2, 20)},
		{"length 0 with a body", says(ok200 + "Content-Length: 0\r\n\r\nhello"), nil, good(20, "200", 0, 20)},
		{"101 and what follows", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello"), nil, good(20, "101", 0, 20)},
	})
}

// Replies that are no replies.
func TestBreachesOfTheProtocol(t *testing.T) {
	breach, few := bad(100, record.Protocol, 100), bad(20, record.Protocol, 20)
	playAll(t, []rawCase{
		// Both engines refuse blanks around a chunk's size, as net/http does.
		{"RC-004 blanks and quotes", says(chunked + "2 ; q=\"a b\"\r\nhi\r\n0\r\n\r\n"), nil, breach},
		{"RC-011 two digits", says("HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok"), nil, breach},
		{"RC-011 garbage", says("garbage\r\n\r\n"), nil, breach},
		{"RC-011 HTTP/0.9", saysThen("<html>hi</html>", thenFIN), nil, breach},
		{"HTTP/0.9 with lines", saysThen("<html>\n<p>hi\n</html>\n", thenFIN), nil, few},
		{"HTTP/2 preface", says("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n"), nil, few},
		{"HTTP/2.0", says("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"HTTP/1.1 alone", says("HTTP/1.1\r\n\r\n"), nil, few},
		{"four digits", says("HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"letters for a status", says("HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"a sign and two digits", says("HTTP/1.1 +20 OK\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"TLS alert in the clear", says("\x15\x03\x01\x00\x02\x02\x46\r\n"), nil, few},
		{"a mail server", says("220 mail.example ESMTP\r\n"), nil, few},
		{"field without a colon", says(ok200 + "X-A 1\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"field without a name", says(ok200 + ": 1\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"zero byte in a value", says(ok200 + "X-A: a\x00b\r\nContent-Length: 2\r\n\r\nok"), nil, few},
		{"two lengths", says(ok200 + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok"), nil, few},
		{"negative length", says(ok200 + "Content-Length: -2\r\n\r\nok"), nil, few},
		{"length with a sign", says(ok200 + "Content-Length: +2\r\n\r\nok"), nil, few},
		{"hexadecimal length", says(ok200 + "Content-Length: 0x2\r\n\r\nok"), nil, few},
		{"length beyond 63 bits", says(ok200 + "Content-Length: 9223372036854775808\r\n\r\nok"), nil, few},
		{"unknown coding", says(ok200 + "Transfer-Encoding: gzip\r\n\r\nok"), nil, few},
		{"chunk size of letters", says(chunked + "xyz\r\nhi\r\n0\r\n\r\n"), nil, few},
		{"negative chunk", says(chunked + "-2\r\nhi\r\n0\r\n\r\n"), nil, few},
		{"empty chunk line", says(chunked + "\r\nhi\r\n0\r\n\r\n"), nil, few},
		{"chunk size beyond 64 bits", says(chunked + "fffffffffffffffff\r\nhi"), nil, few},
		{"chunk longer than its size", says(chunked + "2\r\nhiho\r\n0\r\n\r\n"), nil, few},
		{"trailer that is no field", says(chunked + "2\r\nhi\r\n0\r\nno field\r\n\r\n"), nil, few},
		{"interim reply, then garbage", says("HTTP/1.1 100 Continue\r\n\r\ngarbage\r\n\r\n"), nil, few},
	})
}

// Replies cut short, in good order or not. A line that the end cut is judged as it
// stands, or plain text would pass for a truncated reply.
func TestTruncatedReplies(t *testing.T) {
	playAll(t, []rawCase{
		{"RC-008 close", saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenFIN), nil, bad(100, record.Truncated, 100)},
		{"RC-008 reset", saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenRST), each, bad(100, record.ConnectionReset, 100)},
		{"RC-007 reset", saysThen(ok200+"Content-Type: text/plain\r\n\r\nHello World!", thenRST), each, bad(100, record.ConnectionReset, 100)},
		{"nothing, close", saysThen("", thenFIN), each, bad(20, record.Truncated, 20)},
		{"nothing, reset", saysThen("", thenRST), each, bad(20, record.ConnectionReset, 20)},
		{"in the version, close", saysThen("HTTP/1.1", thenFIN), nil, bad(20, record.Protocol, 20)},
		{"in a field's name, close", saysThen(ok200+"Content-Le", thenFIN), nil, bad(20, record.Protocol, 20)},
		{"in a field's value, close", saysThen(ok200+"Content-Length: 1", thenFIN), nil, bad(20, record.Truncated, 20)},
		{"before the blank line, close", saysThen(ok200+"Content-Length: 0\r\n", thenFIN), nil, bad(20, record.Truncated, 20)},
		{"in a chunk, close", saysThen(chunked+"5\r\nhel", thenFIN), nil, bad(20, record.Truncated, 20)},
		{"before the last chunk, close", saysThen(chunked+"2\r\nhi\r\n", thenFIN), nil, bad(20, record.Truncated, 20)},
		{"after the last chunk's size, close", saysThen(chunked+"2\r\nhi\r\n0\r\n", thenFIN), nil, bad(20, record.Truncated, 20)},
		{"in a chunk, reset", saysThen(chunked+"5\r\nhel", thenRST), each, bad(20, record.ConnectionReset, 20)},
		{"interim reply alone, close", saysThen("HTTP/1.1 103 Early Hints\r\n\r\n", thenFIN), nil, bad(20, record.Truncated, 20)},
	})
}

// Replies that do not end.
func TestRepliesThatHang(t *testing.T) {
	playWaiting(t, []rawCase{
		{"RC-008 hang", saysThen(ok200+"Content-Length: 10\r\n\r\nhello", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"nothing, hang", saysThen("", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"before the blank line, hang", saysThen(ok200+"Content-Length: 0\r\n", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"interim reply alone, hang", saysThen("HTTP/1.1 100 Continue\r\n\r\n", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"huge length that never comes", saysThen(ok200+"Content-Length: 9223372036854775807\r\n\r\nhello", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"huge chunk that never comes", saysThen(chunked+"3fffffffffffffff\r\nhello", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
		{"no length and no close", saysThen(ok200+"\r\nhello", thenHang), impatient, bad(10, record.ClientTimeout, 10)},
	})
}

// A reply may come in any two pieces.
func TestRepliesInPieces(t *testing.T) {
	for name, reply := range map[string]string{
		"length":  "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok200 + "X-A: a\r\n b\r\nContent-Length: 10\r\n\r\n0123456789",
		"chunked": ok200 + "Transfer-Encoding: chunked\r\n\r\na;x=y\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n",
		"close":   ok200 + "Content-Type: text/plain\r\n\r\n0123456789",
	} {
		n := uint64(len(reply)) - 1
		s := testserver.RawConfig{Answer: func(i int) ([]byte, testserver.Ending) {
			cut := i%int(n) + 1
			return []byte(reply[:cut]), testserver.Ending{How: testserver.Late, Wait: 5 * time.Millisecond, More: []byte(reply[cut:])}
		}}
		playAll(t, []rawCase{{name, s, each, good(n, "200", 10, n)}})
	}
}

// Bytes that never end must not fill the memory: the class is that of the bound,
// or the timeout's where there is none to breach.
func TestEndlessReplies(t *testing.T) {
	const size = 50 << 20
	long := []byte(ok200 + "X-A: " + strings.Repeat("a", size))
	endless := func(start, more string) testserver.RawConfig { // for as long as matters
		return saysThen(start+strings.Repeat(more, size/5/len(more)), thenHang)
	}
	breach := bad(4, record.Protocol, 4)
	for _, c := range []rawCase{
		{"RC-013 field", testserver.RawConfig{Reply: long, Ending: thenHang}, each, breach},
		{"field name", endless(ok200, strings.Repeat("a", 1024)), each, breach},
		{"fields", endless(ok200, "X-A: a\r\n"), each, breach},
		{"status line", endless("HTTP/1.1 200 ", strings.Repeat("a", 1024)), each, breach},
		{"no line", endless("", strings.Repeat("a", 1024)), each, breach},
		{"interim replies", endless("", "HTTP/1.1 100 Continue\r\n\r\n"), each, breach},
		{"chunk extension", endless(chunked+"2;", strings.Repeat("a", 1024)), each, breach},
		{"chunk size", endless(chunked, strings.Repeat("0", 1024)), each, breach},
		{"trailer", endless(chunked+"0\r\n", "X-A: a\r\n"), each, breach},
		{"content without a length", endless(ok200+"\r\n", strings.Repeat("a", 1024)),
			impatient, bad(4, record.ClientTimeout, 4)},
	} {
		t.Run(c.name, func(t *testing.T) { // one after the other: they share the allocator's account
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c.play(t)
			runtime.ReadMemStats(&after)
			// What was allocated, ever, bounds what was held. Both engines together.
			if each := (after.TotalAlloc - before.TotalAlloc) / 4 / uint64(len(engines())); each > 20<<20 {
				t.Errorf("%d MiB allocated for each request, want under 20", each>>20)
			}
		})
	}
}

// RC-014: what the server is asked for is what the plan says, nothing more.
func TestRequestsAsTheServerSeesThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := startRaw(t, says(okReply))
		offer(t, t.Context(), newPlan(t, engine, s.URL()+"a%20b?c=d,e", "1000", 10, func(p *plan.Plan) {
			p.Header = []plan.Field{{Name: "X-List", Value: "a, b,c"}, {Name: "accept", Value: "*/*"}}
		}))
		want := "GET /a%20b?c=d,e HTTP/1.1\r\nHost: " + s.Addr().String() + "\r\nUser-Agent: ratebench\r\nX-List: a, b,c\r\naccept: */*\r\n\r\n"
		for _, q := range s.Seen() {
			if string(q.Head) != want {
				t.Errorf("the server read %q, want %q", q.Head, want)
			}
		}
		if len(s.Seen()) != 10 {
			t.Errorf("the server read %d requests, want 10", len(s.Seen()))
		}
	})
}

// Libraries print nothing, whatever comes on a connection that nobody listens on.
func TestNothingIsPrinted(t *testing.T) {
	said := captured(t, func() {
		for _, c := range []rawCase{
			{"RC-005", says(chunked + "2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n"), fourEach, good(100, "200", 2, 25)},
			{"RC-010", says(okReply + "EXTRA"), fourEach, good(100, "200", 2, 100)},
			{"RC-011", says("garbage\r\n\r\n"), nil, bad(100, record.Protocol, 100)},
		} {
			t.Run(c.name, c.play)
		}
	})
	if said != "" {
		t.Errorf("printed %q", said)
	}
	if captured(t, func() { log.Print("x") }) == "" {
		t.Error("what is printed is not captured")
	}
}

// captured is what f prints, through the log package too.
func captured(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	log.SetOutput(file)
	defer func() {
		os.Stdout, os.Stderr = stdout, stderr
		log.SetOutput(stderr)
	}()
	f()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
