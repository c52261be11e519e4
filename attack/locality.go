package attack

import (
	"net"
	"net/netip"

	"ratebench/attack/plan"
)

// onThisMachine says whether any server of the plan runs on this machine: on
// loopback, on an address of one of its interfaces, or behind a unix socket.
func onThisMachine(p *plan.Plan) bool {
	if p.UnixSocket != "" {
		return true
	}
	own := ownAddresses()
	for _, list := range p.Addresses {
		for _, a := range list {
			if a.Addr().IsLoopback() || own[a.Addr().WithZone("")] {
				return true
			}
		}
	}
	return false
}

// ownAddresses are those of this machine's interfaces; none if they cannot be read.
func ownAddresses() map[netip.Addr]bool {
	own := map[netip.Addr]bool{}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return own
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			own[prefix.Addr().WithZone("")] = true
		}
	}
	return own
}
