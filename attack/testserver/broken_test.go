package testserver

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		kind  Failure
		check func(t *testing.T, got []byte, err error)
	}{
		{FailStatus, func(t *testing.T, got []byte, err error) {
			if !bytes.HasPrefix(got, []byte("HTTP/1.1 500 ")) || !bytes.HasSuffix(got, []byte("\r\n\r\nInternal Server Error\n")) || err != nil {
				t.Errorf("got %q (%v), want a reply of 500", got, err)
			}
		}},
		{FailReset, func(t *testing.T, got []byte, err error) {
			if len(got) > 0 || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("got %q (%v), want a reset", got, err)
			}
		}},
		{FailTruncate, func(t *testing.T, got []byte, err error) {
			if !bytes.Contains(got, []byte("Content-Length: 8\r\n")) || !bytes.HasSuffix(got, []byte("\r\n\r\nxxxx")) || err != nil {
				t.Errorf("got %q (%v), want half of the body and FIN", got, err)
			}
		}},
		{FailHang, nil},
		{FailRefuse, func(t *testing.T, got []byte, err error) {
			if len(got) > 0 || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("got %q (%v), want a reset", got, err)
			}
		}},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			s := start(t, Config{Size: 8, Fail: map[Failure]float64{c.kind: 1}})
			if c.kind == FailHang {
				hang(t, s)
				return
			}
			got, err := exchange(s.Addr())
			c.check(t, got, err)
			if n := s.Stats(); n.Failed[c.kind] != 1 {
				t.Errorf("stats %+v, want one %s", n, c.kind)
			}
		})
	}
}

func hang(t *testing.T, s *Server) {
	conn := dial(t, s.Addr(), get)
	until(t, "the hang", func() bool { return s.Stats().Failed[FailHang] == 1 })
	_ = conn.SetDeadline(time.Now().Add(50 * time.Millisecond))
	got, err := io.ReadAll(conn)
	var timeout net.Error
	if len(got) > 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("got %q (%v), want nothing", got, err)
	}
}

func TestFailureShares(t *testing.T) {
	s := start(t, Config{Fail: map[Failure]float64{FailStatus: 0.1, FailRefuse: 0.25}})
	failed := 0
	for range 80 {
		got, _ := exchange(s.Addr())
		if bytes.HasPrefix(got, []byte("HTTP/1.1 500")) {
			failed++
		}
	}
	n := s.Stats()
	if failed != 6 || n.Failed[FailStatus] != 6 || n.Failed[FailRefuse] != 20 || n.Requests != 60 {
		t.Errorf("%d of status 500, stats %+v: want 20 of 80 connections refused, 6 of 60 requests failed", failed, n)
	}
}

// exchange makes one request on a connection of its own, which may be reset at any moment.
func exchange(address net.Addr) ([]byte, error) {
	c, err := net.DialTimeout("tcp", address.String(), patience)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
	got, readErr := io.ReadAll(c)
	return got, errors.Join(err, readErr)
}
