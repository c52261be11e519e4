//go:build linux

package main

import (
	"fmt"
	"strconv"
)

// Clients that goals speak of.
const (
	ours       = "ratebench"
	oursUser   = "ratebench, user stamps"
	oursVegeta = "ratebench, vegeta engine"
	theFloor   = "floor: send and recv only"
	theLoop    = "floor: event loop and kernel stamps"
	theWrk     = "wrk"
	theAb      = "ab"
	theHttperf = "httperf"
	theVegeta  = "vegeta"
)

// Rates of the blocks with neighbours.
func neighbourRates() []int { return []int{2_000, 20_000} }

// blocks are all blocks in their order.
func blocks() []block {
	all := []block{saturation(), newConnections(), newAtRate()}
	for _, rate := range []int{300, 2_000, 10_000, 20_000} {
		all = append(all, fixedRate(rate))
	}
	for _, rate := range neighbourRates() {
		all = append(all, neighbours(rate))
	}
	return append(all, manyOpen(), tooMuch(), memory(), loopsAtRate(), loopsSaturated())
}

func saturation() block {
	return block{
		name: "saturation", title: "saturation, 32 kept connections (the vegeta engine: 64)", base: ours,
		columns: saturationColumns(),
		tasks: func(l *lab, url string) []task {
			return []task{
				l.floorRun(theFloor, url),
				l.floorRun("floor: as an event loop", url, "-epoll"),
				l.floorRun(theLoop, url, "-epoll", "-stamps"),
				l.saturated(ours, url, keptPerSecond, 32, "--engine", "epoll", "--loops", "1", "--keepalive"),
				l.saturated(oursUser, url, keptPerSecond, 32, "--engine", "epoll", "--loops", "1", "--keepalive", "--timestamps", "user"),
				l.saturated(oursVegeta, url, vegetaPerSecond, 64, "--engine", "vegeta", "--keepalive"),
				l.wrk(theWrk, url),
				l.h2load("h2load --h1", url),
				l.ab("ab -k", url, "-k"),
				l.bombardier("bombardier", url),
				l.vegeta(theVegeta, url, 0, 32),
			}
		},
	}
}

// newConnections has no httperf: it knows no saturation, and offered more than its
// 1024 descriptors carry (12 000/s was tried) it does not end.
func newConnections() block {
	return block{
		name: "new", title: "saturation, a new connection for each request", base: ours,
		columns: saturationColumns(),
		tasks: func(l *lab, url string) []task {
			return []task{
				l.saturated(ours, url, newPerSecond, 32, "--engine", "epoll", "--loops", "1"),
				l.saturated(oursVegeta, url, vegetaNew, 64, "--engine", "vegeta"),
				l.ab(theAb, url),
				l.wrk("wrk, Connection: close", url, "-H", "Connection: close"),
			}
		},
	}
}

// newAtRate has no ab and no wrk: they know no rate. httperf never sleeps, so its
// CPU time is that of the whole core.
func newAtRate() block {
	const rate = 2_000
	return block{
		name: "new-2000", title: "2000/s, a new connection for each request", base: ours,
		columns: rateColumns(),
		tasks: func(l *lab, url string) []task {
			return []task{
				l.atRate(ours, url, rate, "--engine", "epoll"),
				l.atRate(oursVegeta, url, rate, "--engine", "vegeta"),
				l.httperf(theHttperf, url, rate),
				l.vegeta("vegeta -keepalive=false", url, rate, 64, "-keepalive=false"),
			}
		},
	}
}

func fixedRate(rate int) block {
	return block{
		name: rateName("rate", rate), title: strconv.Itoa(rate) + "/s, kept connections", base: ours,
		columns: rateColumns(),
		tasks: func(l *lab, url string) []task {
			return []task{
				l.atRate(ours, url, rate, "--engine", "epoll", "--keepalive"),
				l.atRate(oursVegeta, url, rate, "--engine", "vegeta", "--keepalive"),
				l.vegeta(theVegeta, url, rate, 64),
			}
		},
	}
}

func rateName(kind string, rate int) string { return fmt.Sprintf("%s-%d", kind, rate) }

// Clients of the blocks with neighbours.
const (
	alone        = "alone, ordinary priority"
	besideKernel = "busy core, ordinary, kernel stamps"
	besideUser   = "busy core, ordinary, user stamps"
	besideRaised = "busy core, raised priority"
)

func neighbours(rate int) block {
	return block{
		name: rateName("neighbour", rate), title: strconv.Itoa(rate) + "/s, kept connections, a busy loop on the client's core", base: alone,
		columns: neighbourColumns(),
		tasks: func(l *lab, url string) []task {
			run := func(client string, spin bool, priority, stamps string) task {
				t := l.atRate(client, url, rate, "--engine", "epoll", "--keepalive", "--priority", priority, "--timestamps", stamps)
				t.spin = spin
				t.limit = l.seconds() + 5 // requests are given up so late
				return t
			}
			return []task{
				run(alone, false, "normal", "kernel"),
				run(besideKernel, true, "normal", "kernel"),
				run(besideUser, true, "normal", "user"),
				run(besideRaised, true, "high", "kernel"),
			}
		},
	}
}
