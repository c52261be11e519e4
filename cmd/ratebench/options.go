package main

import (
	"errors"
	"fmt"
	"math"
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
	sheet     sheet[*report.Document]
	log       string // file for each request, empty for none
	logFormat string
	quiet     bool
	watching  watching

	objectives []plan.Objective // in the order in which they were given
}

// files are all files to write, the log last.
func (s *settings) files() []string {
	if s.log == "" {
		return s.sheet.outputs
	}
	return append(slices.Clone(s.sheet.outputs), s.log)
}

// reader reads options into settings and collects what is wrong with them. For
// a value that cannot be read it leaves one in place that offends nobody, so
// that no second complaint follows from the first.
type reader struct {
	*cli.Context
	settings
	valueless map[string]bool // options whose value is missing, which has been said
	faults    []error
}

// readOptions reads all options and files of a run; its error is every fault
// that is not in line already.
func readOptions(c *cli.Context, line *commandLine) (*settings, error) {
	r := newReader(c, line)
	r.readLoad()
	r.readOutputs()
	return &r.settings, r.checkPlan()
}

func newReader(c *cli.Context, line *commandLine) *reader {
	return &reader{Context: c, settings: settings{plan: plan.New()}, valueless: line.valueless}
}

// readLoad reads the options of every command that offers requests, but for where
// the report goes.
func (r *reader) readLoad() {
	r.quiet = r.Bool("quiet")
	r.readURL()
	r.readSchedule()
	r.readLimits()
	r.readObjectives()
	r.readConnections()
	r.readRequests()
	r.readTLS()
	r.readServers()
}

// checkPlan checks the plan as a whole. Its error is every fault found so far.
func (r *reader) checkPlan() error {
	r.faults = append(r.faults, r.plan.Validate(), r.plan.Resolve())
	r.checkFamily()
	r.checkTLS()
	return errors.Join(r.faults...)
}

func (r *reader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf(format, args...))
}

// readURL takes a URL that lacks its scheme for a slip, and says what it would be.
func (r *reader) readURL() {
	text := r.Args().First()
	r.plan.URL = text
	if text == "" || strings.Contains(text, "://") {
		return
	}
	whole := "http://" + text
	if _, err := plan.ParseURL(whole); err == nil {
		r.fault("URL %q: want http:// or https:// before it, as in %s", masked(text), masked(whole))
		r.plan.URL = whole
	}
}

func (r *reader) readSchedule() {
	p := r.plan
	if r.valueless["rate"] || r.valueless["ramp"] {
		p.Rate, _ = plan.ParseRate("1")
	}
	if r.IsSet("rate") {
		rate, err := plan.ParseRate(r.String("rate"))
		if err != nil {
			r.fault("--rate %w", err)
			rate, _ = plan.ParseRate("1")
		}
		p.Rate = rate
	}
	r.readRamp()
	r.readConcurrency()
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

// readRamp lets an option that cannot be read stand for some rate, so that none is missed.
func (r *reader) readRamp() {
	p := r.plan
	if !r.IsSet("ramp") {
		return
	}
	ramp, err := plan.ParseRamp(r.String("ramp"))
	switch {
	case r.IsSet("rate"):
		r.fault("--ramp %s and --rate %s exclude each other", r.String("ramp"), r.String("rate"))
	case err != nil:
		for line := range strings.Lines(err.Error()) {
			r.fault("--ramp %s", strings.TrimSuffix(line, "\n"))
		}
		p.Rate, _ = plan.ParseRate("1")
	default:
		p.Ramp, p.Rate = &ramp, ramp.Mean()
	}
}

// readConcurrency lets an option that cannot be read stand for some load.
func (r *reader) readConcurrency() {
	if r.IsSet("concurrency") {
		r.plan.Concurrency = int(r.whole("concurrency", 1, plan.MaxConcurrency))
	}
	if r.valueless["concurrency"] {
		r.plan.Concurrency = 1
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
		r.readExpect(r.String("expect"))
	}
}

// readExpect reads the items one by one first, since a list names its first fault only.
func (r *reader) readExpect(text string) {
	before := len(r.faults)
	for item := range strings.SplitSeq(text, ",") {
		if _, err := plan.ParseStatuses(item); err != nil {
			r.fault("--expect %w", err)
		}
	}
	if len(r.faults) == before {
		r.plan.Expect, _ = plan.ParseStatuses(text)
	}
}

// readObjectives refuses one that was given twice: with two limits for the same
// metric the looser is surely a slip.
func (r *reader) readObjectives() {
	for _, text := range r.StringSlice("objective") {
		o, err := plan.ParseObjective(text)
		if err != nil {
			r.faults = append(r.faults, err)
			continue
		}
		same := func(other plan.Objective) bool { return other.Metric == o.Metric }
		if i := slices.IndexFunc(r.objectives, same); i >= 0 {
			r.fault("objective %q: limits %s, as %q does", o, o.Metric, r.objectives[i])
			continue
		}
		r.objectives = append(r.objectives, o)
	}
}

func (r *reader) readOutputs() {
	r.sheet = readSheet(r, report.Format, report.FormatOf)
	if r.IsSet("log") {
		r.readLog(r.String("log"))
	}
}

func (r *reader) readLog(path string) {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".json", ".csv", ".gob":
		r.log, r.logFormat = path, ending[1:]
	default:
		r.fault("--log %q: want a name that ends in .json, .csv or .gob", path)
	}
}
