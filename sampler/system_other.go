//go:build !unix

package sampler

import (
	"os"
	"os/exec"
	"syscall"
)

// canLock says that what a process that was killed has left can be told from what
// is in use. Here it cannot, and stays.
const canLock = false

func lock(*os.File) error { return nil }

// ownSession is for systems where a process can lose its terminal.
func ownSession() *syscall.SysProcAttr { return nil }

// killSession kills the process alone.
func killSession(c *exec.Cmd) {
	_ = c.Process.Kill() // it has ended: as well
}
