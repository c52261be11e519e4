package epoll

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls of a loop's hot path are raw: they do not block, so the Go scheduler
// need not hear of them, and they return an errno without allocating.

// sysError is a failed system call by name, so that a report can say which.
type sysError struct {
	call  string
	errno syscall.Errno
}

func (e sysError) Error() string { return e.call + ": " + e.errno.Error() }
func (e sysError) Unwrap() error { return e.errno }

// send writes b to a socket without blocking (send(2)).
func send(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// recv reads from a socket without blocking (recv(2)).
func recv(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// receiver reads with the kernel's receive time. Its buffers are set up once.
type receiver struct {
	header  unix.Msghdr
	vector  unix.Iovec
	control [128]byte
}

// recv reads from a socket without blocking (recvmsg(2)). stamp is the kernel's
// CLOCK_REALTIME, in nanoseconds, of the packet that held the last byte read; 0
// if it gave none. Where one read takes several packets, the first byte of a
// reply carries the stamp of the last of them.
func (r *receiver) recv(fd int, b []byte) (n int, stamp int64, errno syscall.Errno) {
	r.vector.Base = unsafe.SliceData(b)
	r.vector.SetLen(len(b))
	r.header.Iov = &r.vector
	r.header.Iovlen = 1
	r.header.Control = &r.control[0]
	r.header.SetControllen(len(r.control))
	got, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.header)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return 0, 0, errno
	}
	return int(got), r.stamp(), 0
}

// stamp finds SCM_TIMESTAMPING among the control messages: three timespecs, of
// which the first is the software stamp.
func (r *receiver) stamp() int64 {
	const size = unix.SizeofCmsghdr + int(unsafe.Sizeof(unix.Timespec{}))
	if int(r.header.Controllen) < size {
		return 0
	}
	header := (*unix.Cmsghdr)(unsafe.Pointer(&r.control[0]))
	if header.Level != unix.SOL_SOCKET || header.Type != unix.SCM_TIMESTAMPING {
		return 0
	}
	ts := (*unix.Timespec)(unsafe.Pointer(&r.control[unix.SizeofCmsghdr]))
	return ts.Nano()
}

// stampReceipts asks the kernel to stamp what the socket receives.
func stampReceipts(fd int) error {
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING,
		unix.SOF_TIMESTAMPING_RX_SOFTWARE|unix.SOF_TIMESTAMPING_SOFTWARE)
}

// shortWait bounds a wait that the Go scheduler does not hear of: a thread in it
// holds up a stop-the-world, so it must be brief.
const shortWait = 200 * time.Microsecond

// event is one epoll_event as the kernel lays it out on this architecture.
type event = unix.EpollEvent

// waitEvents waits for events for at most d, to the nanosecond (epoll_pwait2(2),
// Linux 5.11). Interrupted and expired waits return none.
func waitEvents(ep int, events []event, d time.Duration) (int, error) {
	ts := unix.NsecToTimespec(int64(max(d, 0)))
	call := syscall.Syscall6
	if d <= shortWait {
		call = syscall.RawSyscall6
	}
	n, _, errno := call(unix.SYS_EPOLL_PWAIT2, uintptr(ep), uintptr(unsafe.Pointer(unsafe.SliceData(events))),
		uintptr(len(events)), uintptr(unsafe.Pointer(&ts)), 0, 0)
	switch errno {
	case 0:
		return int(n), nil
	case syscall.EINTR:
		return 0, nil
	case syscall.ENOSYS:
		return waitMilliseconds(ep, events, d)
	}
	return 0, sysError{"epoll_pwait2", errno}
}

// waitMilliseconds is for kernels before 5.11: the wait ends up to a millisecond early.
func waitMilliseconds(ep int, events []event, d time.Duration) (int, error) {
	n, err := unix.EpollWait(ep, events, int(d/time.Millisecond))
	if err == unix.EINTR {
		return 0, nil
	}
	return n, err
}

// watch adds a socket to an epoll set, edge-triggered for both directions, with
// the connection's reference as the event's data.
func watch(ep, fd int, r ref) syscall.Errno {
	e := event{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET,
		Fd:     int32(r.index), Pad: int32(r.generation),
	}
	_, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(ep), unix.EPOLL_CTL_ADD, uintptr(fd),
		uintptr(unsafe.Pointer(&e)), 0, 0)
	return errno
}

// closeSocket closes fd at once; a close that is interrupted has closed it all the same.
func closeSocket(fd int) { syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

// pendingError takes the error that a socket holds (SO_ERROR).
func pendingError(fd int) syscall.Errno {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return syscall.EIO
	}
	return syscall.Errno(n)
}

// sharpenTimers lets the thread's waits end when they are over (PR_SET_TIMERSLACK).
func sharpenTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) }
