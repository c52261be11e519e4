package suite

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ratebench/attack/plan"
)

// maxName bounds names: a table has a column for them.
const maxName = 60

// Validate reports every fault of the suite at once, joined.
func (s *Suite) Validate() error {
	return s.check().err("suite")
}

func (s *Suite) check() (found faults) {
	found.name(s.at, "suite", s.Name)
	s.checkSettings(&found)
	s.checkQuick(&found)
	if len(s.Servers) == 0 {
		found.add(s.at.of("servers"), "servers: there is none")
	}
	if len(s.Loads) == 0 {
		found.add(s.at.of("loads"), "loads: there is none")
	}
	for i := range s.Servers {
		found = append(found, s.checkServer(i)...)
	}
	for i := range s.Loads {
		found = append(found, s.checkLoad(i)...)
	}
	s.checkBaseline(&found)
	if len(found) == 0 {
		found = s.checkPlans()
	}
	if len(found) == 0 {
		found = s.Quick().checkPlans()
	}
	return found
}

// checkPlans finds what no single value shows: every load is checked as the run that
// will be made of it, so that a comparison does not fail after an hour.
func (s *Suite) checkPlans() (found faults) {
	server := slices.IndexFunc(s.Servers, func(v Server) bool { return v.Missing == "" })
	for i := range s.Loads {
		l := &s.Loads[i]
		quick := ""
		if s.IsQuick {
			quick = ", quick"
		}
		if err := s.Plan(Trial{Server: server, Load: i}).Validate(); err != nil {
			found.add(l.at.of(""), "load %s%s: %v", quoted(l.Name), quick, err)
		}
	}
	return found
}

// name checks what something is called. One whose name could not be read has been
// found fault with already.
func (f *faults) name(at places, what, name string) {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case name == "" && !at.has("name"):
		f.add(at.of(""), "%s: its name is missing", what)
	case name == "":
		f.add(at.of("name"), "%s: its name is empty", what)
	case strings.ContainsFunc(name, unprintable):
		f.add(at.of("name"), "name %s: holds what cannot be printed", quoted(name))
	case len([]rune(name)) > maxName:
		f.add(at.of("name"), "name %s: longer than %d characters", quoted(name), maxName)
	}
}

func (s *Suite) checkSettings(found *faults) {
	if !slices.Contains(Ranks(), s.Rank) {
		found.add(s.at.of("rank"), "rank %s: want %s", quoted(s.Rank), strings.Join(Ranks(), ", "))
	}
	found.repeat(s.at.of("repeat"), s.Repeat)
	found.warmup(s.at.of("warmup"), s.Warmup)
	found.timeout(s.at.of("timeout"), s.Timeout)
	want := []string{plan.PriorityAuto, plan.PriorityNormal, plan.PriorityHigh}
	if (s.Priority != "" || s.at.has("priority")) && !slices.Contains(want, s.Priority) {
		found.add(s.at.of("priority"), "priority %s: want %s", quoted(s.Priority), strings.Join(want, ", "))
	}
}

func (s *Suite) checkQuick(found *faults) {
	q := &s.quick
	if q.repeat != nil {
		found.repeat(q.at.of("repeat"), *q.repeat)
	}
	if q.warmup != nil {
		found.warmup(q.at.of("warmup"), *q.warmup)
	}
	if q.timeout != nil {
		found.timeout(q.at.of("timeout"), *q.timeout)
	}
}

func (f *faults) repeat(at place, repeat int) {
	if repeat < MinRepeat || repeat > MaxRepeat {
		f.add(at, "repeat %d: want %d to %d: fewer blocks cannot tell a difference from chance", repeat, MinRepeat, MaxRepeat)
	}
}

func (f *faults) warmup(at place, warmup plan.Seconds) {
	if warmup < 0 {
		f.add(at, "warmup %v: must not be negative", warmup)
	}
}

func (f *faults) timeout(at place, timeout plan.Seconds) {
	if timeout <= 0 || timeout > plan.MaxTimeout {
		f.add(at, "timeout %v: must be above 0 and at most %v", timeout, plan.MaxTimeout)
	}
}

// checkBaseline wants it to be a server that is run.
func (s *Suite) checkBaseline(found *faults) {
	i := slices.IndexFunc(s.Servers, func(v Server) bool { return v.Name == s.Baseline })
	switch {
	case i < 0 && len(s.Servers) > 0 && s.at.has("baseline"):
		found.add(s.at.of("baseline"), "baseline %s: is no server's name", quoted(s.Baseline))
	case i < 0 && len(s.Servers) > 0:
		found.add(s.at.of("servers"), "servers: every one of them is missing")
	case i >= 0 && s.Servers[i].Missing != "":
		found.add(s.at.of("baseline"), "baseline %s: is missing: %s", quoted(s.Baseline), s.Servers[i].Missing)
	}
}

