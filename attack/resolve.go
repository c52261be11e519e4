package attack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// resolveLimit bounds looking up one name; probeLimit bounds trying one address
// of a name that has addresses of both families.
const (
	resolveLimit = 5 * time.Second
	probeLimit   = 250 * time.Millisecond
)

// resolve finds the addresses of every server of the plan, once, before the
// run. All addresses of one family are used, each connection the next in turn:
// the family asked for, else IPv4 or IPv6 as the resolver prefers, unless a
// trial connection shows that only the other one answers (a Finding says so).
func resolve(ctx context.Context, p *plan.Plan) ([]record.Finding, error) {
	p.Addresses = map[plan.Server][]netip.AddrPort{}
	var findings []record.Finding
	for i := range p.Targets {
		server := p.Targets[i].URL.Server
		if _, known := p.Addresses[server]; known || p.UnixSocket != "" {
			continue
		}
		all, err := lookUp(ctx, p.Family, server)
		if err != nil {
			return nil, err
		}
		addresses, finding := oneFamily(ctx, server, all)
		if finding != nil {
			findings = append(findings, *finding)
		}
		p.Addresses[server] = addresses
	}
	return findings, nil
}

func lookUp(ctx context.Context, family int, server plan.Server) ([]netip.AddrPort, error) {
	if ip, ok := server.IP(); ok {
		return literal(family, ip, server)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	network := map[int]string{0: "ip", 4: "ip4", 6: "ip6"}[family]
	ips, err := net.DefaultResolver.LookupNetIP(ctx, network, server.Host)
	if err != nil {
		return nil, fmt.Errorf("host %q: %w", server.Host, lookUpCause(err))
	}
	addresses := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		addresses[i] = netip.AddrPortFrom(ip.Unmap(), server.Port)
	}
	return addresses, nil
}

// lookUpCause is the resolver's complaint without the name and server it repeats.
func lookUpCause(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return errors.New(dns.Err)
	}
	return err
}

func literal(family int, ip netip.Addr, server plan.Server) ([]netip.AddrPort, error) {
	if is4 := ip.Is4(); family == 4 && !is4 || family == 6 && is4 {
		return nil, fmt.Errorf("host %s is not an IPv%d address", server.Host, family)
	}
	if zone := ip.Zone(); zone != "" {
		if _, err := net.InterfaceByName(zone); err != nil && !isNumber(zone) {
			return nil, fmt.Errorf("host %s: there is no interface %q", server.Host, zone)
		}
	}
	return []netip.AddrPort{netip.AddrPortFrom(ip, server.Port)}, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// oneFamily keeps the addresses of one family.
func oneFamily(ctx context.Context, server plan.Server, all []netip.AddrPort) ([]netip.AddrPort, *record.Finding) {
	preferred, other := split(all)
	if len(other) == 0 || answers(ctx, preferred[0]) || !answers(ctx, other[0]) {
		return preferred, nil
	}
	return other, &record.Finding{
		Code:   "address_family",
		Text:   fmt.Sprintf("%s: %s did not accept a connection, %s did and was used", server.Host, preferred[0].Addr(), other[0].Addr()),
		Value:  record.Undefined(),
		Limit:  record.Undefined(),
		Status: record.Valid,
	}
}

// split parts addresses by family, that of the first address first.
func split(all []netip.AddrPort) (preferred, other []netip.AddrPort) {
	for _, a := range all {
		if a.Addr().Is4() == all[0].Addr().Is4() {
			preferred = append(preferred, a)
		} else {
			other = append(other, a)
		}
	}
	return preferred, other
}

func answers(ctx context.Context, address netip.AddrPort) bool {
	d := net.Dialer{Timeout: probeLimit}
	c, err := d.DialContext(ctx, "tcp", address.String())
	if err != nil {
		return false
	}
	c.Close()
	return true
}
