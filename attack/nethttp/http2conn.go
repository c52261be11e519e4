package nethttp

import (
	"context"
	"net"
	"net/http"
	"sync"

	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// givenConn is the context key of the connection that the codec is to use.
type givenConn struct{}

// newCodec takes the connections from the context, below which it knows of no TLS.
func newCodec() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ctx.Value(givenConn{}).(net.Conn), nil
		},
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: wire.MaxHeaderBytes,
	}
}

// open opens a connection, on which the request is the first.
func (x *stream) open(ctx context.Context) (*sharedConn, *failure) {
	conn, err := x.dialer.connect(ctx, x.server)
	if err != nil {
		if record.ClassOf(err) == record.ConnectionReset {
			x.streams.stood()
		}
		unsend(&x.o, err)
		return nil, &failure{record.Connect, err}
	}
	x.o.Connected = x.rec.Now()
	x.streams.stood()
	if x.server.TLS {
		if conn, err = x.dialer.secureHTTP2(ctx, conn, x.server); err != nil {
			return nil, &failure{record.TLS, err}
		}
		x.o.Secured = x.rec.Now()
	}
	return x.share(ctx, conn)
}

// share begins HTTP/2 on a connection and gives it to the pool.
func (x *stream) share(ctx context.Context, conn net.Conn) (*sharedConn, *failure) {
	speaking := &settledConn{Conn: conn, first: make(chan struct{})}
	client, err := x.codec.NewClientConn(context.WithValue(ctx, givenConn{}, speaking), "http", x.server.String())
	if err != nil {
		_ = conn.Close()
		return nil, &failure{record.Wait, err}
	}
	c := &sharedConn{ClientConn: client, server: x.server, connected: x.o.Connected, secured: x.o.Secured}
	_ = client.Reserve()
	x.streams.opened(c)
	client.SetStateHook(x.streams.changed)
	go func() { // ends when the server speaks or the connection ends
		<-speaking.first
		x.streams.settle(c)
	}()
	return c, nil
}

// settledConn tells when the server's first frame, SETTINGS, has been taken
// account of: when more is read after it.
type settledConn struct {
	net.Conn
	spoke bool
	once  sync.Once
	first chan struct{} // closed then, or when the connection ends
}

func (c *settledConn) Read(b []byte) (int, error) {
	if c.spoke {
		c.once.Do(func() { close(c.first) })
	}
	n, err := c.Conn.Read(b)
	c.spoke = c.spoke || n > 0
	if err != nil {
		c.once.Do(func() { close(c.first) })
	}
	return n, err
}
