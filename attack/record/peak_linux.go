package record

import (
	"bytes"
	"os"
	"strconv"
)

// peakRSS is the most memory that this program had resident (proc_pid_status(5),
// VmHWM), in bytes. The maximum of getrusage(2) does not serve: it survives
// execve(2), and so may be that of the process that started this one.
func peakRSS(fallback uint64) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return fallback
	}
	_, rest, found := bytes.Cut(status, []byte("\nVmHWM:"))
	kib, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" "))
	n, err := strconv.ParseUint(string(kib), 10, 64)
	if !found || err != nil {
		return fallback
	}
	return n << 10
}
