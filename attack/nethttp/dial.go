package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"

	"ratebench/attack/plan"
)

// dialer opens connections: the addresses of a server in turn, and when each has
// had one, from the next of the plan's source addresses, so that every pair comes
// about. It tries one address once; a failure is the request's.
type dialer struct {
	plan *plan.Plan
	tls  map[plan.Server]*tls.Config
	next atomic.Uint64
}

func newDialer(p *plan.Plan) (*dialer, error) {
	d := &dialer{plan: p, tls: map[plan.Server]*tls.Config{}}
	for i := range p.Targets {
		server := p.Targets[i].URL.Server
		if !server.TLS || d.tls[server] != nil {
			continue
		}
		config, err := p.TLS.Config(server)
		if err != nil {
			return nil, fmt.Errorf("TLS for %s: %w", server, err)
		}
		d.tls[server] = config
	}
	return d, nil
}

// connect opens a TCP connection, or one to the plan's unix socket.
func (d *dialer) connect(ctx context.Context, server plan.Server) (net.Conn, error) {
	netDialer := net.Dialer{KeepAlive: -1}
	if d.plan.UnixSocket != "" {
		return netDialer.DialContext(ctx, "unix", d.plan.UnixSocket)
	}
	from, to := d.route(server)
	if from.IsValid() {
		netDialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
	}
	return netDialer.DialContext(ctx, "tcp", to.String())
}

// route is the next pair of addresses; from is the zero Addr if the plan names no
// source.
func (d *dialer) route(server plan.Server) (from netip.Addr, to netip.AddrPort) {
	turn := d.next.Add(1) - 1
	addresses := d.plan.Addresses[server]
	n := uint64(len(addresses))
	if sources := d.plan.Sources; len(sources) > 0 {
		from = sources[turn/n%uint64(len(sources))]
	}
	return from, addresses[turn%n]
}

// secure shakes hands on an https:// server's connection.
func (d *dialer) secure(ctx context.Context, c net.Conn, server plan.Server) (*tls.Conn, error) {
	secured := tls.Client(&socket{Conn: c}, d.tls[server])
	return secured, secured.HandshakeContext(ctx)
}

// errNoHTTP2 is a server that took the handshake but not the protocol.
var errNoHTTP2 = errors.New("the server does not speak HTTP/2: it chose no protocol (ALPN)")

// secureHTTP2 is secure for servers that must choose HTTP/2. It closes c if it fails.
func (d *dialer) secureHTTP2(ctx context.Context, c net.Conn, server plan.Server) (net.Conn, error) {
	secured, err := d.secure(ctx, c, server)
	if err == nil && secured.ConnectionState().NegotiatedProtocol != "h2" {
		err = errNoHTTP2
	}
	if err != nil {
		_ = c.Close()
	}
	return secured, err
}
