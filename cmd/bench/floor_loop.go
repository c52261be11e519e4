//go:build linux

package main

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bareLoop is the least that an event loop can do: as exchange, but it waits for
// all sockets at once and answers each reply with the next request. With stamps
// it also has the kernel's receive time told with every read. Beside exchange it
// shows what is the price of waiting for whichever reply comes first.
type bareLoop struct {
	ep      int
	stamps  bool
	events  [64]unix.EpollEvent
	buffer  [4096]byte
	control [128]byte
	vector  unix.Iovec
	header  unix.Msghdr
}

func newBareLoop(sockets []int, stamps bool) (*bareLoop, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	l := &bareLoop{ep: ep, stamps: stamps}
	l.vector.Base = &l.buffer[0]
	l.vector.SetLen(len(l.buffer))
	l.header = unix.Msghdr{Iov: &l.vector, Iovlen: 1, Control: &l.control[0]}
	for _, fd := range sockets {
		if err := l.add(fd); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *bareLoop) add(fd int) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return fmt.Errorf("O_NONBLOCK: %w", err)
	}
	if l.stamps {
		const want = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, want); err != nil {
			return fmt.Errorf("SO_TIMESTAMPING: %w", err)
		}
	}
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(fd)}
	if err := unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, fd, &e); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// run exchanges until duration is over. It never sleeps longer than a second, so
// that a server that stops answering ends it.
func (l *bareLoop) run(sockets []int, duration time.Duration) (replies uint64, err error) {
	for _, fd := range sockets {
		if err := sendRequest(fd); err != nil {
			return 0, err
		}
	}
	for end := time.Now().Add(duration); time.Now().Before(end); {
		n, err := unix.EpollWait(l.ep, l.events[:], 1000)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return replies, fmt.Errorf("epoll_wait: %w", err)
		}
		for i := range l.events[:n] {
			fd := int(l.events[i].Fd)
			if got, errno := l.receive(fd); errno != 0 || got == 0 {
				return replies, fmt.Errorf("receiving: %d bytes: %w", got, errno)
			}
			replies++
			if err := sendRequest(fd); err != nil {
				return replies, err
			}
		}
	}
	return replies, nil
}

func (l *bareLoop) receive(fd int) (int, syscall.Errno) {
	if !l.stamps {
		return transfer(unix.SYS_RECVFROM, fd, l.buffer[:])
	}
	l.header.SetControllen(len(l.control))
	n, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&l.header)), 0)
	return int(n), errno
}
