//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// nginxConfig answers three bytes from memory and never closes a connection of its
// own accord. It is a single process, so that its end is the end of all of it.
// %d: connections at most, port.
const nginxConfig = `daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections %d; }
http {
	access_log off;
	server_tokens off;
	keepalive_requests 1000000000;
	keepalive_timeout 3600s;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	server {
		listen 127.0.0.1:%d backlog=4096;
		location / { return 200 "ok\n"; }
		location = /status { stub_status; }
	}
}
`

// nginxConnections is more than any client opens.
const nginxConnections = 30_000

// nginx is a private server.
type nginx struct {
	url   string
	stop  func() // ends it and returns when it has ended
	asked uint64 // status requests so far
}

// startNginx starts one on the given core with its files in dir, and returns when
// it answers.
func startNginx(ctx context.Context, dir, core string) (*nginx, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(nginxConfig, nginxConnections, port)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := command(ctx, core, []string{"nginx", "-p", dir, "-c", "nginx.conf", "-e", "stderr"})
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("starting nginx: %w", err)
	}
	n := &nginx{url: fmt.Sprintf("http://127.0.0.1:%d/", port), stop: func() { cancel(); _ = cmd.Wait() }}
	if err := await(ctx, n.url); err != nil {
		n.stop()
		return nil, fmt.Errorf("nginx: %w", err)
	}
	return n, nil
}

// freePort is a port of loopback that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// await returns when url answers.
func await(ctx context.Context, url string) (err error) {
	for range 100 {
		if _, err = get(ctx, url); err == nil {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("no answer in 5 s: %w", err)
}

func get(ctx context.Context, url string) (string, error) {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	return string(body), err
}
