package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// holder names the process that listens on a TCP port, as python3 (pid 123): that
// one is to be ended before another can take the port. Empty if it cannot be told,
// as of another user's.
func holder(port int) string {
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
		return ""
	}
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, path := range descriptors {
		if to, err := os.Readlink(path); err == nil && sockets[to] {
			process := filepath.Dir(filepath.Dir(path))
			name, _ := os.ReadFile(process + "/comm")
			return fmt.Sprintf("%s (pid %s)", bytes.TrimSpace(name), filepath.Base(process))
		}
	}
	return ""
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
