package attack

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"ratebench/attack/plan"
)

// checkSources tries every source address before the run: it must be this
// machine's and of the family of the addresses that connections go to.
func checkSources(p *plan.Plan) error {
	var errs []error
	for _, source := range p.Sources {
		errs = append(errs, checkFamily(source, p), bindable(source))
	}
	return errors.Join(errs...)
}

func checkFamily(source netip.Addr, p *plan.Plan) error {
	for server, addresses := range p.Addresses {
		if len(addresses) > 0 && addresses[0].Addr().Is4() != source.Is4() {
			return fmt.Errorf("--source %s: %s is at %s, of the other family", source, server.Host, addresses[0].Addr())
		}
	}
	return nil
}

func bindable(source netip.Addr) error {
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(source, 0)))
	if err != nil {
		var errno syscall.Errno
		if errors.As(err, &errno) {
			err = errno
		}
		return fmt.Errorf("--source %s: %w", source, err)
	}
	return l.Close()
}

// descriptorsEach is how many descriptors a connection may need at once: while it
// shakes hands the epoll engine holds its socket twice.
func descriptorsEach(p *plan.Plan) int {
	if p.Engine != plan.EngineEpoll {
		return 1
	}
	for i := range p.Targets {
		if p.Targets[i].URL.Server.TLS {
			return 2
		}
	}
	return 1
}
