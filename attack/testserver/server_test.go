package testserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// patience bounds everything that a test waits for.
const patience = 20 * time.Second

func start(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// dial opens a connection on which the given bytes have been sent.
func dial(t *testing.T, address net.Addr, send string) *net.TCPConn {
	t.Helper()
	c, err := net.DialTimeout("tcp", address.String(), patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, send); err != nil {
		t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// until waits for a condition that the server is about to meet.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	for begin := time.Now(); !met(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

func TestReplyBytes(t *testing.T) {
	s := start(t, Config{Size: 3})
	const ok = "HTTP/1.1 200 OK\r\nServer: ratebench-serve\r\nContent-Length: 3\r\n"
	const bad = "HTTP/1.1 400 Bad Request\r\nServer: ratebench-serve\r\nContent-Length: 12\r\nConnection: close\r\n\r\nBad Request\n"
	for _, c := range []struct{ name, send, want string }{
		{"persistent", get + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", ok + "\r\nxxx" + ok + "Connection: close\r\n\r\nxxx"},
		{"HEAD", "HEAD / HTTP/1.1\r\nConnection: x, Close\r\n\r\n", ok + "Connection: close\r\n\r\n"},
		{"old", "GET / HTTP/1.0\r\n\r\n", ok + "Connection: close\r\n\r\nxxx"},
		{"old, keep-alive", "GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
			ok + "Connection: keep-alive\r\n\r\nxxx" + ok + "Connection: close\r\n\r\nxxx"},
		{"body", "POST / HTTP/1.1\r\ncontent-length: 7\r\n\r\n\r\n\r\nabcGET / HTTP/1.0\r\n\r\n", ok + "\r\nxxx" + ok + "Connection: close\r\n\r\nxxx"},
		{"no request", "hello\r\n\r\n", bad},
		{"header line", "GET / HTTP/1.1\r\nhello\r\n\r\n", bad},
		{"length", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", bad},
		{"chunked", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", bad},
	} {
		got, err := io.ReadAll(dial(t, s.Addr(), c.send))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
	if n := s.Stats(); n.Connections != 9 || n.Requests != 8 || n.Replies != 8 || n.Malformed != 4 {
		t.Errorf("stats %+v: want 9 connections, 8 requests, 8 replies, 4 malformed", n)
	}
}

func TestHeadTooLong(t *testing.T) {
	s := start(t, Config{})
	c := dial(t, s.Addr(), "")
	go func() { // ends with the connection
		_, _ = io.Copy(c, strings.NewReader("GET / HTTP/1.1\r\nX: "+strings.Repeat("x", 2*maxHead)))
	}()
	until(t, "the refusal", func() bool { return s.Stats().Malformed == 1 })
}

func TestDelayAndStall(t *testing.T) {
	s := start(t, Config{Delay: 20 * time.Millisecond, Stamps: true})
	if got := readStamp(t, bufio.NewReader(dial(t, s.Addr(), get))); got.departure-got.arrival < 20*ms {
		t.Errorf("delay: %+v, want 20 ms between", got)
	}
	s = start(t, Config{StallFor: 100 * time.Millisecond, Stamps: true})
	first, other := dial(t, s.Addr(), get), dial(t, s.Addr(), get)
	a, b := readStamp(t, bufio.NewReader(first)), readStamp(t, bufio.NewReader(other))
	if end := min(a.arrival, b.arrival) + 100*ms; a.departure < end || b.departure < end {
		t.Errorf("stall: %+v and %+v, want none before %d", a, b, end)
	}
}

func TestQueueLimit(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: time.Hour, Queue: 2})
	for range 2 {
		dial(t, s.Addr(), get)
	}
	until(t, "two requests", func() bool { return s.Stats().Requests == 2 })
	for range 3 {
		reply, err := http.ReadResponse(bufio.NewReader(dial(t, s.Addr(), get)), nil)
		if err != nil || reply.StatusCode != 503 {
			t.Fatalf("reply %v, error %v, want 503", reply, err)
		}
	}
	if n := s.Stats(); n.Rejected != 3 || n.Replies != 3 {
		t.Errorf("stats %+v, want 3 rejected", n)
	}
}

func TestDropClosedHandsOn(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: time.Second, DropClosed: true, Stamps: true})
	first := dial(t, s.Addr(), get)
	until(t, "the first request", func() bool { return s.Stats().Requests == 1 })
	other := dial(t, s.Addr(), get)
	until(t, "the second request", func() bool { return s.Stats().Requests == 2 })
	_ = first.Close()
	until(t, "the drop", func() bool { return s.Stats().Dropped == 1 })
	got := readStamp(t, bufio.NewReader(other))
	if late := s.Stats().MaxLate; got.departure-got.arrival > second+int64(late) {
		t.Errorf("the second took %d ns, want less than one service time (late by %v)", got.departure-got.arrival, late)
	}
}

func TestHalfClosed(t *testing.T) {
	for _, drop := range []bool{false, true} {
		s := start(t, Config{Workers: 1, ServiceTime: 50 * time.Millisecond, DropClosed: drop, Size: 1})
		c := dial(t, s.Addr(), get+get)
		_ = c.CloseWrite()
		got, err := io.ReadAll(c)
		if n := bytes.Count(got, []byte("HTTP/1.1 200")); err != nil || drop != (n == 0) || !drop && n != 2 {
			t.Errorf("drop-closed %v: %d replies (%v)", drop, n, err)
		}
	}
}

func TestClosedClientsStillCostWork(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: 50 * time.Millisecond, Stamps: true})
	for range 3 {
		c := dial(t, s.Addr(), get)
		_ = c.SetLinger(0)
		until(t, "the request", func() bool { return s.Stats().Requests > 0 })
		_ = c.Close()
	}
	until(t, "three requests", func() bool { return s.Stats().Requests == 3 })
	got := readStamp(t, bufio.NewReader(dial(t, s.Addr(), get)))
	if got.departure-got.arrival < 50*ms {
		t.Errorf("the fourth took %d ns, want a service time at least", got.departure-got.arrival)
	}
}

func TestBigReplyToSlowReader(t *testing.T) {
	const size = 8 << 20
	s := start(t, Config{Size: size})
	c := dial(t, s.Addr(), get+get)
	until(t, "both requests", func() bool { return s.Stats().Requests == 2 })
	from := bufio.NewReader(c)
	for range 2 {
		reply, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, reply.Body); n != size || err != nil {
			t.Fatalf("read %d bytes (%v), want %d", n, err, size)
		}
	}
	until(t, "the second reply's end", func() bool { return s.Stats().Replies == 2 })
}

