//go:build unix

package record

import (
	"runtime"
	"syscall"
	"time"
)

// usage is one reading of what this process has used.
type usage struct {
	at      time.Time
	cpu     time.Duration // user and system
	rssPeak uint64        // bytes
}

// readUsage reads getrusage(2). It cannot fail for the calling process.
func readUsage() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	rss := uint64(r.Maxrss)
	if runtime.GOOS == "linux" {
		rss *= 1024 // Linux counts in KiB, the BSDs and macOS in bytes or KiB of their own
	}
	return usage{time.Now(), time.Duration(r.Utime.Nano() + r.Stime.Nano()), rss}
}
