package attack_test

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A listener hands every connection to a function of the test: for servers that
// do what no HTTP server would. It closes them all with the test.
type listener struct {
	*net.TCPListener
	conns atomic.Int64
}

func (l *listener) url() string { return "http://" + l.Addr().String() + "/" }

func (l *listener) tlsURL() string { return "https://" + l.Addr().String() + "/" }

func (l *listener) count() int { return int(l.conns.Load()) }

// listen calls serve for each connection, on a goroutine; serve need not close it.
func listen(t *testing.T, serve func(c *net.TCPConn)) *listener {
	t.Helper()
	tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{TCPListener: tcp}
	var serving sync.WaitGroup
	var open sync.Map // its connections
	var closed atomic.Bool
	serving.Go(func() { // ends when the listener is closed
		for {
			c, err := tcp.AcceptTCP()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				continue
			}
			l.conns.Add(1)
			open.Store(c, nil)
			if closed.Load() {
				_ = c.Close()
			}
			serving.Go(func() { // ends when the connection is closed
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		closed.Store(true)
		_ = tcp.Close()
		open.Range(func(c, _ any) bool {
			_ = c.(net.Conn).Close()
			return true
		})
		serving.Wait()
	})
	return l
}
