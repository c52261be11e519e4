package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

const delay = 60 * time.Millisecond

// through starts a relay to a server that treats each connection as handle does, and
// returns a connection through it.
func through(t *testing.T, handle func(*net.TCPConn)) *net.TCPConn {
	t.Helper()
	server := listen(t)
	go func() { // ends with the listener
		for {
			conn, err := server.AcceptTCP()
			if err != nil {
				return
			}
			handle(conn)
		}
	}()
	conn, err := dial(t, start(t, server.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// start starts a relay to target and returns its address.
func start(t *testing.T, target string) string {
	t.Helper()
	l := listen(t)
	done := make(chan error, 1)
	go func() { done <- serve(l, target, delay) }()
	t.Cleanup(func() {
		l.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) (*net.TCPConn, error) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn.(*net.TCPConn), nil
}

func echo(conn *net.TCPConn) {
	_, _ = io.Copy(conn, conn)
	conn.Close()
}

// The reply comes two delays after the request, never earlier: later is a busy
// machine's matter.
func TestRelayDelaysBothDirections(t *testing.T) {
	conn := through(t, echo)
	begun := time.Now()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hello" {
		t.Fatalf("read %q, %v", got, err)
	}
	if took := time.Since(begun); took < 2*delay {
		t.Errorf("the echo took %v, want at least %v", took, 2*delay)
	}
}

// Were a chunk sent only after the one before has arrived, 16 MiB would take 256
// delays, 15 s and more.
func TestRelayDoesNotNarrow(t *testing.T) {
	conn := through(t, echo)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	go func() { // ends with the connection
		_, _ = conn.Write(sent)
		_ = conn.CloseWrite()
	}()
	begun := time.Now()
	got, err := io.ReadAll(conn)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("read %d bytes, want the %d that were sent: %v", len(got), len(sent), err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("16 MiB took %v", took)
	}
}

// A server that answers when the client has said all sees the half-close.
func TestRelayCarriesHalfClose(t *testing.T) {
	conn := through(t, func(conn *net.TCPConn) {
		all, _ := io.ReadAll(conn)
		_, _ = conn.Write(append(all, '.'))
		conn.Close()
	})
	_, _ = conn.Write([]byte("all"))
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "all." {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestRelayCarriesReset(t *testing.T) {
	conn := through(t, func(conn *net.TCPConn) {
		_, _ = conn.Read(make([]byte, 1))
		reset(conn)
	})
	_, _ = conn.Write([]byte("x"))
	if _, err := io.ReadAll(conn); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read ended with %v, want a reset", err)
	}
}

// The reset may be there before connect(2) has returned.
func TestRelayResetsWhatItCannotForward(t *testing.T) {
	gone := listen(t)
	gone.Close()
	conn, err := dial(t, start(t, gone.Addr().String()))
	if err == nil {
		_, err = io.ReadAll(conn)
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("ended with %v, want a reset", err)
	}
}
