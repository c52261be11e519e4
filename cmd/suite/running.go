package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Patience with a server.
const (
	readyWithin = 30 * time.Second // an application of the seeds needs two
	stopWithin  = 5 * time.Second  // after SIGTERM; then SIGKILL
	commandTime = 10 * time.Second // of a stop or ready command
)

// Running is a server that was started, or found running if its suite does not
// start it. Stop ends it.
type Running struct {
	server    *Server
	directory string
	scratch   string // of this start, removed after it
	said      *journal

	cmd   *exec.Cmd     // nil if it ran already
	ended chan struct{} // closed when cmd is over
	guard *guard
	once  sync.Once
}

// Start brings a server up and returns when it answers as it should. Its commands
// run in directory; what it says on standard error is appended to the file log, up
// to a mebibyte. An error says why there is no such server, and then nothing of it
// is left.
func Start(ctx context.Context, server *Server, directory, log string) (*Running, error) {
	r := &Running{server: server, directory: directory, ended: make(chan struct{})}
	if err := r.launch(ctx, log); err != nil {
		r.Stop()
		return nil, err
	}
	if err := r.ready(ctx); err != nil {
		r.Stop() // what it says while it ends is quoted too
		err = r.quoting(err)
		if left := r.foreign(); left != nil {
			err = fmt.Errorf("%w; %w", err, left)
		}
		return nil, err
	}
	return r, nil
}

// launch starts the process, if there is one to start.
func (r *Running) launch(ctx context.Context, log string) (err error) {
	if r.server.Start == "" && r.server.Ready == "" {
		return nil
	}
	if r.server.Start != "" {
		if err := portFree(ctx, r.server.URL); err != nil {
			return err
		}
	}
	if r.scratch, err = scratch(); err != nil || r.server.Start == "" {
		return err
	}
	if r.said, err = openJournal(log); err != nil {
		return err
	}
	cmd := r.command(context.Background(), r.server.Start) // Stop ends it
	cmd.Stderr, cmd.WaitDelay = r.said, time.Second
	apart(cmd)
	if err := r.run(cmd); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	r.cmd = cmd
	r.guard, err = startGuard(cmd.Process.Pid, r.scratch)
	return err
}

// scratch makes a folder that a daemon's own user may enter. Its path is short: a
// Unix socket's has 107 bytes (unix(7)).
func scratch() (string, error) {
	dir, err := os.MkdirTemp("", "rb")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// command is a command line of the suite, not yet started.
func (r *Running) command(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Dir = r.directory
	cmd.Env = append(os.Environ(), "RATEBENCH_SCRATCH="+r.scratch, "PATH="+searchPath())
	return cmd
}

// PID is the number of the process that was started, 0 if none was.
func (r *Running) PID() int {
	if r.cmd == nil {
		return 0
	}
	return r.cmd.Process.Pid
}

// ready waits until the server answers as it should.
func (r *Running) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	var last error // said before the time was over
	pause := 10 * time.Millisecond
	for {
		err := r.asked(ctx)
		if ctx.Err() == nil {
			last = err
		}
		var wrong payloadError
		if err == nil {
			return r.foreign()
		}
		if errors.As(err, &wrong) {
			return err
		}
		select {
		case <-r.ended:
			return fmt.Errorf("it ended before it was ready (%v)", r.cmd.ProcessState)
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("not ready within %v: %w", readyWithin, last)
			}
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 200*time.Millisecond)
	}
}

// asked is nil for a server that is ready and sends the right payload.
func (r *Running) asked(ctx context.Context) error {
	if r.server.Ready != "" {
		if err := r.carryOut(ctx, r.server.Ready); err != nil {
			return fmt.Errorf("ready: %w", err)
		}
	}
	return probe(ctx, r.server.URL, r.server.Expect)
}

// carryOut runs a command to its end.
func (r *Running) carryOut(ctx context.Context, line string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := r.command(ctx, line)
	said := &tail{}
	cmd.Stderr, cmd.WaitDelay = said, time.Second
	alone(cmd)
	runtime.LockOSThread() // which alone's signal hangs on
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if cmd.Process != nil {
		signalGroup(cmd.Process.Pid, true) // what it has left in the background
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) { // its own, or what is left of the caller's
		err = fmt.Errorf("did not end within %v", commandTime)
	}
	if last := said.line(); err != nil && last != "" {
		return fmt.Errorf("%w: it says %s", err, quoted(last))
	}
	return err
}

// quoting adds the last line that the server said.
func (r *Running) quoting(err error) error {
	if r.said == nil || r.said.line() == "" {
		return err
	}
	return fmt.Errorf("%w; it says %s", err, quoted(r.said.line()))
}

// Over says whether the process that was started has ended by itself.
func (r *Running) Over() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// Stop ends all that Start has begun, politely first, and removes its scratch
// folder. It returns when nothing of the process group is left, or when SIGKILL did
// not help within a second. It may be called twice.
func (r *Running) Stop() {
	r.once.Do(func() {
		if r.cmd != nil && r.server.Stop != "" && !r.Over() {
			_ = r.carryOut(context.Background(), r.server.Stop) // the signals follow anyway
		}
		if r.cmd != nil {
			r.end()
		}
		r.clear()
	})
}

// end sends the signals.
func (r *Running) end() {
	group := r.cmd.Process.Pid
	signalGroup(group, false)
	if !emptied(group, stopWithin) {
		signalGroup(group, true)
		emptied(group, time.Second)
	}
	<-r.ended
}

func (r *Running) clear() {
	r.guard.dismiss()
	if r.said != nil {
		r.said.close()
	}
	if r.scratch != "" {
		_ = os.RemoveAll(r.scratch)
	}
}

// emptied waits until a process group is empty, for at most limit.
func emptied(group int, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !inhabited(group) {
			return true
		}
	}
	return !inhabited(group)
}

// Ending is how a process that has ended by itself did, and what it said last.
func (r *Running) Ending() string {
	return r.quoting(fmt.Errorf("it ended (%v)", r.cmd.ProcessState)).Error()
}
