package testserver

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A clock tells the monotonic time. Here it is CLOCK_MONOTONIC, which other
// processes on the machine share. The zero value is ready.
type clock struct{}

func newClock() clock { return clock{} }

func (clock) now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(fmt.Sprintf("clock_gettime(CLOCK_MONOTONIC): %v", err)) // every Linux has this clock
	}
	return t.Nano()
}

// An alarm lets one thread sleep to an exact instant or until it is woken. Go's
// own timers would do neither well: they end on whole milliseconds of epoll_wait.
type alarm struct {
	clock clock
	fd    int // an eventfd that wake writes to, see eventfd(2)
}

func newAlarm(c clock) (*alarm, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	return &alarm{clock: c, fd: fd}, nil
}

// prepare makes the calling goroutine the sleeper. It keeps its thread until it
// ends, and the thread ends with it, so that the changed slack goes no further.
func (a *alarm) prepare() error {
	runtime.LockOSThread()
	// The default slack lets the kernel end every sleep up to 50 µs late, see prctl(2).
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl(PR_SET_TIMERSLACK): %w", err)
	}
	return nil
}

// shortSleep is the longest sleep that is asked for in full. The kernel gives
// ppoll a slack of a thousandth of the time asked for, whatever the thread's own:
// a longer sleep is cut short by a little and the rest slept after it.
const shortSleep = int64(10 * time.Millisecond)

// sleep returns at the instant until, or earlier: when woken, or for no reason.
func (a *alarm) sleep(until int64) {
	fds := []unix.PollFd{{Fd: int32(a.fd), Events: unix.POLLIN}}
	var timeout *unix.Timespec
	if until != forever {
		left := max(until-a.clock.now(), 0)
		if left > shortSleep {
			left -= left / 256
		}
		t := unix.NsecToTimespec(left)
		timeout = &t
	}
	if n, _ := unix.Ppoll(fds, timeout, nil); n > 0 { // EINTR is a waking for no reason
		var count [8]byte
		_, _ = unix.Read(a.fd, count[:]) // only to make it unreadable again
	}
}

// wake ends the sleep that is under way, or the next one.
func (a *alarm) wake() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = unix.Write(a.fd, one[:]) // fails only when the counter is full, and then it is readable
}

func (a *alarm) close() { _ = unix.Close(a.fd) }

// write hands as much of b to the kernel as fits without waiting.
func write(raw syscall.RawConn, b []byte) (n int, err error) {
	if controlErr := raw.Control(func(fd uintptr) { n, err = unix.Write(int(fd), b) }); controlErr != nil {
		return 0, controlErr
	}
	if err == unix.EAGAIN || err == unix.EINTR {
		return 0, nil
	}
	return max(n, 0), err
}

// peerClosed says whether the client has closed or reset the connection. The
// kernel knows that at once, well before a goroutine that reads from it.
func peerClosed(raw syscall.RawConn) bool {
	closed := false
	_ = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(fds, 0)
		closed = err == nil && n > 0
	})
	return closed
}

// unacknowledged is the number of sent bytes that the peer's kernel has not confirmed, see tcp(7).
func unacknowledged(raw syscall.RawConn) int {
	n := 0
	_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return n
}
