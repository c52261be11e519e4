package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/cmd/suite"
	"ratebench/report"
)

// compareCommand is "ratebench compare": a suite, or runs that were saved.
func (a *app) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "several servers under the same loads, or saved runs",
		ArgsUsage: "SUITE.yaml",
		Description: "As in: ratebench compare suite.yaml -o result.html, or ratebench compare a.json b.json for runs that\n" +
			"were saved. A suite names servers, how each is started, and loads. In each of its blocks every server\n" +
			"meets every load, in random order. Trials are saved one by one: --resume goes on after an interrupt.",
		Flags: []cli.Flag{
			toggle("", "quick", "use what the suite's quick members say: rough figures in a minute or so"),
			toggle("", "resume", "go on with the trials that are there"),
			value("", "trials", "keep the trials in the folder `DIR` (default: the suite's name with .trials, here)"),
			toggle("", "aa", "run the baseline as both sides, A and B: what differs then is chance"),
			value("", "repeat", "make `N` blocks instead of what the suite says, at least 6"),
			value("", "format", "print the report as `FORMAT`: text (default), markdown, json, csv, html, svg, png or pdf; of saved runs text or markdown"),
			list("", "output", "write the report to `FILE` too, as its ending says: .txt .md .json .csv .html .svg .png .pdf; repeatable", "o"),
			toggle("", "quiet", "show no progress"),
		},
		Action: a.compare,
	}
}

// comparing is what the options of compare ask for.
type comparing struct {
	settings
	sheet  sheet[*report.Comparison]
	suite  *suite.Suite
	trials string // folder
	resume bool
}

// compare carries a suite out, or compares what was saved.
func (a *app) compare(c *cli.Context) error {
	operands := c.Args().Slice()
	if len(operands) > 0 && savedRuns(operands) {
		return a.compareSaved(c, operands)
	}
	s, err := readComparing(c, operands)
	out, err := a.opened(s.sheet.outputs, err)
	if err != nil {
		return err
	}
	defer out.discard()
	head := s.suite.Head()
	head.StartedAt, head.Version = time.Now().UTC(), version()
	folder, err := suite.OpenFolder(s.trials, s.suite, head, s.resume)
	if err != nil {
		return usageError{fmt.Errorf("trials %w", err)}
	}
	defer folder.Close()
	return a.carryOutSuite(c.Context, s, folder, out)
}

// savedRuns says that all operands are documents. A suite's name ends otherwise.
func savedRuns(operands []string) bool {
	for _, path := range operands {
		if ending := strings.ToLower(filepath.Ext(path)); ending != ".json" {
			return false
		}
	}
	return true
}

// readComparing reads the options and the suite. Its error is every fault.
func readComparing(c *cli.Context, operands []string) (*comparing, error) {
	r := &reader{Context: c, settings: settings{plan: plan.New()}}
	s := &comparing{resume: c.Bool("resume")}
	r.quiet = c.Bool("quiet")
	s.sheet = readSheet(r, report.CompareFormat, report.CompareFormatOf)
	repeat := 0
	if c.IsSet("repeat") {
		repeat = int(r.whole("repeat", suite.MinRepeat, suite.MaxRepeat))
	}
	switch {
	case len(operands) == 0:
		r.fault("a suite is missing, as in: ratebench compare suite.yaml")
	case len(operands) > 1:
		r.fault("surplus argument %q: one suite, or saved runs that all end in .json", operands[1])
	default:
		s.suite = r.readSuite(operands[0], repeat)
		s.trials = trialsFolder(operands[0])
	}
	r.readText("trials", &s.trials)
	s.settings = r.settings
	return s, errors.Join(r.faults...)
}

// trialsFolder is in the current directory: the suite's own may be read only, or a
// repository's.
func trialsFolder(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".trials"
}

// readSuite is the suite as the options change it, nil with a fault.
func (r *reader) readSuite(path string, repeat int) *suite.Suite {
	s, err := suite.Read(path)
	if err != nil {
		var missing *os.PathError
		if errors.As(err, &missing) {
			err = fmt.Errorf("suite %w", fileError(path, err))
		}
		r.faults = append(r.faults, err)
		return nil
	}
	if r.Bool("quick") {
		s = s.Quick()
	}
	if repeat > 0 {
		s.Repeat = repeat
	}
	if r.Bool("aa") {
		s = s.AA()
	}
	return s
}
