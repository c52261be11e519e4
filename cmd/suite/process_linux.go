package suite

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// apart gives a command a process group of its own: a Ctrl-C at the terminal is
// for ratebench, which then ends the group. Should ratebench be killed, the kernel
// ends the command (PR_SET_PDEATHSIG(2const)), and the guard its group.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// alone is apart for a command that is waited for: its whole group ends with its
// context, and the command itself with the thread that starts it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// run starts the command on a thread that lives as long as the command does: the
// signal of apart is sent when the thread that started it ends, not the process.
func (r *Running) run(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() { // ends with the command
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // its state says the same
			close(r.ended)
		}
	}()
	return <-started
}

// signalGroup ends a process group, by SIGKILL if it must be at once. A group that
// is gone is no fault.
func signalGroup(group int, atOnce bool) {
	signal := syscall.SIGTERM
	if atOnce {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-group, signal)
}

// inhabited says whether a process of the group runs. One that has ended but that
// nobody waits for counts to kill(2), and in a container may do so for ever: those
// are told apart by their state.
func inhabited(group int) bool {
	if errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		return false
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return true
	}
	for _, path := range stats {
		if text, err := os.ReadFile(path); err == nil && runsIn(text, group) {
			return true
		}
	}
	return false
}

// runsIn reads state and pgrp, the third and fifth field of proc_pid_stat(5). The
// second is in parentheses and may hold anything.
func runsIn(stat []byte, group int) bool {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 3 {
		return false
	}
	state := fields[0][0]
	return string(fields[2]) == strconv.Itoa(group) && state != 'Z' && state != 'X'
}

// guard is a process that ends a process group when this process does not: by the
// end of a pipe, which no kill can prevent.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// guarding waits for the pipe's end. It allows the group as long as Stop does.
const guarding = `trap '' HUP INT TERM
read nothing
kill -s TERM -- "-$1" 2>/dev/null
tries=0
while kill -s 0 -- "-$1" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -s KILL -- "-$1" 2>/dev/null
rm -rf -- "$2"`

func startGuard(group int, scratch string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guarding, "ratebench-guard", strconv.Itoa(group), scratch)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &guard{cmd, pipe}, nil
}

// dismiss ends the guard before its pipe does, so that it does nothing. A nil guard
// has been dismissed.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait() // it was killed
	_ = g.pipe.Close()
}

// lockFile keeps a file to this process (flock(2)); the lock ends with the process.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
