//go:build unix

package sampler

import (
	"os"
	"os/exec"
	"syscall"
)

const canLock = true

// lock locks an open directory until it is closed or this process ends, however it
// ends (flock(2)).
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// ownSession keeps a terminal from a process (setsid(2)).
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// killSession kills the first process group of a session of its own.
func killSession(c *exec.Cmd) {
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // none is there any more: as well
}
