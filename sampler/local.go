package sampler

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// realProc is where this machine's files are (proc(5)).
const realProc = "/proc"

// live says that the files of v are the kernel's own, which change as they are read.
func (v *view) live() bool { return v.proc == realProc }

// local is the transport for this machine: the files stay where they are, and are
// read as they are needed.
type local struct {
	meter meter
}

func newLocal() *local { return new(local) }

// fetch brings nothing. Only whose sockets are whose is gathered here.
func (l *local) fetch(ctx context.Context, want wanted) (view, error) {
	if err := ctx.Err(); err != nil {
		return view{}, err
	}
	if _, err := os.Stat(realProc + "/stat"); err != nil {
		return view{}, fmt.Errorf("%w (%v)", ErrNoProc, err)
	}
	defer l.meter.measure()()
	v := view{proc: realProc, cgroup: cgroupRoot, root: "/", meter: &l.meter}
	if want.sockets {
		v.owners = socketOwners(realProc)
	}
	return v, nil
}

func (l *local) cost() time.Duration         { return l.meter.spent }
func (l *local) clock() Clock                { return Clock{} }
func (l *local) close(context.Context) error { return nil }

// socketOwners lists who has which sockets open, as far as this user may see.
func socketOwners(proc string) map[uint64][]int32 {
	owners := make(map[uint64][]int32)
	pids, _ := listPIDs(proc)
	for _, pid := range pids {
		dir := proc + "/" + pidText(pid) + "/fd/"
		d, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1)
		d.Close()
		for _, name := range names {
			link, _ := os.Readlink(dir + name)
			if inode, ok := socketInode(link); ok {
				owners[inode] = append(owners[inode], pid)
			}
		}
	}
	return owners
}

// socketInode reads the target of a descriptor's link, like socket:[1234].
func socketInode(link string) (uint64, bool) {
	number, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return 0, false
	}
	inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64)
	return inode, err == nil
}
