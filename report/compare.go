package report

import (
	"slices"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// CompareSchema names the form and version of a Comparison.
const CompareSchema = "ratebench.compare/v1"

// Comparison is several servers under the same loads, each load repeated in blocks:
// a block has one trial of every server and load, in random order and with the same
// arrivals for all. A trial is one run, and the statistical unit.
type Comparison struct {
	Schema      string          `json:"schema"` // CompareSchema
	StartedAt   time.Time       `json:"started_at"`
	Version     string          `json:"version"`           // of ratebench
	Interrupted bool            `json:"interrupted"`       // before the last trial was over
	Failure     string          `json:"failure,omitempty"` // why it ended early otherwise
	Suite       CompareSuite    `json:"suite"`
	Servers     []CompareServer `json:"servers"` // in the suite's order
	Loads       []CompareLoad   `json:"loads"`   // in the suite's order
	Trials      []CompareTrial  `json:"trials"`  // in order of time
	Results     []CompareResult `json:"results"` // AddResults
}

// CompareSuite is what was asked for.
type CompareSuite struct {
	Name     string `json:"name"`
	About    string `json:"about,omitempty"` // free text, in lines
	Baseline string `json:"baseline"`        // the server that the others are held against
	Rank     string `json:"rank"`            // key of the metric that decides on the order; empty is cpu_per_reply
	Repeat   int    `json:"repeat"`          // blocks
	Seed     uint64 `json:"seed"`            // of the order and of the arrivals
	Quick    bool   `json:"quick"`           // shorter than what the suite says in full
	AA       bool   `json:"aa"`              // one server as both sides
	SHA256   string `json:"sha256"`          // of the suite's file, in hexadecimal
}

// CompareServer is one side. Servers are known by name.
type CompareServer struct {
	Name     string `json:"name"`
	URL      string `json:"url,omitempty"`
	Software string `json:"software,omitempty"` // Server field of its first reply; AddResults fills it in
	Missing  string `json:"missing,omitempty"`  // why it has no trials
}

// CompareLoad is what each server met: open (Rate) or closed (Concurrency). Loads
// are known by name.
type CompareLoad struct {
	Name                  string       `json:"name"`
	Rate                  plan.Rate    `json:"rate_per_s"`              // 0 for a closed loop
	Total                 uint64       `json:"total"`                   // requests of a trial; 0: until Duration
	Duration              plan.Seconds `json:"duration_s"`              // 0: until Total
	Concurrency           int          `json:"concurrency,omitempty"`   // requests in flight of a closed loop; 0 for an open one
	RequestsPerConnection int          `json:"requests_per_connection"` // 0 keeps connections
	Overload              bool         `json:"overload,omitempty"`      // came last in each block
}

// CompareTrial is one run, or why there is none.
type CompareTrial struct {
	Block   int       `json:"block"` // from 1
	Place   int       `json:"place"` // in the whole comparison, from 1
	Server  string    `json:"server"`
	Load    string    `json:"load"`
	Seed    uint64    `json:"seed"`              // of the arrivals
	Failure string    `json:"failure,omitempty"` // why there is no run
	Run     *Document `json:"run"`               // without histograms and intervals; nil if there is none
}

// AddTrial adds a trial, which keeps its own copy of run without what a comparison
// has no use for. run may be nil, with the failure that explains it.
func (c *Comparison) AddTrial(t CompareTrial, run *Document) {
	if run != nil {
		short := *run
		short.Histograms, short.Intervals = map[string]string{}, []record.Interval{}
		short.Server = withoutSamples(run.Server, func(s *Server) { s.Samples = []ServerSample{} })
		short.Hosts = withoutSamples(run.Hosts, func(h *Host) { h.Samples = []HostSample{} })
		t.Run = &short
	}
	c.Trials = append(c.Trials, t)
}

func withoutSamples[V any](all []V, empty func(*V)) []V {
	all = slices.Clone(all)
	for i := range all {
		empty(&all[i])
	}
	return all
}

// lost says why the trial is in no figure: the client was the limit, it is not whole, or
// it was not made. Empty keeps it: a trial without a reply is a bad one, no missing one.
func (t *CompareTrial) lost() string {
	switch {
	case t.Run == nil:
		return "not made"
	case t.Run.Interrupted:
		return "interrupted"
	case t.Run.Verdict.Status == record.Invalid:
		return "INVALID"
	}
	return ""
}
