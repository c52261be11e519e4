package nethttp

import (
	"net/netip"
	"testing"

	"ratebench/attack/plan"
)

// Every pair of a source and an address has the same share.
func TestRoutes(t *testing.T) {
	server := plan.Server{Host: "a.test", Port: 80}
	for _, c := range []struct{ sources, addresses int }{{0, 1}, {0, 3}, {1, 1}, {2, 2}, {2, 4}, {3, 2}} {
		p := &plan.Plan{Addresses: map[plan.Server][]netip.AddrPort{}}
		for i := range c.sources {
			p.Sources = append(p.Sources, netip.AddrFrom4([4]byte{127, 0, 1, byte(i)}))
		}
		for i := range c.addresses {
			to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 2, byte(i)}), 80)
			p.Addresses[server] = append(p.Addresses[server], to)
		}
		type pair struct {
			from netip.Addr
			to   netip.AddrPort
		}
		d, pairs, seen := &dialer{plan: p}, max(c.sources, 1)*c.addresses, map[pair]int{}
		for range 5 * pairs {
			from, to := d.route(server)
			seen[pair{from, to}]++
		}
		if len(seen) != pairs {
			t.Errorf("%+v: %d pairs, want %d", c, len(seen), pairs)
		}
		for route, n := range seen {
			if n != 5 {
				t.Errorf("%+v: %v has %d of %d connections, want 5", c, route, n, 5*pairs)
			}
		}
	}
}
