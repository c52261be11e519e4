// Package testserver is an HTTP/1.1 server whose capacity, delays, stalls and
// faults are known exactly, for testing what measures servers.
//
// Departures are computed in virtual time: a request starts service at the later
// of its arrival and the moment a worker became free, and leaves when its service
// time has passed. A late wake-up delays a reply, never the schedule, so that the
// server really has the capacity of Workers divided by ServiceTime. One that
// slept for the service time of each request would not: sleeps end late, and
// their lateness adds up.
//
// The queue (queue.go) is a pure state machine without a clock. One goroutine,
// the dispatcher, owns it, sleeps until the next departure and writes the replies
// itself. A goroutine for each connection reads the requests.
//
// Raw is a second, simpler server, which answers with given bytes whatever it is asked.
//
// Instants are int64 nanoseconds of one monotonic clock, CLOCK_MONOTONIC on Linux.
package testserver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// A Service is the distribution of service times.
type Service string

// Distributions of the service time. The k-th request to start service, counted
// from 0, has the k-th time drawn from Seed.
const (
	Fixed       Service = "fixed"       // every request takes ServiceTime
	Exponential Service = "exponential" // independent, with ServiceTime as the mean
)

// DefaultListen is the address of a server that was not given one: loopback, any free port.
const DefaultListen = "127.0.0.1:0"

// MaxSize is the largest Size: a reply is kept in memory in every form that it may take.
const MaxSize = 16 << 20

// MaxWorkers is the most Workers: each is remembered, and more than requests
// can be open at a time need no limit.
const MaxWorkers = 1 << 20

// A Config is what a Server does. The zero value answers every request at once,
// on loopback, with an empty body.
type Config struct {
	Listen string // TCP address; empty means DefaultListen

	Workers     int           // requests in service at once, at most MaxWorkers; 0 means no queueing: each leaves Delay after it arrived
	ServiceTime time.Duration // of a worker for one request; above 0 when there are workers
	Service     Service       // empty means Fixed
	Seed        uint64        // of the service times
	Delay       time.Duration // added to every request after its service; occupies no worker

	// Queue bounds the requests inside, in service and waiting, the K of M/M/1/K.
	// One more is answered 503 at once. 0 means endless; needs workers.
	Queue int
	// DropClosed forgets requests whose client has closed (or half-closed) its
	// connection. Without it their work is done all the same.
	DropClosed bool

	// For StallFor, from StallAt after the first request, nothing departs: service
	// is suspended and replies are held. StallFor 0 means no stall.
	StallAt, StallFor time.Duration

	Size int                 // bytes in the body of a good reply; at most MaxSize
	Fail map[Failure]float64 // shares to fail, from 0 to 1; see Failure

	// Stamps adds two header fields to every complete reply, in nanoseconds of the
	// monotonic clock: X-Arrival, when the request had been read (or, if it was
	// pipelined, when the one before it left), and X-Departure, when the reply
	// was handed to the kernel.
	Stamps bool
	Log    int         // requests kept for Departures, the first to leave; 0 for none
	TLS    *tls.Config // speaks TLS if not nil
}

// Validate reports every fault at once, joined, each naming the option and the value.
func (c *Config) Validate() error {
	return errors.Join(
		validateListen(c.Listen),
		c.validateService(),
		c.validateTimes(),
		c.validateQueue(),
		c.validateMemory(),
		validateFailures(c.Fail),
	)
}

func validateListen(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("--listen %q: want HOST:PORT: %w", address, err)
	}
	return nil
}

func (c *Config) validateService() error {
	var errs []error
	if c.Workers < 0 || c.Workers > MaxWorkers {
		errs = append(errs, fmt.Errorf("--workers %d: must be 0 (no queueing) to %d", c.Workers, MaxWorkers))
	}
	if c.ServiceTime < 0 || c.Workers > 0 && c.ServiceTime == 0 {
		errs = append(errs, fmt.Errorf("--service-time %v: must be above 0; without a limit is --workers 0", c.ServiceTime))
	}
	switch c.Service {
	case "", Fixed, Exponential:
	default:
		errs = append(errs, fmt.Errorf("--service %q: want fixed or exponential", string(c.Service)))
	}
	return errors.Join(errs...)
}

func (c *Config) validateTimes() error {
	var errs []error
	for _, option := range []struct {
		name string
		d    time.Duration
	}{{"--delay", c.Delay}, {"--stall-at", c.StallAt}, {"--stall-for", c.StallFor}} {
		if option.d < 0 {
			errs = append(errs, fmt.Errorf("%s %v: must not be negative", option.name, option.d))
		}
	}
	if c.StallAt > 0 && c.StallFor == 0 {
		errs = append(errs, fmt.Errorf("--stall-at %v: needs --stall-for", c.StallAt))
	}
	return errors.Join(errs...)
}

func (c *Config) validateQueue() error {
	var errs []error
	if c.Queue < 0 {
		errs = append(errs, fmt.Errorf("--queue %d: must be 0 (endless) or more", c.Queue))
	}
	if c.Queue > 0 && c.Queue < c.Workers {
		errs = append(errs, fmt.Errorf("--queue %d: counts requests in service too, so must be at least --workers %d", c.Queue, c.Workers))
	}
	if c.Queue > 0 && c.Workers == 0 {
		errs = append(errs, fmt.Errorf("--queue %d: there is no queue with --workers 0", c.Queue))
	}
	return errors.Join(errs...)
}

// validateMemory checks what is kept.
func (c *Config) validateMemory() error {
	var errs []error
	if c.Log < 0 {
		errs = append(errs, fmt.Errorf("a log of %d requests: must be 0 or more", c.Log))
	}
	if c.Size < 0 || c.Size > MaxSize {
		errs = append(errs, fmt.Errorf("--size %d: must be from 0 to %d", c.Size, MaxSize))
	}
	return errors.Join(errs...)
}
