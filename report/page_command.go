package report

import (
	"strconv"
	"strings"

	"ratebench/attack/plan"
	"ratebench/attack/search"
)

// sweepCommand is the command that makes the sweep again, as commandLine is that
// of a run.
func sweepCommand(s *Sweep) string {
	steps := &s.Steps
	words := []string{"ratebench", "sweep"}
	add := adder(&words)
	var list []string
	for _, rate := range steps.Rates {
		list = append(list, rate.String())
	}
	add(len(list) > 0, "--rates", strings.Join(list, ","))
	add(len(list) == 0, "--from", steps.From.String(), "--to", steps.To.String())
	add(len(list) == 0 && steps.Factor == 0, "--step", steps.Step.String())
	add(len(list) == 0 && steps.Factor != 0, "--factor", strconv.FormatFloat(steps.Factor, 'g', -1, 64))
	add(steps.Order == search.Down || steps.Order == search.Shuffled, "--order", string(steps.Order))
	add(steps.Order == search.Shuffled && s.Runs[0].Run.Plan.Arrivals == plan.Uniform, "--seed", strconv.FormatUint(steps.Seed, 10))
	add(steps.Repeat > 1, "--repeat", strconv.Itoa(steps.Repeat))
	addPause(s.Pause, add)
	addLoad(s.Runs[0].Run, steps.Seed, add, "--rate")
	return quoted(words)
}

// capacityCommand is the command that searches again. Its criteria are all in it.
func capacityCommand(c *Capacity) string {
	goal := &c.Search.Goal
	words := []string{"ratebench", "capacity"}
	add := adder(&words)
	for _, o := range c.Criteria {
		add(true, "--objective", o.String())
	}
	quick, thorough := search.Quick(), search.Thorough()
	isQuick := goal.Width == quick.Width && goal.BestDecide == quick.BestDecide
	standard := thorough.Lengths.Decide
	if isQuick {
		standard = quick.Lengths.Decide
	}
	add(true, "--from", goal.From.String())
	add(goal.Most.PerSecond() > 0, "--max", goal.Most.String())
	add(goal.Lengths.Decide != standard, "--trial", goal.Lengths.Decide.String())
	add(isQuick, "--quick")
	addPause(c.Pause, add)
	first := *c.load()
	first.Objectives = nil
	addLoad(&first, goal.Seed, add, "--rate", "--total", "--duration")
	return quoted(words)
}

// adder adds an option with its value to words if it is wanted.
func adder(words *[]string) func(bool, ...string) {
	return func(wanted bool, option ...string) {
		if wanted {
			*words = append(*words, option...)
		}
	}
}

func addPause(pause *plan.Seconds, add func(bool, ...string)) {
	if pause != nil {
		add(true, "--pause", pause.String())
	}
}

// addLoad adds the options of a run but for those that the command has others for.
// The run's own seed was made from the command's.
func addLoad(d *Document, seed uint64, add func(bool, ...string), but ...string) {
	p := *d.Plan
	p.Seed = seed
	others := func(wanted bool, option ...string) {
		for _, name := range but {
			wanted = wanted && option[0] != name
		}
		add(wanted, option...)
	}
	addSchedule(&p, others)
	addRequests(&p, others)
	addConnections(&p, others)
	addTLS(&p.TLS, others)
	for _, o := range d.Objectives {
		add(true, "--objective", o.Text)
	}
	add(p.URL != "", p.URL)
}

func quoted(words []string) string {
	var all []string
	for _, word := range words {
		all = append(all, shellWord(word))
	}
	return strings.Join(all, " ")
}
