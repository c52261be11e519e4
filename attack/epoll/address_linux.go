package epoll

import (
	"crypto/tls"
	"fmt"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// destination is an address as connect(2) and bind(2) take it.
type destination struct {
	family int
	raw    [unix.SizeofSockaddrAny]byte
	length uint32
}

// server is a place that connections go to: its addresses are taken in turn.
type server struct {
	addresses []destination
	tls       *tls.Config // nil for plain text
}

func (s *server) turn(turns *uint64) *destination {
	*turns++
	return &s.addresses[*turns%uint64(len(s.addresses))]
}

// inet is the destination of an IP address; zones are interface names or numbers.
func inet(a netip.AddrPort) (destination, error) {
	if a.Addr().Is4() {
		sa := (unix.RawSockaddrInet4{Family: unix.AF_INET, Port: networkOrder(a.Port()), Addr: a.Addr().As4()})
		d := destination{family: unix.AF_INET, length: unix.SizeofSockaddrInet4}
		*(*unix.RawSockaddrInet4)(unsafe.Pointer(&d.raw[0])) = sa
		return d, nil
	}
	zone, err := zoneIndex(a.Addr().Zone())
	sa := unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: networkOrder(a.Port()), Addr: a.Addr().As16(), Scope_id: zone}
	d := destination{family: unix.AF_INET6, length: unix.SizeofSockaddrInet6}
	*(*unix.RawSockaddrInet6)(unsafe.Pointer(&d.raw[0])) = sa
	return d, err
}

// local is the destination of a unix socket's path.
func local(path string) (destination, error) {
	d := destination{family: unix.AF_UNIX, length: uint32(2 + len(path) + 1)}
	sa := (*unix.RawSockaddrUnix)(unsafe.Pointer(&d.raw[0]))
	if len(path) >= len(sa.Path) {
		return d, fmt.Errorf("unix socket %s: the path is longer than %d bytes", path, len(sa.Path)-1)
	}
	sa.Family = unix.AF_UNIX
	for i := range len(path) {
		sa.Path[i] = int8(path[i])
	}
	return d, nil
}

// networkOrder swaps a port to big-endian on little-endian machines.
func networkOrder(port uint16) uint16 {
	var b [2]byte
	b[0], b[1] = byte(port>>8), byte(port)
	return *(*uint16)(unsafe.Pointer(&b))
}

// inetSource is a source address with a port that connect(2) will choose.
func inetSource(ip netip.Addr) (destination, error) { return inet(netip.AddrPortFrom(ip, 0)) }

// source is the next source address, nil if none was asked for. It moves on when
// each of the server's addresses has had its turn, so that all pairs are used.
func (l *loop) source(to *server) *destination {
	if len(l.sources) == 0 {
		return nil
	}
	round := l.turns / uint64(len(to.addresses))
	return &l.sources[round%uint64(len(l.sources))]
}
