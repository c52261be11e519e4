package testserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// listen listens with the backlog that the system allows (somaxconn), and without
// keep-alive probes, which would cost four system calls for each connection.
func listen(address string) (*net.TCPListener, error) {
	if address == "" {
		address = DefaultListen
	}
	config := net.ListenConfig{KeepAlive: -1}
	l, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", address, err)
	}
	return l.(*net.TCPListener), nil
}

// acceptPause is how long accepting rests after an error such as EMFILE, which
// would otherwise come again at once.
const acceptPause = 5 * time.Millisecond

// acceptEach hands every new connection to use, until the listener is closed.
func acceptEach(l *net.TCPListener, use func(*net.TCPConn)) {
	for {
		tcp, err := l.AcceptTCP()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(acceptPause)
		default:
			use(tcp)
		}
	}
}
