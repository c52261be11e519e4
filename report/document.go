// Package report prints what was recorded, and nothing else: no function here
// reads a clock or measures.
//
// A Document is one run with its plan, surroundings and verdict. It is written
// as JSON (schema.json describes it) and every other format is made from it, so
// a saved document can be printed again in any format. Keys carry their unit;
// figures that are undefined are null.
package report

import (
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// RunSchema names the document's form and version, its "schema" member.
const RunSchema = "ratebench.run/v1"

// Document is one run, complete.
type Document struct {
	Schema      string            `json:"schema"` // RunSchema
	StartedAt   time.Time         `json:"started_at"`
	Version     string            `json:"version"` // of ratebench
	Interrupted bool              `json:"interrupted"`
	Plan        *plan.Plan        `json:"plan"` // masked
	Environment Environment       `json:"environment"`
	Verdict     record.Verdict    `json:"verdict"`
	Objectives  []Objective       `json:"objectives,omitempty"` // that the run was held to: AddObjectives
	Summary     record.Summary    `json:"summary"`
	Intervals   []record.Interval `json:"intervals"`
	Server      []Server          `json:"server"` // what was watched: AddServers, Unwatched
	Hosts       []Host            `json:"hosts"`  // that were watched
	Client      record.Client     `json:"client"`
	Method      record.Method     `json:"method"` // how the engine measured
	Histograms  map[string]string `json:"histograms"`
}

// Environment is where the run took place.
type Environment struct {
	Client ClientHost `json:"client"`
	Server ServerHost `json:"server"`
}

// ClientHost is the machine that ratebench ran on.
type ClientHost struct {
	OS     string `json:"os"` // GOOS/GOARCH
	Kernel string `json:"kernel,omitempty"`
	Cores  int    `json:"cores"`
	Go     string `json:"go"`
}

// ServerHost is what is known of the server from outside.
type ServerHost struct {
	Address  []string `json:"address"`  // that connections were opened to
	Software string   `json:"software"` // Server field of the first reply
	Protocol string   `json:"protocol"` // of the first reply
}

// New is the document of a run. The plan's secrets are masked.
func New(version string, client ClientHost, p *plan.Plan, run *record.Run) *Document {
	masked := p.Masked()
	masked.Engine = run.Engine
	if run.MaxConnections > 0 {
		masked.MaxConnections = run.MaxConnections
	}
	return &Document{
		Schema:      RunSchema,
		StartedAt:   run.StartedAt,
		Version:     version,
		Interrupted: run.Interrupted,
		Plan:        masked,
		Environment: Environment{
			Client: client,
			Server: ServerHost{Address: run.Addresses, Software: run.Software, Protocol: run.Protocol},
		},
		Verdict:    run.Verdict,
		Summary:    run.Summary,
		Intervals:  run.Intervals,
		Client:     run.Client,
		Method:     run.Method,
		Histograms: run.Histograms,
		Server:     []Server{},
		Hosts:      []Host{},
	}
}
