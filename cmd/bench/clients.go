//go:build linux

package main

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
)

// What ratebench manages in a second on one core, roughly; it sets the length of
// runs at saturation.
const (
	keptPerSecond   = 100_000
	newPerSecond    = 20_000
	vegetaPerSecond = 20_000
	vegetaNew       = 6_000
)

// ratebenchRun is ratebench with options. Status 4, the client was the limit, is a
// result here: that is what saturation and neighbours are about.
func (l *lab) ratebenchRun(client, url string, options ...string) task {
	argv := append([]string{l.ratebench, "--quiet", "--format", "json"}, options...)
	return task{client: client, argv: append(argv, url), exits: []int{4}, read: readRatebench}
}

// saturated is ratebench offered more than it can do with the connections that it
// may use: a request that is due waits in the plan until one is free. The total is
// what bounds the run, and the timeout is far off, so that every request is
// answered and no CPU time goes into ones that are given up.
func (l *lab) saturated(client, url string, perSecond, connections int, options ...string) task {
	return l.saturatedTotal(client, url, perSecond*l.seconds(), perSecond, connections, options...)
}

func (l *lab) saturatedTotal(client, url string, total, perSecond, connections int, options ...string) task {
	options = append([]string{"--rate", "200000", "--total", strconv.Itoa(total), "--timeout", "600s",
		"--max-connections", strconv.Itoa(connections)}, options...)
	t := l.ratebenchRun(client, url, options...)
	t.limit = 1 + total/perSecond
	return t
}

// atRate is ratebench offering requests at a rate.
func (l *lab) atRate(client, url string, rate int, options ...string) task {
	options = append([]string{"--rate", strconv.Itoa(rate), "--duration", l.span()}, options...)
	return l.ratebenchRun(client, url, options...)
}

func (l *lab) floorRun(client, url string, options ...string) task {
	argv := l.helper("floor", "-address", hostPort(url), "-connections", "32", "-duration", l.span())
	return task{client: client, argv: append(argv, options...), read: readFloor}
}

func (l *lab) wrk(client, url string, options ...string) task {
	argv := append([]string{"wrk", "-t1", "-c32", "-d" + l.span()}, options...)
	return task{client: client, argv: append(argv, url), read: readWrk}
}

func (l *lab) h2load(client, url string) task {
	return task{client: client, argv: []string{"h2load", "--h1", "-t1", "-c32", "-D", strconv.Itoa(l.seconds()), url}, read: readH2load}
}

// ab takes the number of requests after the time, because -t sets it too.
func (l *lab) ab(client, url string, options ...string) task {
	argv := append([]string{"ab", "-q", "-c", "32", "-t", strconv.Itoa(l.seconds()), "-n", "10000000"}, options...)
	return task{client: client, argv: append(argv, url), read: readAb}
}

func (l *lab) bombardier(client, url string) task {
	return task{client: client, argv: []string{l.peer("bombardier"), "-c", "32", "-d", l.span(), "-p", "r", "-o", "j", url}, read: readBombardier}
}

// vegeta writes its results to a file, as it is used; its report is made afterwards
// and not measured. rate 0 is as fast as the workers can.
func (l *lab) vegeta(client, url string, rate, workers int, options ...string) task {
	results := l.file("vegeta.bin")
	argv := append([]string{l.peer("vegeta"), "attack", "-rate=" + strconv.Itoa(rate), "-max-workers=" + strconv.Itoa(workers),
		"-duration=" + l.span(), "-output=" + results}, options...)
	read := func(ctx context.Context, _ *ended, s *sample) error {
		out, err := exec.CommandContext(ctx, l.peer("vegeta"), "report", "-type=json", results).Output()
		if err != nil {
			return fmt.Errorf("vegeta report: %w", err)
		}
		return readVegeta(out, s)
	}
	return task{client: client, argv: argv, stdin: "GET " + url + "\n", read: read}
}

// httperf opens a connection for each request, at a rate.
func (l *lab) httperf(client, url string, rate int) task {
	host, port, _ := strings.Cut(hostPort(url), ":")
	return task{client: client, read: readHttperf, argv: []string{"httperf", "--hog", "--timeout", "5", "--server", host, "--port", port,
		"--uri", "/", "--rate", strconv.Itoa(rate), "--num-conns", strconv.Itoa(rate * l.seconds())}}
}

// hostPort is the address in a URL of a server that this program started.
func hostPort(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
