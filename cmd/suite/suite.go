// Package suite is a comparison as a file: servers, how each is started, and the
// loads that all of them meet.
//
// Read takes the file in, with every fault at its line and column. Trials is the
// order in which all is done, a pure function of the suite and its seed. Start
// brings a server up as a process group of its own, and Folder keeps each trial's
// document as soon as there is one. Nothing here offers a load. Times are
// plan.Seconds, rates are requests per second.
package suite

import (
	"slices"

	"ratebench/attack/plan"
	"ratebench/sampler"
)

// Limits of a suite. Fewer than six pairs cannot reach p < 0.05 in a two-sided
// sign or rank test: the least p of five is 2/2^5 = 0.0625.
const (
	MinRepeat     = 6
	MaxRepeat     = 1000
	DefaultRepeat = 10
)

// Ranks are the metrics that servers can be ranked by, the default first.
func Ranks() []string {
	return []string{"cpu_per_reply", "response_p50", "response_p99", "response_mean", "reply_rate", "goodput", "errors"}
}

// Suite is a comparison, as Read leaves it: every default filled in.
type Suite struct {
	Name     string
	About    string // free text, may be empty
	Baseline string // name of a server that is not missing
	Rank     string // one of Ranks
	Repeat   int    // blocks, MinRepeat to MaxRepeat
	Seed     uint64 // of the order and of the arrivals
	Warmup   plan.Seconds
	Timeout  plan.Seconds
	Priority string // of the client, as Plan.Priority; high where it shares its cores with the servers, empty is auto
	// Directory is where commands run: absolute, except in a suite that Parse made.
	Directory string
	Expect    Expect
	Servers   []Server // at least one
	Loads     []Load   // at least one
	SHA256    string   // of the file, in hexadecimal
	IsQuick   bool     // made by Quick
	IsAA      bool     // made by AA

	quick changes
	at    places
}

// changes are what a suite's "quick" replaces; nil leaves it.
type changes struct {
	repeat          *int
	seed            *uint64
	warmup, timeout *plan.Seconds
	at              places
}

// Expect is what a server has to answer a plain request. The zero value accepts
// every reply with a status from 200 to 399.
type Expect struct {
	Status   int    // 0: any from 200 to 399
	Bytes    *int64 // of the body; nil: any number
	Contains string // somewhere in the body
}

// Server is one side of the comparison.
type Server struct {
	Name    string
	URL     string
	Start   string // sh -c, in the foreground; empty: the server runs already
	Stop    string // before the SIGTERM; may be empty
	Ready   string // ends with 0 when the server is ready; empty: when the URL answers
	Needs   []string
	Missing string // why no machine of ours can have it; then it is never run
	Process []sampler.Selection
	Host    sampler.Host
	Expect  Expect

	expect *Expect // its own
	at     places
}

// Load is what each server meets: open (Rate) or closed (Concurrency).
type Load struct {
	Name                  string
	Rate                  plan.Rate
	Total                 uint64       // 0: until Duration
	Duration              plan.Seconds // 0: until Total
	Concurrency           int          // requests in flight of a closed loop; 0 for an open one
	RequestsPerConnection int          // 0 keeps connections; 1 is the default
	MaxConnections        int          // 0 leaves it to plan.New
	Timeout               plan.Seconds // 0: the suite's
	Deadline              plan.Seconds // 0: the timeout
	Arrivals              plan.Process // uniform is the default
	Overload              bool         // comes last in a block

	quick loadChanges
	at    places
}

// loadChanges are what a load's "quick" replaces.
type loadChanges struct {
	rate        *plan.Rate
	total       *uint64
	duration    *plan.Seconds
	concurrency *int
	at          places
}

// Quick is the suite with what its "quick" members replace.
func (s *Suite) Quick() *Suite {
	q := *s
	q.IsQuick = true
	replace(&q.Repeat, s.quick.repeat)
	replace(&q.Seed, s.quick.seed)
	replace(&q.Warmup, s.quick.warmup)
	replace(&q.Timeout, s.quick.timeout)
	q.Loads = slices.Clone(s.Loads)
	for i := range q.Loads {
		l := &q.Loads[i]
		replace(&l.Rate, l.quick.rate)
		replace(&l.Total, l.quick.total)
		replace(&l.Duration, l.quick.duration)
		replace(&l.Concurrency, l.quick.concurrency)
	}
	return &q
}

func replace[V any](value *V, by *V) {
	if by != nil {
		*value = *by
	}
}

// AA is the suite with its baseline as both sides, A and B: what differs then is
// what chance does.
func (s *Suite) AA() *Suite {
	aa := *s
	i := slices.IndexFunc(s.Servers, func(v Server) bool { return v.Name == s.Baseline })
	a, b := s.Servers[i], s.Servers[i]
	a.Name, b.Name = "A", "B"
	aa.Servers, aa.Baseline, aa.IsAA = []Server{a, b}, "A", true
	return &aa
}

// Plan is the run of one trial, not resolved yet.
func (s *Suite) Plan(t Trial) *plan.Plan {
	l := &s.Loads[t.Load]
	p := plan.New()
	p.URL = s.Servers[t.Server].URL
	p.Rate, p.Total, p.Duration = l.Rate, l.Total, l.Duration
	p.Concurrency = l.Concurrency
	p.Arrivals, p.Seed, p.Warmup = l.Arrivals, t.Seed, s.Warmup
	p.Timeout, p.Deadline = s.Timeout, l.Deadline
	if s.Priority != "" {
		p.Priority = s.Priority
	}
	if l.Timeout > 0 {
		p.Timeout = l.Timeout
	}
	p.RequestsPerConnection = l.RequestsPerConnection
	if l.MaxConnections > 0 {
		p.MaxConnections = l.MaxConnections
	}
	return p
}
