package main

import (
	"io/fs"
	"net/netip"
	"os"
	"strings"
)

func (r *reader) readConnections() {
	p := r.plan
	r.integer("requests-per-connection", &p.RequestsPerConnection)
	r.integer("max-connections", &p.MaxConnections)
	if r.Bool("keepalive") {
		if p.RequestsPerConnection != 0 && r.IsSet("requests-per-connection") {
			r.fault("--keepalive and --requests-per-connection %s exclude each other", r.String("requests-per-connection"))
		}
		p.RequestsPerConnection = 0
	}
	switch {
	case r.Bool("4") && r.Bool("6"):
		r.fault("-4 and -6 exclude each other")
	case r.Bool("4"):
		p.Family = 4
	case r.Bool("6"):
		p.Family = 6
	}
	r.readSources()
	r.readUnixSocket()
	r.readText("engine", &p.Engine)
	r.integer("loops", &p.Loops)
	r.readText("timestamps", &p.Timestamps)
	r.readText("priority", &p.Priority)
	p.HTTP2 = r.Bool("http2")
}

// readUnixSocket wants the socket to be there, as a file to read would have to be.
func (r *reader) readUnixSocket() {
	path := &r.plan.UnixSocket
	r.readText("unix-socket", path)
	if *path == "" {
		return
	}
	switch info, err := os.Stat(*path); {
	case err != nil:
		r.fault("--unix-socket %w", fileError(*path, err))
	case info.Mode().Type() != fs.ModeSocket:
		r.fault("--unix-socket %q: is not a socket", *path)
	}
}

// checkFamily compares -4 and -6 with the addresses that stand in URLs; those of
// names are known only when the run begins.
func (r *reader) checkFamily() {
	p := r.plan
	if p.Family == 0 || p.UnixSocket != "" {
		return
	}
	said := map[string]bool{}
	for i := range p.Targets {
		host := p.Targets[i].URL.Server.Host
		ip, literal := p.Targets[i].URL.Server.IP()
		if literal && ip.Is4() != (p.Family == 4) && !said[host] {
			r.fault("-%d: host %s is not an IPv%d address", p.Family, host, p.Family)
			said[host] = true
		}
	}
}

func (r *reader) readSources() {
	if !r.IsSet("source") {
		return
	}
	for text := range strings.SplitSeq(r.String("source"), ",") {
		address, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			r.fault("--source %q is not an IP address", text)
			continue
		}
		r.plan.Sources = append(r.plan.Sources, address)
	}
}
