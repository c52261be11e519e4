package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// resolverVariable names the address that a process of the tests asks for names.
const resolverVariable = "RATEBENCH_TEST_RESOLVER"

// TestMain lets the test binary be the program itself, for what only a process
// of its own can show.
func TestMain(m *testing.M) {
	if os.Getenv("RATEBENCH_TEST_MAIN") != "" {
		if address := os.Getenv(resolverVariable); address != "" {
			net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "udp", address)
			}}
		}
		main()
	}
	os.Exit(m.Run())
}

// process is ratebench as a process of its own, not yet started. It is killed
// with the test.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr = &bytes.Buffer{}
	cmd = exec.Command(self, args...)
	cmd.Env = append(os.Environ(), "RATEBENCH_TEST_MAIN=1")
	cmd.Stderr = stderr
	cmd.WaitDelay = 10 * time.Second
	t.Cleanup(func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
		}
	})
	return cmd, stderr
}

// A pipe whose reader has gone ends a program silently (SIGPIPE) unless it takes care.
func TestClosedPipeIsOneLine(t *testing.T) {
	cmd, stderr := process(t, "--version")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	cmd.Stdout = writer
	err = cmd.Run()
	writer.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Errorf("ended with %v", err)
	}
	if n := bytes.Count(stderr.Bytes(), []byte("\n")); n != 1 || !bytes.Contains(stderr.Bytes(), []byte("broken pipe")) {
		t.Errorf("standard error: %q", stderr)
	}
}

// RC-089: a server that never answers does not keep an interrupted run, and
// nothing is left behind.
func TestTwoInterruptsEndTheProcess(t *testing.T) {
	dir := t.TempDir()
	server := silentServer(t)
	cmd, stderr := process(t, "--rate", "1", "--duration", "1h", "--timeout", "60",
		"-o", filepath.Join(dir, "r.json"), "http://"+server.Addr().String()+"/")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := server.Accept() // the load has begun
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		time.Sleep(2 * together) // signals that come together are one
	}
	began := time.Now()
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, %s", err, stderr)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("after %v", took)
	}
	for name := range content(t, dir) {
		if name != "r.json" { // which is there if the report was faster than the second signal
			t.Errorf("%s is left over", name)
		}
	}
}

// silentServer takes connections and never says anything on them.
func silentServer(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.(*net.TCPListener).SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestProcessRefusesAWrongCommandLine(t *testing.T) {
	cmd, stderr := process(t, "--rtae", "5", url)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(stdout)
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUsage || len(text) > 0 || stderr.Len() == 0 {
		t.Errorf("ended with %v, stdout %q, stderr %q", err, text, stderr)
	}
}
