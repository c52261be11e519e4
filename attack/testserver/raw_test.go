package testserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

func startRaw(t *testing.T, c RawConfig) *Raw {
	t.Helper()
	r, err := StartRaw(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

const rawOK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// take reads exactly as many bytes as want has and fails if they differ.
func take(t *testing.T, from io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(from, got); err != nil || string(got) != want {
		t.Fatalf("read %q (%v), want %q", got[:n], err, want)
	}
}

// ended reads to the end and fails unless that is the given error, nil for FIN.
func ended(t *testing.T, from io.Reader, wantBefore string, wantErr error) {
	t.Helper()
	got, err := io.ReadAll(from)
	if string(got) != wantBefore || !errors.Is(err, wantErr) {
		t.Errorf("read %q (%v) to the end, want %q (%v)", got, err, wantBefore, wantErr)
	}
}

func TestRawEndings(t *testing.T) {
	for _, c := range []struct {
		ending Ending
		check  func(t *testing.T, c *net.TCPConn)
	}{
		{Ending{}, func(t *testing.T, c *net.TCPConn) {
			take(t, c, rawOK)
			_, _ = io.WriteString(c, get+"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n\r\n\r\n")
			take(t, c, rawOK+rawOK)
		}},
		{Ending{How: CloseFIN}, func(t *testing.T, c *net.TCPConn) { ended(t, c, rawOK, nil) }},
		{Ending{How: Reset}, func(t *testing.T, c *net.TCPConn) { ended(t, c, rawOK, syscall.ECONNRESET) }},
		{Ending{How: Hang}, func(t *testing.T, c *net.TCPConn) {
			take(t, c, rawOK)
			_ = c.SetDeadline(time.Now().Add(50 * time.Millisecond))
			var timeout net.Error
			if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("read %d bytes (%v), want none", n, err)
			}
		}},
		{Ending{How: Drip, Wait: time.Millisecond}, func(t *testing.T, c *net.TCPConn) {
			begin := time.Now()
			take(t, c, rawOK)
			if d := time.Since(begin); d < time.Duration(len(rawOK)-10)*time.Millisecond {
				t.Errorf("%d bytes in %v, want them 1 ms apart", len(rawOK), d)
			}
			_, _ = io.WriteString(c, get)
			take(t, c, rawOK)
		}},
		{Ending{How: Late, Wait: time.Millisecond, More: []byte("late")}, func(t *testing.T, c *net.TCPConn) {
			ended(t, c, rawOK+"late", nil)
		}},
	} {
		t.Run(string(c.ending.How), func(t *testing.T) {
			r := startRaw(t, RawConfig{Reply: []byte(rawOK), Ending: c.ending})
			c.check(t, dial(t, r.Addr(), get))
		})
	}
}

func TestRawIdleKill(t *testing.T) {
	for how, want := range map[How]error{CloseFIN: nil, Reset: syscall.ECONNRESET} {
		r := startRaw(t, RawConfig{Reply: []byte(rawOK), IdleKill: how})
		c := dial(t, r.Addr(), get)
		take(t, c, rawOK)
		_, _ = io.WriteString(c, get)
		ended(t, c, "", want)
		if r.Conns() != 1 || r.Requests() != 2 {
			t.Errorf("%s: %d connections, %d requests, want 1 and 2", how, r.Conns(), r.Requests())
		}
	}
}

func TestRawAnswerAndSeen(t *testing.T) {
	r := startRaw(t, RawConfig{MaxSeen: 12, Answer: func(n int) ([]byte, Ending) {
		if n%10 == 9 {
			return []byte(rawOK[:len(rawOK)-1]), Ending{How: Reset}
		}
		return []byte(rawOK), Ending{How: CloseFIN}
	}})
	for n := range 20 {
		c := dial(t, r.Addr(), fmt.Sprintf("GET /%d HTTP/1.1\r\n\r\n", n))
		if n%10 == 9 {
			ended(t, c, rawOK[:len(rawOK)-1], syscall.ECONNRESET)
		} else {
			ended(t, c, rawOK, nil)
		}
		_ = c.Close()
	}
	seen := r.Seen()
	if len(seen) != 12 || r.Requests() != 20 || r.Conns() != 20 {
		t.Fatalf("%d seen, %d requests, %d connections, want 12, 20, 20", len(seen), r.Requests(), r.Conns())
	}
	for n, q := range seen {
		if q.Conn != n || string(q.Head) != fmt.Sprintf("GET /%d HTTP/1.1\r\n\r\n", n) || n > 0 && q.At <= seen[n-1].At {
			t.Errorf("seen %d: connection %d at %d, %q", n, q.Conn, q.At, q.Head)
		}
	}
}

func TestRawValidate(t *testing.T) {
	_, err := StartRaw(RawConfig{Listen: "x", Ending: Ending{How: "bang"}, IdleKill: Drip})
	for _, want := range []string{`"x"`, `"bang"`, `"drip"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing in: %v", want, err)
		}
	}
}

func TestRawCloseLeavesNothing(t *testing.T) {
	r := startRaw(t, RawConfig{Listen: "127.0.0.2:0", Answer: func(n int) ([]byte, Ending) {
		return []byte(rawOK), []Ending{{}, {How: Hang}, {How: Drip, Wait: time.Hour}, {How: Late, Wait: time.Hour}}[n%4]
	}})
	for range 8 {
		dial(t, r.Addr(), get)
	}
	until(t, "the requests", func() bool { return r.Requests() == 8 })
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	until(t, "the goroutines to end", func() bool { return len(goroutines()) == 0 })
}
