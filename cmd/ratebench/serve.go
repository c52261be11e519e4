package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/attack/testserver"
)

// serveCommand is "ratebench serve": a server to try ratebench on.
func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "a test server with a known capacity",
		Description: "Answers every request until it is interrupted. It prints \"serving URL\" when it is ready.\n" +
			"Its capacity is --workers divided by --service-time, 200 requests a second by default.\n" +
			"A TIME is 250ms, 1m30s or a number of seconds.",
		Flags: serveFlags(),
		Action: func(c *cli.Context) error {
			config, err := readServer(c)
			if err != nil {
				return usageError{err}
			}
			return serve(c.Context, config, c.App.Writer)
		},
	}
}

func serveFlags() []cli.Flag {
	return []cli.Flag{
		value("", "listen", "`ADDRESS` to listen on; port 0 is any free one (default "+testserver.DefaultListen+")"),
		value("", "workers", "serve `N` requests at a time, 0 for all at once (default 1)"),
		value("", "service-time", "`TIME` that a worker takes for a request (default 5ms)"),
		value("", "service", "`DISTRIBUTION` of service times: fixed (default) or exponential"),
		value("", "seed", "`N` that exponential service times are drawn from (default 1: the same each time)"),
		value("", "delay", "hold every reply for `TIME` more; this occupies no worker"),
		value("", "queue", "answer 503 while `N` requests are inside, in service and waiting; 0 for endless (default 0)"),
		toggle("", "drop-closed", "forget requests whose client has closed its connection"),
		value("", "stall-at", "begin a stall `TIME` after the first request (default 0s)"),
		value("", "stall-for", "let nothing depart for `TIME` (default 0s: no stall)"),
		value("", "size", "`N` bytes in the body of a reply (default 128)"),
		list("", "fail", "fail the share of requests `KIND=SHARE`, from 0 to 1; KIND is status (500), reset, truncate, hang, "+
			"or refuse for a share of connections; repeatable"),
	}
}

// defaultServer is what the options change.
func defaultServer() testserver.Config {
	return testserver.Config{Workers: 1, ServiceTime: 5 * time.Millisecond, Seed: 1, Size: 128}
}

// readServer reads the options of serve; its error is every fault.
func readServer(c *cli.Context) (testserver.Config, error) {
	r, config := &reader{Context: c}, defaultServer()
	r.readText("listen", &config.Listen)
	r.integer("workers", &config.Workers)
	r.span("service-time", &config.ServiceTime)
	service := string(config.Service)
	r.readText("service", &service)
	config.Service = testserver.Service(service)
	if r.IsSet("seed") {
		config.Seed = r.whole("seed", 0, math.MaxUint64)
	}
	r.span("delay", &config.Delay)
	r.integer("queue", &config.Queue)
	config.DropClosed = r.Bool("drop-closed")
	r.span("stall-at", &config.StallAt)
	r.span("stall-for", &config.StallFor)
	r.integer("size", &config.Size)
	config.Fail = r.failures(r.StringSlice("fail"))
	r.faults = append(r.faults, config.Validate())
	return config, errors.Join(r.faults...)
}

// span reads a duration option if it is given and can be read.
func (r *reader) span(name string, to *time.Duration) {
	d := plan.Seconds(*to)
	r.seconds(name, &d, d)
	*to = d.Std()
}

// failures reads --fail options. What can be read is left to Validate to check.
func (r *reader) failures(texts []string) map[testserver.Failure]float64 {
	shares := map[testserver.Failure]float64{}
	for _, text := range texts {
		kind, number, _ := strings.Cut(text, "=")
		share, err := strconv.ParseFloat(number, 64)
		if err != nil {
			r.fault("--fail %q: want KIND=SHARE, as in reset=0.01", text)
			continue
		}
		if _, twice := shares[testserver.Failure(kind)]; twice {
			r.fault("--fail %q: %s is given twice", text, kind)
		}
		shares[testserver.Failure(kind)] = share
	}
	return shares
}

// serve runs a server until ctx ends, which is how it is meant to end: no error.
func serve(ctx context.Context, config testserver.Config, stdout io.Writer) error {
	s, err := testserver.Start(config)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "serving %s\n", s.URL()); err != nil {
		return errors.Join(fmt.Errorf("writing the address: %w", err), s.Close())
	}
	<-ctx.Done()
	return s.Close()
}
