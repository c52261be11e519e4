package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/report"
)

// Headings of the options that sweep and capacity have beside those of a run.
const (
	aboutSweep  = "Sweep"
	aboutSearch = "Search"
)

// urlUsage is the ArgsUsage of the commands that offer requests to a URL.
const urlUsage = "URL"

// without are flags but for those with the given first names.
func without(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
}

func sweepFlags() []cli.Flag {
	own := []cli.Flag{
		value(aboutSweep, "from", "the lowest `RATE`"),
		value(aboutSweep, "to", "the highest `RATE`"),
		value(aboutSweep, "step", "what is added to the `RATE` from one run to the next"),
		value(aboutSweep, "factor", "what the rate is multiplied with instead: `N`, as in 1.5"),
		value(aboutSweep, "rates", "these `RATES` instead, in this order: 100,300,100"),
		value(aboutSweep, "order", "`ORDER` of the rates: up (default but for --rates), down or shuffled"),
		value(aboutSweep, "repeat", "offer all rates `N` times, one pass after the other (default 1)"),
		pauseFlag(aboutSweep),
		value(aboutOutput, "format", "print the report as `FORMAT`: text (default), json, csv (a row for each run), autobench, html, svg, png or pdf"),
		list(aboutOutput, "output", "write the report to `FILE` too, as its ending says: .txt .json .csv .tsv (autobench) .html .svg .png .pdf; repeatable", "o"),
	}
	return append(own, without(runFlags(), "rate", "ramp", "concurrency", "log", "version", "format", "output")...)
}

func capacityFlags() []cli.Flag {
	own := []cli.Flag{
		list(aboutSearch, "objective", "`LIMIT` that a rate has to keep, as in p99<250ms; repeatable (default "+defaultObjective+"). In any case also, "+
			"unless limits of their own are given, goodput>=99% and errors<=0.1%, and no queue that grows"),
		value(aboutSearch, "from", "the lowest `RATE` tried, at which the server is at ease (default "+defaultFrom+")"),
		value(aboutSearch, "max", "the highest `RATE` tried (default: what the client can offer)"),
		value(aboutSearch, "trial", "length `TIME` of the trials that decide; the others keep their proportion to it (default 1m, with --quick 4s)"),
		toggle(aboutSearch, "quick", "a rough answer, within a tenth, in a minute or two"),
		pauseFlag(aboutSearch),
		value(aboutOutput, "format", "print the report as `FORMAT`: text (default), json, csv (a row for each trial), html, svg, png or pdf"),
		list(aboutOutput, "output", "write the report to `FILE` too, as its ending says: .txt .json .csv .html .svg .png .pdf; repeatable", "o"),
	}
	return append(own, without(runFlags(), "rate", "ramp", "concurrency", "total", "duration", "objective", "log", "version", "format", "output")...)
}

func pauseFlag(about string) cli.Flag {
	return value(about, "pause", "leave the server alone for `TIME` between runs (default 1s, and after requests that were given up as long "+
		"as the server needs for them by its own rate, at most 1m)")
}

// readPause is nil if the option is not given.
func (r *reader) readPause() *plan.Seconds {
	if !r.IsSet("pause") {
		return nil
	}
	var pause plan.Seconds
	r.seconds("pause", &pause, 0)
	if pause < 0 {
		r.fault("--pause %s: must not be negative", r.String("pause"))
	}
	return &pause
}

// rate reads an option that is a rate, if it is given and can be read.
func (r *reader) rate(name string, to *plan.Rate) {
	if !r.IsSet(name) {
		return
	}
	rate, err := plan.ParseRate(r.String(name))
	if err != nil {
		r.fault("--%s %w", name, err)
		return
	}
	*to = rate
}

// answeredAny says whether there was a reply in any of the runs.
func answeredAny(runs []*report.Document) bool {
	return slices.ContainsFunc(runs, func(d *report.Document) bool { return d.Summary.Replies > 0 })
}
