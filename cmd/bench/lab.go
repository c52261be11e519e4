//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// lab is what the measurements have in common.
type lab struct {
	*options
	self       string // this program, to be its own helpers
	dir        string // for files of the run, removed at its end
	serverList string // cores as taskset wants them
	clientList string
	nginx      *nginx
}

// newLab installs the peers that are missing and starts nginx. The caller closes the lab.
func newLab(ctx context.Context, o *options) (*lab, error) {
	if err := findDaemons(); err != nil {
		return nil, err
	}
	if err := checkPrograms(o.ratebench); err != nil {
		return nil, err
	}
	if err := installPeers(ctx, o.peers); err != nil {
		return nil, err
	}
	l := &lab{options: o, serverList: strconv.Itoa(o.serverCore), clientList: strconv.Itoa(o.clientCore)}
	if err := l.checkCores(); err != nil {
		return nil, err
	}
	return l, l.open(ctx)
}

func (l *lab) open(ctx context.Context) (err error) {
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if l.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	l.nginx, err = startNginx(ctx, l.dir, l.serverList)
	if err != nil {
		_ = os.RemoveAll(l.dir)
	}
	return err
}

func (l *lab) close() {
	l.nginx.stop()
	_ = os.RemoveAll(l.dir)
}

// checkCores tries both cores before anything is measured on them.
func (l *lab) checkCores() error {
	for _, core := range []string{l.serverList, l.clientList} {
		if out, err := exec.Command("taskset", "-c", core, "true").CombinedOutput(); err != nil {
			return fmt.Errorf("core %s cannot be used, two are needed: %w: %s", core, err, out)
		}
	}
	return nil
}

// seconds is how long a run lasts whose length can be chosen.
func (l *lab) seconds() int {
	if l.quick {
		return 1
	}
	return 4
}

// part is n, or a smaller number for a quick run.
func (l *lab) part(n int) int {
	if l.quick {
		return n / 20
	}
	return n
}

func (l *lab) span() string                   { return strconv.Itoa(l.seconds()) + "s" }
func (l *lab) file(name string) string        { return filepath.Join(l.dir, name) }
func (l *lab) peer(name string) string        { return filepath.Join(l.peers, name) }
func (l *lab) helper(args ...string) []string { return append([]string{l.self}, args...) }

// patience bounds a client that is to run for so long: a loaded machine may be
// several times slower.
func patience(expected time.Duration) time.Duration { return 5*expected + 30*time.Second }
