package sampler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// wantReading fetches and compares what cannot have changed with this machine's,
// which is the host.
func wantReading(t *testing.T, r *remote) view {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	before := time.Now()
	v, err := r.fetch(ctx, wanted{pids: []int32{int32(os.Getpid())}, files: []string{"/proc/version", "/no/such"}, find: true})
	if err != nil {
		t.Fatal(err)
	}
	if v.at.Before(before) || v.at.After(time.Now()) || v.within <= 0 {
		t.Errorf("read at %v give or take %v, asked at %v", v.at, v.within, before)
	}
	self := strconv.Itoa(os.Getpid())
	for _, name := range []string{"/proc/version", "/proc/sys/kernel/osrelease", "/proc/" + self + "/cmdline", "/proc/" + self + "/cgroup"} {
		wantSameFile(t, name, v.root+name)
	}
	for name, start := range map[string]string{"/stat": "cpu  ", "/net/netstat": "TcpExt: ", "/" + self + "/stat": self + " (", "/1/status": "Name:\t", "/self/mountinfo": ""} {
		wantStart(t, v.proc+name, start)
	}
	if _, err := os.Lstat(v.root + "/no"); err == nil {
		t.Error("a file that is not there was laid out")
	}
	return v
}

// wantStart is for files that change all the time.
func wantStart(t *testing.T, name, start string) {
	t.Helper()
	if text, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(text), start) || len(text) == 0 {
		t.Errorf("%s: %.60q, %v; want %q and more", name, text, err, start)
	}
}

func wantStatus(t *testing.T, v view, pid int32) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/status", v.proc, pid))
	if err != nil || statusPID(text) != pid || !strings.HasPrefix(string(text), "Name:") || !strings.Contains(string(text), "\nnonvoluntary_ctxt_switches:") {
		t.Errorf("status of %d: %v, %q", pid, err, text)
	}
}

func wantSameFile(t *testing.T, a, b string) {
	t.Helper()
	if fault := filesDiffer(a, b); fault != "" {
		t.Error(fault)
	}
}

func filesDiffer(a, b string) string {
	x, err := os.ReadFile(a)
	if err != nil {
		return err.Error()
	}
	y, err := os.ReadFile(b)
	if err != nil {
		return err.Error()
	}
	if !bytes.Equal(x, y) {
		return fmt.Sprintf("%s: %.100q\n%s: %.100q", a, x, b, y)
	}
	return ""
}

func TestFilesDiffer(t *testing.T) {
	if filesDiffer("/proc/version", "/proc/version") != "" || filesDiffer("/proc/version", "/proc/sys/kernel/ostype") == "" || filesDiffer("/proc/version", "/no/such") == "" {
		t.Error("the comparison does not tell files apart")
	}
}

// An answer that was given up comes late and is not taken for the next.
func TestRemoteResynchronises(t *testing.T) {
	r := startSSHD(t).connect()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.fetch(ended, wanted{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	for range 3 {
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err := r.fetch(short, wanted{find: true, files: []string{"/proc/version"}})
		cancel()
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*lostError))) {
			t.Errorf("error %v, want that of the context", err)
		}
		wantReading(t, r)
	}
}

// A host with more processes than one command takes as arguments.
func TestRemoteTooManyProcesses(t *testing.T) {
	dir := linkPrograms(t, map[string]string{"sleep": "/bin/sleep", "sh": "/bin/sh"})
	// Half way between all and those of one leading digit, as other processes come and go.
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	byDigit, most := map[byte]int{}, 0
	for _, path := range all {
		digit := path[len("/proc/")]
		byDigit[digit]++
		most = max(most, byDigit[digit])
	}
	cat := fmt.Sprintf("#!/bin/sh\n[ $# -lt %d ] || { echo too long >&2; exit 126; }\nexec /bin/cat \"$@\"\n", 12+(most+len(all))/2)
	if err := os.WriteFile(filepath.Join(dir, "cat"), []byte(cat), 0o700); err != nil {
		t.Fatal(err)
	}
	r := startSSHD(t, "SetEnv PATH="+dir).connect()
	v, err := r.fetch(t.Context(), wanted{pids: []int32{1}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.split {
		t.Error("the limit was not met")
	}
	wantStatus(t, v, 1)
	if text, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", v.proc, os.Getpid())); err != nil || len(text) == 0 {
		t.Error(err)
	}
}

// More processes than are asked for in one cat, and what a reading costs.
func TestRemoteManyProcesses(t *testing.T) {
	r := startSSHD(t).connect()
	c := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt 450 ]; do sleep 60 & i=$((i+1)); done; echo; cat")
	c.SysProcAttr = newSession()
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		for _, p := range descendants(c.Process.Pid) {
			if child, err := os.FindProcess(p); err == nil {
				child.Kill()
			}
		}
		c.Wait()
	}()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	v, err := r.fetch(t.Context(), wanted{find: true})
	if err != nil {
		t.Fatal(err)
	}
	var pids []int32
	for _, p := range descendants(c.Process.Pid) {
		dir := fmt.Sprintf("/proc/%d", p)
		for _, file := range []string{"/cmdline", "/cgroup"} {
			wantSameFile(t, dir+file, v.root+dir+file)
		}
		pids = append(pids, int32(p))
	}
	if v, err = r.fetch(t.Context(), wanted{pids: pids}); err != nil {
		t.Fatal(err)
	}
	for _, p := range pids {
		wantStatus(t, v, p)
	}
	cost, start := r.cost(), time.Now()
	const n = 20
	for range n {
		if _, err := r.fetch(t.Context(), wanted{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d processes: %v of the host and %v in all for a reading", len(pids), (r.cost()-cost)/n, time.Since(start)/n)
	if r.cost() <= 0 {
		t.Error("readings cost nothing")
	}
}
