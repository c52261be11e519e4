package sampler

import (
	"context"
	"time"
)

// transport brings a host's files here. One goroutine uses it at a time.
type transport interface {
	// fetch brings the files wanted as they were at one instant. An error means
	// that there are none this time; a lostError that there will be none any more.
	// No error says which host it is about.
	fetch(ctx context.Context, want wanted) (view, error)
	// cost is the CPU time that fetching has cost the host so far, as far as is known.
	cost() time.Duration
	// clock is how the host's clock stands to this machine's.
	clock() Clock
	// close ends the link, gently until ctx ends.
	close(ctx context.Context) error
}

// wanted are files beyond those that every reading needs: /proc/stat, /proc/uptime,
// /proc/net/netstat, sockstat and dev, and every process's stat. Files
// that do not exist are left out without an error. The zero value wants no others.
type wanted struct {
	pids    []int32  // of these processes also status
	known   snapshot // of these, if they are still there, stat need not be as of now
	cgroups []string // files below the cgroup root, like system.slice/nginx.service/cpu.stat
	files   []string // files by absolute path, like a pid file
	find    bool     // also what selections are found by: /proc/net/tcp, tcp6 and unix, self/mountinfo, sys/kernel/osrelease, and every process's cmdline, cgroup and status
	sockets bool     // also who has which sockets open
}

// view is where the files lie: the real ones, or a directory laid out alike.
type view struct {
	proc   string             // directory; gopsutil takes it as HOST_PROC
	cgroup string             // directory
	boot   string             // names the host's start for good (random(4), boot_id); empty if not known, or if it lies in proc
	root   string             // directory under which wanted.files lie by their paths
	owners map[uint64][]int32 // processes by the inode of a socket that they have open; nil if not wanted, or if the host cannot tell
	at     time.Time          // when the counters were read, on this machine's clock; of live files that is when they are
	within time.Duration      // give or take
	meter  *meter             // adds up what reading the files costs; nil where that is no cost of the host's
}
