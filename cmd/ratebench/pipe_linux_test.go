package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// full fills a pipe, so that the next byte waits for a reader.
func full(t *testing.T, pipe *os.File) {
	t.Helper()
	size, err := unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Write(bytes.Repeat([]byte{' '}, size)); err != nil {
		t.Fatal(err)
	}
}

// RC-089: a report that nobody reads does not keep a user who insists.
func TestInterruptWhileTheReportIsWritten(t *testing.T) {
	t.Parallel()
	server, dir := rawServer(t, ""), t.TempDir()
	cmd, stderr := process(t, "--rate", "100", "--total", "10", "--format", "json", "-o", filepath.Join(dir, "r.json"), server.URL())
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	full(t, writer)
	cmd.Stdout = writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	p := &started{cmd: cmd, stderr: stderr}
	if !await(30*time.Second, func() bool { return len(content(t, dir)["r.json"]) > 0 }) { // standard output comes after the files
		t.Fatal("no report")
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	time.Sleep(2 * together)
	if status, _ := p.interrupt(t, syscall.SIGINT); status != 130 {
		t.Errorf("status %d, %s", status, stderr)
	}
	readDocument(t, filepath.Join(dir, "r.json"), result{})
}
