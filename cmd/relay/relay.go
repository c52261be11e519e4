package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

const (
	dialTime = 10 * time.Second
	// chunkSize and queued bound what waits in one direction of a connection: 32 MiB,
	// which 79 ms of 3 Gbit/s are. Beyond it the sender waits, as for a full window.
	chunkSize = 64 << 10
	queued    = 512
)

// serve forwards each connection to target, until the listener is closed.
func serve(listener *net.TCPListener, target string, delay time.Duration) error {
	for {
		client, err := listener.AcceptTCP()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ECONNABORTED):
			time.Sleep(10 * time.Millisecond) // until a connection ends
		case err != nil:
			return fmt.Errorf("accepting: %w", err)
		default:
			go forward(client, target, delay) // ends with its two connections
		}
	}
}

// forward carries a connection in both directions and returns when both are over. A
// target that cannot be reached shows as a reset, as a refused connection can show
// only before it is accepted.
func forward(client *net.TCPConn, target string, delay time.Duration) {
	conn, err := net.DialTimeout("tcp", target, dialTime)
	if err != nil {
		reset(client)
		return
	}
	server := conn.(*net.TCPConn)
	back := make(chan struct{})
	go func() { carry(client, server, delay); close(back) }()
	carry(server, client, delay)
	<-back
	client.Close()
	server.Close()
}

// chunk is what was read at once.
type chunk struct {
	data []byte
	due  time.Time // when it is passed on
	err  error     // nil, or what ended the direction: io.EOF or a fault
}

// carry passes on what comes from one connection to the other, each chunk when it is
// due, and then the end: io.EOF as a half-close, a fault as a reset of both sides.
func carry(to, from *net.TCPConn, delay time.Duration) {
	chunks, stop := make(chan chunk, queued), make(chan struct{})
	defer close(stop)
	go read(from, chunks, stop, delay) // ends with the direction, or when this returns
	for c := range chunks {
		time.Sleep(time.Until(c.due))
		if _, err := to.Write(c.data); err != nil {
			c.err = err
		}
		switch {
		case errors.Is(c.err, io.EOF):
			_ = to.CloseWrite() // fails only if the connection is over
			return
		case c.err != nil:
			reset(to)
			reset(from)
			return
		}
	}
}

// read stamps what comes until there is no more. The last chunk has the reason.
func read(from *net.TCPConn, chunks chan<- chunk, stop <-chan struct{}, delay time.Duration) {
	buffer := make([]byte, chunkSize)
	for {
		n, err := from.Read(buffer)
		c := chunk{append([]byte(nil), buffer[:n]...), time.Now().Add(delay), err}
		select {
		case chunks <- c:
		case <-stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// reset ends a connection so that the peer sees ECONNRESET.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0) // fails only on a closed connection
	conn.Close()
}
