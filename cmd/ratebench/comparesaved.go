package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/report"
)

// compareSaved compares runs that were saved, which is quick: a file each.
func (a *app) compareSaved(c *cli.Context, paths []string) error {
	r := &reader{Context: c, settings: settings{plan: plan.New()}}
	for _, name := range []string{"quick", "resume", "trials", "aa", "repeat"} {
		if c.IsSet(name) {
			r.fault("--%s goes with a suite, not with saved runs", name)
		}
	}
	var runs []*report.Document
	for _, path := range paths {
		saved, err := readFrom(path, a.stdin)
		switch {
		case err != nil:
			r.faults = append(r.faults, err)
		case saved.Run == nil:
			r.fault("%s: is a %s, not a run", shown(path), saved.Kind())
		default:
			runs = append(runs, saved.Run)
		}
	}
	sheet := readSheet(r, report.SavedCompareFormat, report.SavedCompareFormatOf)
	compared, err := report.CompareSaved(runs, paths)
	faults := errors.Join(r.faults...)
	if faults != nil {
		err = nil // of those that could be read
	}
	out, err := a.opened(sheet.outputs, faults, err)
	if err != nil {
		return err
	}
	defer out.discard()
	return sheet.print(compared, a.stdout, out)
}
