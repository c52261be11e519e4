package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"ratebench/attack/testserver"
)

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	from, to := io.Pipe()
	status := make(chan int, 1)
	go func() { // ends with ctx
		a := &app{stdout: to, stderr: io.Discard}
		status <- a.run(ctx, []string{"serve", "--workers", "0", "--size", "5", "--fail", "status=0.5"})
		_ = to.Close()
	}()
	lines := bufio.NewReader(from)
	line, err := lines.ReadString('\n')
	said := regexp.MustCompile(`^serving (http://127\.0\.0\.1:[1-9][0-9]*/)\n$`).FindStringSubmatch(line)
	if said == nil {
		t.Fatalf("printed %q (%v)", line, err)
	}
	statuses := map[int]int{}
	client := &http.Client{Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	for range 10 {
		reply, err := client.Get(said[1])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		_ = reply.Body.Close()
		statuses[reply.StatusCode]++
	}
	if statuses[200] != 5 || statuses[500] != 5 {
		t.Errorf("statuses %v, want 5 of 200 and 5 of 500", statuses)
	}
	cancel()
	if rest, _ := io.ReadAll(lines); len(rest) > 0 {
		t.Errorf("also printed %q", rest)
	}
	if got := <-status; got != exitDone {
		t.Errorf("status %d, want %d", got, exitDone)
	}
}

func TestServeRefusesWrongOptions(t *testing.T) {
	e := &engine{}
	r := command(t, e, "serve", "--listen", "8080", "--workers", "two", "--service-time", "x", "--service", "normal", "--seed", "-1",
		"--delay", "-1s", "--queue", "-1", "--stall-at", "4s", "--size", "1e3", "--fail", "reset", "--fail", "fire=0.5", "--fail", "hang=2")
	if why := refusal(e, r,
		`--workers "two": want a whole number`,
		`--service-time "x" is not a duration: want seconds (5, 0.25) or a unit (250ms, 1m30s)`,
		`--seed "-1": want a whole number from 0 to 18446744073709551615`,
		`--size "1e3": want a whole number`,
		`--fail "reset": want KIND=SHARE, as in reset=0.01`,
		`--listen "8080": want HOST:PORT: address 8080: missing port in address`,
		`--service "normal": want fixed or exponential`,
		`--delay -1s: must not be negative`,
		`--stall-at 4s: needs --stall-for`,
		`--queue -1: must be 0 (endless) or more`,
		`--fail fire: want status, reset, truncate, hang or refuse`,
		`--fail hang=2: the share must be from 0 to 1`,
	); why != "" {
		t.Error(why)
	}
}

// Each of these would take the machine's memory.
func TestServeRefusesHugeNumbers(t *testing.T) {
	for option, part := range map[string]string{"--workers": "--workers 9223372036854775807: must be", "--size": "--size 9223372036854775807: must be"} {
		r := command(t, &engine{}, "serve", option, "9223372036854775807")
		if r.status != exitUsage || !strings.Contains(r.stderr, part) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", option, r)
		}
	}
}

func TestServeCannotListen(t *testing.T) {
	s, err := testserver.Start(testserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r := command(t, &engine{}, "serve", "--listen", s.Addr().String()); r.status != exitFailed || r.stdout != "" || r.stderr == "" {
		t.Errorf("%+v, want one line and status %d", r, exitFailed)
	}
}

// brokenWriter is a standard output that nobody reads.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestServeWithoutOutput(t *testing.T) {
	if err := serve(context.Background(), testserver.Config{}, brokenWriter{}); err == nil {
		t.Error("served although its address could not be told")
	}
}
