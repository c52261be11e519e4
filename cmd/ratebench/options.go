package main

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/report"
)

// settings is what the options of a run ask for.
type settings struct {
	plan      *plan.Plan
	format    report.Writer   // of standard output
	outputs   []string        // files for the report
	formats   []report.Writer // one for each of outputs
	log       string          // file for each request, empty for none
	logFormat string
	quiet     bool
}

// files are all files to write, the log last.
func (s *settings) files() []string {
	if s.log == "" {
		return s.outputs
	}
	return append(slices.Clone(s.outputs), s.log)
}

// reader reads options into settings and collects what is wrong with them. For
// a value that cannot be read it leaves one in place that offends nobody, so
// that no second complaint follows from the first.
type reader struct {
	*cli.Context
	settings
	faults []error
}

// readOptions reads all options and files of a run; its error is every fault.
func readOptions(c *cli.Context) (*settings, error) {
	r := &reader{Context: c, settings: settings{plan: plan.New()}}
	r.plan.URL = c.Args().First()
	r.readSchedule()
	r.readLimits()
	r.readConnections()
	r.readRequests()
	r.readTLS()
	r.readOutputs()
	r.faults = append(r.faults, r.plan.Validate(), r.plan.Resolve())
	r.checkTLS()
	return &r.settings, errors.Join(r.faults...)
}

func (r *reader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

func (r *reader) readSchedule() {
	p := r.plan
	if r.IsSet("rate") {
		rate, err := plan.ParseRate(r.String("rate"))
		if err != nil {
			r.fault("--rate %w", err)
			rate, _ = plan.ParseRate("1")
		}
		p.Rate = rate
	}
	if r.IsSet("total") {
		p.Total = r.whole("total", 1, math.MaxInt64)
	}
	r.readDuration()
	r.seconds("warmup", &p.Warmup, 0)
	if r.IsSet("arrivals") {
		p.Arrivals = plan.Process(r.String("arrivals"))
	}
	p.Seed = 1
	if r.IsSet("seed") {
		p.Seed = r.whole("seed", 0, math.MaxUint64)
	}
}

// readDuration sets the default if nothing else ends the run.
func (r *reader) readDuration() {
	switch d := &r.plan.Duration; {
	case r.IsSet("duration"):
		r.above0("duration", d, plan.DefaultDuration)
	case !r.IsSet("total"):
		*d = plan.DefaultDuration
	}
}

func (r *reader) readLimits() {
	p := r.plan
	r.seconds("timeout", &p.Timeout, plan.MaxTimeout)
	if r.IsSet("deadline") {
		r.above0("deadline", &p.Deadline, 0)
	}
	if r.IsSet("expect") {
		expect, err := plan.ParseStatuses(r.String("expect"))
		if err != nil {
			r.fault("--expect %w", err)
		}
		p.Expect = expect
	}
}

func (r *reader) readConnections() {
	p := r.plan
	r.integer("requests-per-connection", &p.RequestsPerConnection)
	r.integer("max-connections", &p.MaxConnections)
	if r.Bool("keepalive") {
		if p.RequestsPerConnection != 0 && r.IsSet("requests-per-connection") {
			r.fault("--keepalive and --requests-per-connection %s exclude each other", r.String("requests-per-connection"))
		}
		p.RequestsPerConnection = 0
	}
	switch {
	case r.Bool("4") && r.Bool("6"):
		r.fault("-4 and -6 exclude each other")
	case r.Bool("4"):
		p.Family = 4
	case r.Bool("6"):
		p.Family = 6
	}
	r.readSources()
	r.readText("unix-socket", &p.UnixSocket)
	r.readText("engine", &p.Engine)
	r.integer("loops", &p.Loops)
	r.readText("timestamps", &p.Timestamps)
	r.readText("priority", &p.Priority)
	p.HTTP2 = r.Bool("http2")
}

func (r *reader) readSources() {
	if !r.IsSet("source") {
		return
	}
	for text := range strings.SplitSeq(r.String("source"), ",") {
		address, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			r.fault("--source %q is not an IP address", text)
			continue
		}
		r.plan.Sources = append(r.plan.Sources, address)
	}
}

func (r *reader) readOutputs() {
	r.quiet = r.Bool("quiet")
	name := "text"
	r.readText("format", &name)
	format, err := report.Format(name)
	r.faults = append(r.faults, err)
	r.format = format
	for _, path := range r.StringSlice("output") {
		r.readOutput(path)
	}
	if r.IsSet("log") {
		r.readLog(r.String("log"))
	}
}

func (r *reader) readOutput(path string) {
	switch path {
	case "":
		r.fault("--output \"\": the file's name is missing")
		return
	case "-":
		r.fault("--output -: standard output gets the report anyway, in the form of --format")
		return
	}
	format, err := report.FormatOf(path)
	if err != nil {
		r.faults = append(r.faults, err)
		return
	}
	r.outputs = append(r.outputs, path)
	r.formats = append(r.formats, format)
}

func (r *reader) readLog(path string) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".json", ".csv", ".gob":
		r.log, r.logFormat = path, ending[1:]
	default:
		r.fault("--log %q: want a name that ends in .json, .csv or .gob", path)
	}
}
