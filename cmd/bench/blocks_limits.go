//go:build linux

package main

import (
	"context"
	"strconv"
)

// openRate × openDelay connections are open at once.
const (
	openRate  = 2_000
	openDelay = 5 // seconds
)

func manyOpen() block {
	return block{
		name: "open", title: "2000/s to a server that answers after 5 s, a new connection for each request", base: ours, once: true,
		columns: openColumns(),
		server: func(ctx context.Context, l *lab) (string, func(), error) {
			return background(ctx, l.serverList, l.helper("slow", "-delay", openSpan(l, openDelay)))
		},
		tasks: func(l *lab, url string) []task {
			t := l.ratebenchRun(ours, url, "--engine", "epoll", "--rate", strconv.Itoa(openRate), "--duration", openSpan(l, 2*openDelay),
				"--timeout", "30s", "--max-connections", "15000")
			t.limit = 3 * openDelay
			return []task{t}
		},
	}
}

// openSpan is a number of seconds, a fifth of it for a quick run.
func openSpan(l *lab, seconds int) string {
	if l.quick {
		return strconv.Itoa(200*seconds) + "ms"
	}
	return strconv.Itoa(seconds) + "s"
}

// Length and timeout of the run that asks for too much, in seconds.
const (
	tooMuchLength  = 5
	tooMuchTimeout = 1
)

func tooMuch() block {
	return block{
		name: "too-much", title: "1 000 000/s asked for, 5 s, timeout 1 s", base: ours, once: true,
		columns: openColumns(),
		tasks: func(l *lab, url string) []task {
			t := l.ratebenchRun(ours, url, "--engine", "epoll", "--rate", "1000000", "--duration", strconv.Itoa(tooMuchLength),
				"--timeout", strconv.Itoa(tooMuchTimeout), "--keepalive")
			t.limit = tooMuchLength + tooMuchTimeout
			return []task{t}
		},
	}
}

// Clients of the block about memory.
const (
	million    = "1 million requests"
	tenMillion = "10 million requests"
)

func memory() block {
	return block{
		name: "memory", title: "memory of long runs, saturation, 32 kept connections", base: million, once: true,
		columns: openColumns(),
		tasks: func(l *lab, url string) []task {
			run := func(client string, total int) task {
				return l.saturatedTotal(client, url, l.part(total), keptPerSecond, 32, "--engine", "epoll", "--loops", "1", "--keepalive")
			}
			return []task{run(million, 1_000_000), run(tenMillion, 10_000_000)}
		},
	}
}

// loopCounts are those of the blocks that show that a plan splits exactly.
func loopCounts() []int { return []int{1, 2, 3, 7} }

// loopRate is offered to every number of loops.
const loopRate = 20_000

func loopsName(n int) string {
	if n == 1 {
		return "1 loop"
	}
	return strconv.Itoa(n) + " loops"
}

func loopsAtRate() block {
	return block{
		name: "loops", title: "20000/s, kept connections, loops on one core", base: loopsName(1),
		columns: loopColumns(),
		tasks: func(l *lab, url string) []task {
			var all []task
			for _, n := range loopCounts() {
				all = append(all, l.atRate(loopsName(n), url, loopRate, "--engine", "epoll", "--keepalive", "--loops", strconv.Itoa(n)))
			}
			return all
		},
	}
}

const twoCores = "2 loops, a core each"

// loopsSaturated shows what loops cost each other: with a core for each, a shared
// cache line would show as CPU time. One of those cores is the server's.
func loopsSaturated() block {
	return block{
		name: "loops-saturation", title: "saturation, 32 kept connections, loops on one core", base: loopsName(1),
		columns: loopColumns(),
		tasks: func(l *lab, url string) []task {
			run := func(client string, loops int) task {
				return l.saturated(client, url, keptPerSecond, 32, "--engine", "epoll", "--keepalive", "--loops", strconv.Itoa(loops))
			}
			both := run(twoCores, 2)
			both.cores = l.clientList + "," + l.serverList
			return []task{run(loopsName(1), 1), run(loopsName(2), 2), both}
		},
	}
}
