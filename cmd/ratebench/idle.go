package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// idlePatience bounds how long a server that does nothing may take to start.
const idlePatience = 10 * time.Second

// startIdle starts this program again as a server that answers at once, in a
// process of its own, whose CPU time is not the client's. stop ends it. It also
// ends when this process does.
func startIdle(ctx context.Context) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	return startServing(ctx, exec.Command(self, "serve", "--workers", "0"))
}

func startServing(ctx context.Context, cmd *exec.Cmd) (url string, stop func(), err error) {
	said, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	line := make(chan string, 1)
	go func() { // ends with the line or with the process
		text, _ := bufio.NewReader(said).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		url, ok := strings.CutPrefix(strings.TrimSpace(text), "serving ")
		if ok {
			return url, stop, nil
		}
		err = fmt.Errorf("%s says %q", cmd.Path, text)
	case <-time.After(idlePatience):
		err = errors.New("it takes too long")
	case <-ctx.Done():
		err = errNothingSent
	}
	stop()
	return "", nil, err
}
