// Package epoll is the native engine: HTTP/1.x on epoll, a thread for each loop.
//
// A loop owns its thread, its epoll set, its connections, its share of the plan
// and its shard of the recorder; loops share nothing that changes, but for who sends
// the next of a closed loop's requests. Sockets are
// non-blocking and edge-triggered, the request's bytes are made once, replies are
// parsed where they were read, and the kernel's receive time stands for the
// reply's end, so that a busy client does not make the server look slow.
package epoll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/wire"
)

// lead is how long before the first due time the loops start their clock.
const lead = 20 * time.Millisecond

// setup is what the loops of a run share. Nothing in it changes but dealer.
type setup struct {
	rec           *record.Recorder
	plan          *plan.Plan
	requests      []request
	servers       []*server
	sources       []destination
	timeout       time.Duration
	perConnection int
	loops         int
	dealer        *plan.Dealer // of a closed loop, shared; nil for an open one
	kernelStamps  bool
	stamping      int  // a socket that keeps the kernel's stamping switched on, if kernelStamps
	raise         bool // the threads' priority
	noDelay       bool // a request may leave in several pieces
}

// request is a target made ready.
type request struct {
	server int // index into setup.servers
	bytes  []byte
	head   bool // the method is HEAD
}

// Run offers p with the given number of loops, each with its own shard of rec,
// and returns when every request that was started has ended: those in flight when
// abandon is done are aborted. When stop is done no more are started. It returns
// how many requests of the measurement were taken up. An error before the first
// request means that none was.
func Run(stop, abandon context.Context, p *plan.Plan, rec *record.Recorder, loops int) (started uint64, err error) {
	shared, err := newSetup(p, rec, loops)
	if err != nil {
		return 0, err
	}
	if shared.kernelStamps {
		defer unix.Close(shared.stamping)
	}
	all, err := newLoops(shared, loops)
	if err != nil {
		return 0, err
	}
	rec.Start(time.Now().Add(lead + p.WarmupLength()))
	return runLoops(stop, abandon, all)
}

func runLoops(stop, abandon context.Context, all []*loop) (started uint64, err error) {
	var running sync.WaitGroup
	errs := make([]error, len(all))
	for i, l := range all {
		l.clock = newClock(l.rec.Origin())
		defer context.AfterFunc(stop, l.mail.wake)()
		defer context.AfterFunc(abandon, l.mail.wake)()
		running.Go(func() { errs[i] = l.run(stop, abandon) })
	}
	running.Wait()
	for _, l := range all {
		started += l.started
	}
	return started, errors.Join(errs...)
}

// newLoops makes the loops of a run, or none.
func newLoops(shared *setup, k int) ([]*loop, error) {
	all := make([]*loop, k)
	for i := range all {
		l, err := newLoop(shared, i, k)
		if err != nil {
			for _, made := range all[:i] {
				made.close()
			}
			return nil, err
		}
		all[i] = l
	}
	return all, nil
}

func newLoop(shared *setup, i, k int) (*loop, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(ep)
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	l := &loop{
		setup: shared, index: i, shard: shared.rec.Shard(i), arrivals: shared.plan.Share(i, k),
		ep: ep, mail: &mailbox{fd: wake},
		conns:   conns{idle: make([][]ref, len(shared.servers))},
		limit:   shareOf(shared.plan.MaxConnections, i, k),
		blocked: record.Never,
	}
	if shared.dealer != nil {
		l.slots = &slots{dealer: shared.dealer}
	}
	if errno := watch(ep, wake, mailRef); errno != 0 {
		l.close()
		return nil, sysError{"epoll_ctl", errno}
	}
	return l, nil
}

// shareOf is share i of k of n; the shares add up to n.
func shareOf(n, i, k int) int {
	share := n / k
	if i < n%k {
		share++
	}
	return share
}

func newSetup(p *plan.Plan, rec *record.Recorder, loops int) (*setup, error) {
	s := &setup{
		rec: rec, plan: p, timeout: p.Timeout.Std(), perConnection: p.RequestsPerConnection,
		loops: loops, raise: p.Priority == plan.PriorityHigh,
	}
	index := map[plan.Server]int{}
	for i := range p.Targets {
		t := &p.Targets[i]
		at, known := index[t.URL.Server]
		if !known {
			server, err := newServer(p, t.URL.Server)
			if err != nil {
				return nil, err
			}
			at = len(s.servers)
			index[t.URL.Server] = at
			s.servers = append(s.servers, server)
		}
		r := request{at, wire.AppendRequest(nil, t), t.Method == "HEAD"}
		s.noDelay = s.noDelay || len(r.bytes) > 1024 || t.URL.Server.TLS
		s.requests = append(s.requests, r)
	}
	for _, ip := range p.Sources {
		d, err := inetSource(ip)
		if err != nil {
			return nil, err
		}
		s.sources = append(s.sources, d)
	}
	if p.Closed() {
		s.dealer = p.NewDealer()
	}
	if p.Timestamps == plan.TimestampsKernel {
		s.stamping = switchOnStamps()
		s.kernelStamps = s.stamping >= 0
	}
	return s, nil
}

// switchOnStamps opens a socket that asks for receive stamps. The kernel stamps
// packets only while a socket asks, and takes a moment to begin: this one asks
// before the first request. It returns -1 where the kernel gives no stamps.
func switchOnStamps() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	if stampReceipts(fd) != nil {
		unix.Close(fd)
		return -1
	}
	return fd
}

func newServer(p *plan.Plan, where plan.Server) (*server, error) {
	s := &server{}
	if where.TLS {
		config, err := p.TLS.Config(where)
		if err != nil {
			return nil, fmt.Errorf("TLS for %s: %w", where, err)
		}
		s.tls = config
	}
	if p.UnixSocket != "" {
		d, err := local(p.UnixSocket)
		s.addresses = []destination{d}
		return s, err
	}
	for _, a := range p.Addresses[where] {
		d, err := inet(a)
		if err != nil {
			return nil, err
		}
		s.addresses = append(s.addresses, d)
	}
	return s, nil
}

// zoneIndex is the scope of a link-local address's zone: an interface or a number.
func zoneIndex(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	i, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, fmt.Errorf("zone %q: %w", zone, err)
	}
	return uint32(i.Index), nil
}
