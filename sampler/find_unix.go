package sampler

import (
	"bytes"
	"os"
)

// byUnix is the processes that have a listening Unix socket of that path open.
func (f *finder) byUnix(name string) ([]int32, error) {
	text, _ := f.read(f.proc + "/net/unix")
	var inodes []uint64
	for line := range bytes.Lines(text) {
		if bound, inode, ok := unixListener(line); ok && f.sameSocket(bound, name) {
			inodes = append(inodes, inode)
		}
	}
	return f.openers(inodes, "socket "+name)
}

// unixListener is the path, which may hold blanks, and the inode of the socket in a
// line of /proc/net/unix (proc_pid_net(5)), if that waits for connections.
func unixListener(line []byte) (bound string, inode uint64, ok bool) {
	const accepts = "00010000" // __SO_ACCEPTCON of the kernel's net.h
	var words [7][]byte        // number, references, protocol, flags, type, state, inode
	for n := range words {
		words[n], line = nextWord(line)
	}
	inode, ok = parseUint(words[6])
	line = bytes.TrimSuffix(line, []byte("\n"))
	if !ok || string(words[3]) != accepts || len(line) < 2 {
		return "", 0, false
	}
	return string(line[1:]), inode, true
}

// sameSocket says whether the path that a socket was bound to is that of name. On
// this machine it may lead there another way.
func (f *finder) sameSocket(bound, name string) bool {
	if bound == name {
		return true
	}
	if !f.live() {
		return false
	}
	a, err := os.Stat(bound)
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}