func (s *Suite) checkServer(i int) (found faults) {
	v := &s.Servers[i]
	found.name(v.at, "server", v.Name)
	same := func(other Server) bool { return v.Name != "" && other.Name == v.Name }
	if slices.ContainsFunc(s.Servers[:i], same) {
		found.add(v.at.of("name"), "name %s: is another server's too", quoted(v.Name))
	}
	if v.Missing != "" {
		return found
	}
	if v.at.has("missing") {
		found.add(v.at.of("missing"), "missing: want the reason")
	}
	switch err := checkURL(v.URL); {
	case !v.at.has("url") && v.URL == "":
		found.add(v.at.of(""), "server %s: its url is missing", quoted(v.Name))
	case err != nil:
		found.add(v.at.of("url"), "url: %v", err)
	}
	if v.Stop != "" && v.Start == "" {
		found.add(v.at.of("stop"), "stop: goes with start")
	}
	for j, need := range v.Needs {
		if need == "" || strings.Contains(need, "/") && !filepath.IsAbs(need) {
			found.add(v.at.of("needs"), "needs %s: want a program's name or an absolute path", quoted(need))
		} else if slices.Contains(v.Needs[:j], need) {
			found.add(v.at.of("needs"), "needs %s: is given twice", quoted(need))
		}
	}
	for j, selection := range v.Process {
		if slices.Contains(v.Process[:j], selection) {
			found.add(v.at.of("process"), "process %s: is given twice", selection)
		}
	}
	return found
}

// checkURL keeps secrets out of a document: a suite's is printed.
func checkURL(text string) error {
	if _, err := plan.ParseURL(text); err != nil {
		return err
	}
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return errors.New("must not hold a user or password")
	}
	return nil
}

func (s *Suite) checkLoad(i int) (found faults) {
	l := &s.Loads[i]
	found.name(l.at, "load", l.Name)
	same := func(other Load) bool { return l.Name != "" && other.Name == l.Name }
	if slices.ContainsFunc(s.Loads[:i], same) {
		found.add(l.at.of("name"), "name %s: is another load's too", quoted(l.Name))
	}
	found.schedule(l)
	if l.RequestsPerConnection < 0 {
		found.add(l.at.of("requests_per_connection"), "requests_per_connection %d: must be 0 (no limit) or more", l.RequestsPerConnection)
	}
	if l.MaxConnections < 1 && l.at.has("max_connections") {
		found.add(l.at.of("max_connections"), "max_connections %d: must be 1 or more", l.MaxConnections)
	}
	timeout := s.Timeout
	if l.at.has("timeout") {
		timeout = l.Timeout
		found.timeout(l.at.of("timeout"), l.Timeout)
	}
	if l.Deadline < 0 || l.at.has("deadline") && l.Deadline == 0 || timeout > 0 && l.Deadline > timeout {
		found.add(l.at.of("deadline"), "deadline %v: must be above 0 and not later than the timeout, %v", l.Deadline, timeout)
	}
	return found
}

// schedule checks when requests start and for how long.
func (f *faults) schedule(l *Load) {
	open, closed := l.Rate != plan.Rate{} || l.at.has("rate"), l.Concurrency != 0 || l.at.has("concurrency")
	switch {
	case open && closed:
		f.add(l.at.of("concurrency"), "load %s: has a rate (open loop) and a concurrency (closed loop): want one of them", quoted(l.Name))
	case !open && !closed:
		f.add(l.at.of(""), "load %s: want rate or concurrency", quoted(l.Name))
	}
	f.ends(l, l.at, l.Total, l.Duration, l.Concurrency)
	q := l.quick
	if q.rate != nil && !open {
		f.add(q.at.of("rate"), "quick: a rate cannot replace a concurrency")
	}
	if q.concurrency != nil && !closed {
		f.add(q.at.of("concurrency"), "quick: a concurrency cannot replace a rate")
	}
	quick := *l
	replace(&quick.Total, q.total)
	replace(&quick.Duration, q.duration)
	replace(&quick.Concurrency, q.concurrency)
	if q.at != nil {
		f.ends(l, q.at, quick.Total, quick.Duration, quick.Concurrency)
	}
}

func (f *faults) ends(l *Load, at places, total uint64, duration plan.Seconds, concurrency int) {
	if total == 0 && duration == 0 && !at.has("total") && !at.has("duration") {
		f.add(at.of(""), "load %s: want total or duration", quoted(l.Name))
	}
	if at.has("total") && total == 0 {
		f.add(at.of("total"), "total 0: must be above 0")
	}
	if duration < 0 || at.has("duration") && duration == 0 {
		f.add(at.of("duration"), "duration %v: must be above 0", duration)
	}
	if at.has("concurrency") && concurrency < 1 {
		f.add(at.of("concurrency"), "concurrency %d: must be 1 or more", concurrency)
	}
}
