//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// benchSchema names the document's form and version.
const benchSchema = "ratebench.bench/v1"

// document is a bench, complete.
type document struct {
	Schema    string            `json:"schema"` // benchSchema
	StartedAt time.Time         `json:"started_at"`
	Quick     bool              `json:"quick"` // the figures mean nothing
	Rounds    int               `json:"rounds"`
	Seed      uint64            `json:"seed"`
	Seconds   int               `json:"run_s"` // length of a run
	Machine   machine           `json:"machine"`
	Versions  map[string]string `json:"versions"`
	Blocks    []*result         `json:"blocks"`
	Goals     []goal            `json:"goals"`
}

// machine is where the bench took place.
type machine struct {
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	ServerCore int    `json:"server_core"`
	ClientCore int    `json:"client_core"`
}

func newDocument(ctx context.Context, l *lab) *document {
	return &document{
		Schema: benchSchema, StartedAt: time.Now().UTC(), Quick: l.quick, Rounds: l.rounds, Seed: l.seed, Seconds: l.seconds(),
		Machine: machine{
			CPU: cpuModel(), Cores: runtime.NumCPU(), Kernel: kernelRelease(), Go: runtime.Version(),
			ServerCore: l.serverCore, ClientCore: l.clientCore,
		},
		Versions: peerVersions(ctx),
	}
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // absent: the model is not known
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return "unknown"
}

func kernelRelease() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(release))
}

// failures is the number of runs that gave no figures.
func (d *document) failures() (n int) {
	for _, r := range d.Blocks {
		for _, row := range r.Rows {
			for _, s := range row.Samples {
				if s.Error != "" {
					n++
				}
			}
		}
	}
	return n
}

func (d *document) allMet() bool {
	for _, g := range d.Goals {
		if g.State != met {
			return false
		}
	}
	return true
}

func printDocument(w io.Writer, d *document) {
	m := &d.Machine
	fmt.Fprintf(w, "%s, %d cores, Linux %s, %s; server on core %d, clients on core %d\n", m.CPU, m.Cores, m.Kernel, m.Go, m.ServerCore, m.ClientCore)
	fmt.Fprintf(w, "%d rounds of %d s; medians, in brackets least and most; × is the median of the rounds' ratios\n", d.Rounds, d.Seconds)
	if d.Quick {
		fmt.Fprintln(w, "a quick run: it shows that all works, its figures mean nothing")
	}
	fmt.Fprintln(w)
	for _, r := range d.Blocks {
		printResult(w, r)
	}
	printGoals(w, d.Goals)
}

// write puts the document into a file, which appears whole or not at all.
func (d *document) write(path string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".part"
	if err := os.WriteFile(part, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}
