//go:build unix

package record

import (
	"runtime"
	"syscall"
	"time"
)

const usageKnown = true

// readUsage reads getrusage(2). It cannot fail for the calling process.
func readUsage() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	rss := uint64(r.Maxrss)
	if runtime.GOOS == "linux" {
		rss *= 1024 // Linux counts in KiB, the BSDs and macOS in bytes or KiB of their own
	}
	return usage{time.Now(), time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano()), peakRSS(rss)}
}
