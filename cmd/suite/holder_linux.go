package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// holder names a process that listens on a TCP port, as python3 (pid 123): that
// one is to be ended before another can take the port. Empty if it cannot be told,
// as of another user's.
func holder(port int) string {
	all := holders(port)
	if len(all) == 0 {
		return ""
	}
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", all[0]))
	return fmt.Sprintf("%s (pid %d)", bytes.TrimSpace(name), all[0])
}

// heldByOthers says whether none of a process group holds the port that somebody
// listens on. It is false where that cannot be told.
func heldByOthers(port, group int) bool {
	all := holders(port)
	for _, pid := range all {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || runsIn(text, group) {
			return false
		}
	}
	return len(all) > 0
}

// holders are the processes that have a socket which listens on a TCP port.
func holders(port int) []int {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range bytes.Lines(text) {
			if inode := listening(string(line), port); inode != "" {
				sockets["socket:["+inode+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return nil
	}
	var all []int
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, path := range descriptors {
		if to, err := os.Readlink(path); err == nil && sockets[to] {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
			all = append(all, pid)
		}
	}
	return all
}

// listening is the inode of a socket that listens on port, from its line of
// /proc/net/tcp (proc_pid_net(5)); empty for any other line.
func listening(line string, port int) string {
	const local, state, inode, listen = 1, 3, 9, "0A"
	fields := strings.Fields(line)
	if len(fields) <= inode || fields[state] != listen || !strings.HasSuffix(fields[local], fmt.Sprintf(":%04X", port)) {
		return ""
	}
	return fields[inode]
}
