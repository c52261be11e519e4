//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// grace is how long a child may take to end when it is told to.
const grace = 3 * time.Second

// ended is a child that has run to its end.
type ended struct {
	stdout, stderr []byte
	exit           int           // −1 if a signal ended it
	cpu            time.Duration // user and system, of all its life
	elapsed        time.Duration
	rss            uint64 // peak, bytes
}

// command is argv on the given cores (a list as in taskset(1)), to be ended with
// ctx. It has a process group of its own, so that a terminal's Ctrl-C reaches this
// program alone, and it dies with this program even if that is killed.
func command(ctx context.Context, cores string, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", cores}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	return cmd
}

// runChild runs a command of at most limit and measures it. Any exit status is a
// result; an error is a child that could not start or did not end by itself.
func runChild(ctx context.Context, limit time.Duration, cores string, argv []string, stdin string) (*ended, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := command(ctx, cores, argv)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	peak := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	e := &ended{
		stdout: stdout.Bytes(), stderr: stderr.Bytes(), elapsed: time.Since(started),
		exit: cmd.ProcessState.ExitCode(),
		cpu:  cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		rss:  peak(cmd.ProcessState),
	}
	if ctx.Err() != nil || e.exit < 0 {
		return e, fmt.Errorf("%s did not end by itself within %v: %w", argv[0], limit, err)
	}
	return e, nil
}

// background starts a command that runs beside others, and returns when it has
// printed its first line, with that line. stop ends it and returns when it has ended.
func background(ctx context.Context, cores string, argv []string) (line string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := command(ctx, cores, argv)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return "", nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	stop = func() { cancel(); _ = cmd.Wait() }
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s ended before it was ready: %w", strings.Join(argv, " "), err)
	}
	return strings.TrimSpace(line), stop, nil
}
