package sampler

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// byPort is the processes that have a listening socket of that port open.
func (f *finder) byPort(number string) ([]int32, error) {
	port, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port %q: want a number up to 65535", number)
	}
	var inodes []uint64
	for _, table := range []string{"/net/tcp", "/net/tcp6"} {
		text, _ := f.read(f.proc + table)
		inodes = listeners(inodes, text, uint16(port))
	}
	return f.openers(inodes, "port "+number)
}

// openers is the processes that have one of the sockets open, which listen on what.
func (f *finder) openers(inodes []uint64, what string) ([]int32, error) {
	if len(inodes) == 0 {
		return nil, fmt.Errorf("nothing listens on %s", what)
	}
	if f.owners == nil {
		return nil, fmt.Errorf("the host has no ls to tell who listens on %s: select by name", what)
	}
	var found []int32
	for _, inode := range inodes {
		found = append(found, f.owners[inode]...)
	}
	slices.Sort(found)
	found = slices.DeleteFunc(slices.Compact(found), func(pid int32) bool { _, ok := f.all[pid]; return !ok })
	return f.withoutInit(found, what)
}

// withoutInit leaves out the first process, which holds sockets for services that
// it starts (systemd.socket(5)), and of which all processes descend.
func (f *finder) withoutInit(pids []int32, what string) ([]int32, error) {
	if len(pids) == 0 {
		return nil, fmt.Errorf("%s is listened on by processes that this user may not look into: it takes the same user or root", what)
	}
	if pids[0] != 1 {
		return pids, nil
	}
	if len(pids) == 1 && string(f.comm(1)) == "systemd" {
		return nil, fmt.Errorf("only init listens on %s, for a service that it starts: name that by unit:NAME", what)
	}
	if len(pids) == 1 {
		return pids, nil // the server of a container
	}
	return pids[1:], nil
}

func (f *finder) comm(pid int32) []byte {
	p := f.all[pid]
	return p.name()
}

// listeners adds the inodes of the sockets in text, which is /proc/net/tcp or tcp6
// (proc_pid_net(5)), that listen on port.
func listeners(inodes []uint64, text []byte, port uint16) []uint64 {
	const listening = "0A"
	for line := range bytes.Lines(text) {
		var words [10][]byte // number, local address, remote address, state … inode
		for n := range words {
			words[n], line = nextWord(line)
		}
		colon := bytes.LastIndexByte(words[1], ':')
		if colon < 0 || string(words[3]) != listening {
			continue
		}
		local, err := strconv.ParseUint(string(words[1][colon+1:]), 16, 16)
		inode, ok := parseUint(words[9])
		if err == nil && ok && uint16(local) == port {
			inodes = append(inodes, inode)
		}
	}
	return inodes
}
