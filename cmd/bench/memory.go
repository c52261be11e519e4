//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

// memoryInterval is the time between two looks at a child's memory.
const memoryInterval = 100 * time.Millisecond

// watchMemory follows the peak memory of a child that has just been started. The
// function returned ends that, given the child's end, and returns the peak in bytes.
//
// ru_maxrss alone does not serve: a child begins life in its parent's memory and
// keeps the parent's peak as its own (getrusage(2) counts across execve). It is
// right where it is larger than ours; below, VmHWM of proc(5), looked at now and
// then, is right but for what the child took in its last moments.
func watchMemory(pid int) func(*os.ProcessState) uint64 {
	ours := memoryPeak(os.Getpid())
	stop, seen := make(chan struct{}), make(chan uint64)
	go func() { // ends when the child has
		var peak uint64
		tick := time.NewTicker(memoryInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, memoryPeak(pid))
			case <-stop:
				seen <- peak
				return
			}
		}
	}()
	return func(end *os.ProcessState) uint64 {
		close(stop)
		return peakOf(<-seen, ours, rusagePeak(end))
	}
}

func peakOf(seen, ours, rusage uint64) uint64 {
	if rusage > ours {
		return rusage
	}
	return seen
}

func rusagePeak(end *os.ProcessState) uint64 {
	if r, ok := end.SysUsage().(*syscall.Rusage); ok {
		return uint64(r.Maxrss) * 1024
	}
	return 0
}

// memoryPeak is VmHWM of a process in bytes, 0 if it cannot be read.
func memoryPeak(pid int) uint64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return vmHWM(status)
}

func vmHWM(status []byte) uint64 {
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	words := bytes.Fields(rest)
	if !found || len(words) == 0 {
		return 0
	}
	kib, err := strconv.ParseUint(string(words[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib * 1024
}
