package epoll

import (
	"context"
	"net/netip"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// bareServer answers each read with a reply, one connection after the other; with
// closing it ends the connection then. It allocates nothing, so that what the
// process allocates is the engine's.
type bareServer struct {
	listener int
	closing  bool
	ended    chan struct{}
}

const bareReply = "HTTP/1.1 200 OK\r\nServer: bare\r\nContent-Length: 3\r\n\r\nok\n"

func startBareServer(t testing.TB, closing bool) netip.AddrPort {
	fd, address := listenBare(t)
	s := &bareServer{fd, closing, make(chan struct{})}
	go s.serve()
	t.Cleanup(func() {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR) // ends the accept
		<-s.ended
	})
	return address
}

// listenBare has connections accepted by the kernel, into the backlog. The descriptor
// is closed after the test.
func listenBare(t testing.TB) (fd int, address netip.AddrPort) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	loopback := [4]byte{127, 0, 0, 1}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 1024); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, netip.AddrPortFrom(netip.AddrFrom4(loopback), uint16(name.(*unix.SockaddrInet4).Port))
}

func (s *bareServer) serve() {
	defer close(s.ended)
	reply, buffer := []byte(bareReply), make([]byte, 4096)
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_ACCEPT4, uintptr(s.listener), 0, 0, unix.SOCK_CLOEXEC, 0, 0)
		if errno != 0 {
			return
		}
		for {
			n, _, errno := unix.Syscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
			if errno != 0 || n == 0 {
				break
			}
			_, _, _ = unix.Syscall(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(&reply[0])), uintptr(len(reply)))
			if s.closing {
				break
			}
		}
		unix.Close(int(fd))
	}
}

// offer runs total requests, one after the other if perSecond is 0, and returns what the process allocated meanwhile.
func offer(t testing.TB, to netip.AddrPort, total, perSecond, perConnection int, stamps string) (allocations uint64) {
	p := plan.New()
	p.URL, p.Total, p.Timeout = "http://"+to.String()+"/", uint64(total), plan.Seconds(time.Minute)
	rate, err := plan.ParseRate(strconv.Itoa(max(perSecond, 1)))
	if err != nil {
		t.Fatal(err)
	}
	p.Rate, p.RequestsPerConnection, p.MaxConnections, p.Timestamps = rate, perConnection, 1, stamps
	if perSecond == 0 {
		p.Rate, p.Concurrency = plan.Rate{}, 1
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := p.Resolve(); err != nil {
		t.Fatal(err)
	}
	p.Addresses = map[plan.Server][]netip.AddrPort{p.Targets[0].URL.Server: {to}}
	rec := record.New(p, 1, nil, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started, err := Run(context.Background(), context.Background(), p, rec, 1)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Finish(started, false).Summary.Replies; got != uint64(total) {
		t.Fatalf("%d replies to %d requests", got, total)
	}
	return after.Mallocs - before.Mallocs
}

// TestEngineAllocates: what a run allocates does not grow with its requests. The
// runs last equally long, because each second costs a few.
func TestEngineAllocates(t *testing.T) {
	for _, stamps := range []string{plan.TimestampsKernel, plan.TimestampsUser} {
		for _, perConnection := range []int{0, 1} {
			to := startBareServer(t, perConnection == 1)
			few := offer(t, to, 100, 200, perConnection, stamps)
			many := offer(t, to, 2_100, 4_200, perConnection, stamps)
			if more := int(many) - int(few); more > 100 {
				t.Errorf("%s stamps, %d requests per connection: 2000 requests more cost %d allocations more (%d and %d)",
					stamps, perConnection, more, few, many)
			}
		}
	}
}

// The same in a closed loop, whose runs last as long as the server lets them.
func TestClosedLoopAllocates(t *testing.T) {
	to := startBareServer(t, false)
	few := offer(t, to, 100, 0, 0, plan.TimestampsKernel)
	many := offer(t, to, 5_100, 0, 0, plan.TimestampsKernel)
	if more := int(many) - int(few); more > 200 {
		t.Errorf("5000 requests more cost %d allocations more (%d and %d)", more, few, many)
	}
}

// BenchmarkRequest is a request on a kept connection, answered by a server in this
// process whose time is in the figure.
func BenchmarkRequest(b *testing.B) {
	to := startBareServer(b, false)
	b.ReportAllocs()
	offer(b, to, b.N, 1_000_000, 0, plan.TimestampsKernel)
}