func TestThousandConnections(t *testing.T) {
	s := start(t, Config{StallFor: 200 * time.Millisecond, Size: 10})
	var conns []*net.TCPConn
	for range 1000 {
		conns = append(conns, dial(t, s.Addr(), get))
	}
	for i, c := range conns {
		reply, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || reply.StatusCode != 200 {
			t.Fatalf("connection %d: %v, %v", i, reply, err)
		}
		_ = c.Close()
	}
	if n := s.Stats(); n.Connections != 1000 || n.Replies != 1000 {
		t.Errorf("stats %+v, want 1000 replies", n)
	}
}

func TestPipelinedTooFar(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: time.Hour})
	got, _ := io.ReadAll(dial(t, s.Addr(), strings.Repeat(get, maxPipelined+1)))
	if len(got) > 0 {
		t.Errorf("got %q, want to be cut off", got)
	}
}

// goroutines lists this package's goroutines apart from tests.
func goroutines() []string {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	var ours []string
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, "testserver.(*") {
			ours = append(ours, stack)
		}
	}
	return ours
}

func TestCloseLeavesNothing(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: time.Hour, Size: 8 << 20, Queue: 3})
	quick := start(t, Config{Size: 8 << 20, Fail: map[Failure]float64{FailHang: 0.5}})
	for range 5 { // in service, waiting, rejected; half a reply written, hung
		dial(t, s.Addr(), get+get)
		dial(t, quick.Addr(), get)
	}
	dial(t, s.Addr(), "GET / HT")
	until(t, "the requests", func() bool { return s.Stats().Requests == 10 && quick.Stats().Requests == 5 })
	if len(goroutines()) < 10 {
		t.Errorf("%d goroutines at work, want more: the check below sees nothing", len(goroutines()))
	}
	for range 2 {
		if err := errors.Join(s.Close(), quick.Close()); err != nil {
			t.Error(err)
		}
	}
	// A goroutine that has told its WaitGroup is still on its way out for a moment.
	until(t, "the goroutines to end", func() bool { return len(goroutines()) == 0 })
	if _, err := net.DialTimeout("tcp", s.Addr().String(), time.Second); err == nil {
		t.Error("the closed server still listens")
	}
}

func TestListenOnIPv6(t *testing.T) {
	s := start(t, Config{Listen: "[::1]:0"})
	if !strings.HasPrefix(s.URL(), "http://[::1]:") {
		t.Errorf("URL %s", s.URL())
	}
	dial(t, s.Addr(), get)
	until(t, "the reply", func() bool { return s.Stats().Replies == 1 })
}
