//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// passes is how often floor goes over its sockets between two looks at the clock.
const passes = 64

// floorReply is what floor prints.
type floorReply struct {
	Replies uint64  `json:"replies"`
	Elapsed float64 `json:"elapsed_s"`
}

// floor is the least that a client can do: a send and a receive for each request,
// on blocking sockets in turn, without timing or parsing; as an event loop if told
// so. It assumes that a reply comes in one piece. What a load generator costs
// beyond it is its own.
func floor(_ context.Context, args []string, stdout io.Writer) error {
	f := newFlags("bench floor")
	address := f.String("address", "", "`IP:PORT` to load")
	connections := f.Int("connections", 32, "`N` sockets")
	duration := f.Duration("duration", time.Second, "for `TIME`")
	epoll := f.Bool("epoll", false, "wait for all sockets at once")
	stamps := f.Bool("stamps", false, "with -epoll: have the kernel's receive time told")
	if err := parse(f, args); err != nil {
		return err
	}
	to, err := netip.ParseAddrPort(*address)
	if err != nil || !to.Addr().Is4() {
		return complain("-address %q: want an IPv4 address and port", *address)
	}
	sockets, err := connectAll(to, *connections)
	if err != nil {
		return err
	}
	run := exchange
	if *epoll {
		l, err := newBareLoop(sockets, *stamps)
		if err != nil {
			return err
		}
		run = l.run
	}
	started := time.Now()
	replies, err := run(sockets, *duration)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(floorReply{replies, time.Since(started).Seconds()})
}

// connectAll opens n blocking sockets. They stay open until the process ends.
func connectAll(to netip.AddrPort, n int) ([]int, error) {
	sockets := make([]int, n)
	for i := range sockets {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("socket: %w", err)
		}
		if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
			return nil, fmt.Errorf("connect to %v: %w", to, err)
		}
		sockets[i] = fd
	}
	return sockets, nil
}

// exchange sends on all sockets, then receives on all, until duration is over.
// The calls bypass Go's scheduler: there is nothing else for it to run.
func exchange(sockets []int, duration time.Duration) (replies uint64, err error) {
	buffer := make([]byte, 4096)
	for end := time.Now().Add(duration); time.Now().Before(end); {
		for range passes {
			for _, fd := range sockets {
				if err := sendRequest(fd); err != nil {
					return replies, err
				}
			}
			for _, fd := range sockets {
				if n, errno := transfer(unix.SYS_RECVFROM, fd, buffer); errno != 0 || n == 0 {
					return replies, fmt.Errorf("recvfrom: %d bytes: %w", n, errno)
				}
			}
			replies += uint64(len(sockets))
		}
	}
	return replies, nil
}

// floorRequest is what floor sends.
var floorRequest = []byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

func sendRequest(fd int) error {
	if n, errno := transfer(unix.SYS_SENDTO, fd, floorRequest); errno != 0 || n != len(floorRequest) {
		return fmt.Errorf("sendto: %d of %d bytes: %w", n, len(floorRequest), errno)
	}
	return nil
}

// transfer is sendto(2) or recvfrom(2) without an address or flags.
func transfer(call uintptr, fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	return int(n), errno
}
