//go:build unix

package attack

import "syscall"

// spareDescriptors are kept free for files, pipes and the runtime's own.
const spareDescriptors = 64

// connectionLimit is how many sockets the descriptor limit leaves for
// connections (getrlimit(2)). The Go runtime has raised the soft limit to the
// hard one already.
func connectionLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1 << 20
	}
	return int(min(max(limit.Cur, spareDescriptors+1)-spareDescriptors, 1<<20))
}
