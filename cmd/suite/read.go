package suite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"ratebench/attack/plan"
	"ratebench/sampler"
)

// maxFile bounds a suite's file. The parser takes time that grows with the square
// of the nesting: what fits in here costs seconds at worst.
const maxFile = 64 << 10

// Read reads a suite's file. The error is every fault, a line for each with the
// file's line and column.
func Read(path string) (*Suite, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the suite: %w", err)
	}
	s, all := parse(text)
	if s != nil {
		all = append(all, s.settle(filepath.Dir(path))...)
	}
	if err := all.err(path); err != nil {
		return nil, err
	}
	return s, nil
}

// settle makes the directory absolute. It is relative to the suite's folder.
func (s *Suite) settle(folder string) (found faults) {
	if !filepath.IsAbs(s.Directory) {
		s.Directory = filepath.Join(folder, s.Directory)
	}
	absolute, err := filepath.Abs(s.Directory)
	if err != nil {
		found.add(s.at.of("directory"), "directory: %v", err)
		return found
	}
	s.Directory = absolute
	if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
		found.add(s.at.of("directory"), "directory %s: is none", quoted(absolute))
	}
	return found
}

// Parse reads a suite from a text, which errors call name.
func Parse(name string, text []byte) (*Suite, error) {
	s, all := parse(text)
	if err := all.err(name); err != nil {
		return nil, err
	}
	return s, nil
}

// parse is nil and faults for a text that is no YAML. Otherwise the faults are
// those of its values.
func parse(text []byte) (*Suite, faults) {
	r := &reader{}
	root := r.document(text)
	if root == nil {
		return nil, r.faults
	}
	s := r.suite(root)
	s.SHA256 = fmt.Sprintf("%x", sha256.Sum256(text))
	s.finish()
	return s, append(r.faults, s.check().elsewhere(r.faults)...)
}

func (r *reader) suite(root ast.Node) *Suite {
	s := &Suite{
		Rank: Ranks()[0], Repeat: DefaultRepeat, Seed: 1,
		Timeout: plan.DefaultTimeout,
	}
	s.at = r.mapping(root, "suite", keys{
		"name":      r.text("name", &s.Name),
		"about":     r.text("about", &s.About),
		"baseline":  r.text("baseline", &s.Baseline),
		"rank":      r.text("rank", &s.Rank),
		"repeat":    r.whole("repeat", &s.Repeat),
		"seed":      r.count("seed", &s.Seed),
		"warmup":    r.seconds("warmup", &s.Warmup),
		"timeout":   r.seconds("timeout", &s.Timeout),
		"priority":  r.text("priority", &s.Priority),
		"directory": r.text("directory", &s.Directory),
		"expect":    func(n ast.Node) { s.Expect = r.expect(n) },
		"quick":     func(n ast.Node) { s.quick = r.changes(n) },
		"servers":   r.each("servers", func(n ast.Node) { s.Servers = append(s.Servers, r.server(n)) }),
		"loads":     r.each("loads", func(n ast.Node) { s.Loads = append(s.Loads, r.load(n)) }),
	})
	return s
}

func (r *reader) changes(node ast.Node) (c changes) {
	c.at = r.mapping(node, "quick", keys{
		"repeat":  optional(&c.repeat, func(to *int) func(ast.Node) { return r.whole("repeat", to) }),
		"seed":    optional(&c.seed, func(to *uint64) func(ast.Node) { return r.count("seed", to) }),
		"warmup":  optional(&c.warmup, func(to *plan.Seconds) func(ast.Node) { return r.seconds("warmup", to) }),
		"timeout": optional(&c.timeout, func(to *plan.Seconds) func(ast.Node) { return r.seconds("timeout", to) }),
	})
	return c
}

func (r *reader) expect(node ast.Node) (e Expect) {
	var bytes uint64
	at := r.mapping(node, "expect", keys{
		"status":   r.whole("status", &e.Status),
		"bytes":    r.count("bytes", &bytes),
		"contains": r.text("contains", &e.Contains),
	})
	if at.has("bytes") {
		size := int64(bytes)
		e.Bytes = &size
	}
	if at.has("status") && (e.Status < 100 || e.Status > 599) {
		r.add(at["status"], "status %d: want 100 to 599", e.Status)
	}
	if at.has("contains") && e.Contains == "" {
		r.add(at["contains"], "contains: is empty")
	}
	return e
}

func (r *reader) server(node ast.Node) (s Server) {
	s.at = r.mapping(node, "server", keys{
		"name":    r.text("name", &s.Name),
		"url":     r.text("url", &s.URL),
		"start":   r.text("start", &s.Start),
		"stop":    r.text("stop", &s.Stop),
		"ready":   r.text("ready", &s.Ready),
		"missing": r.text("missing", &s.Missing),
		"host":    parsed(r, "host", "local or ssh://…", &s.Host, sampler.ParseHost),
		"expect":  func(n ast.Node) { e := r.expect(n); s.expect = &e },
		"needs": r.each("needs", func(n ast.Node) {
			var need string
			r.text("needs", &need)(n)
			s.Needs = append(s.Needs, need)
		}),
		"process": r.each("process", func(n ast.Node) {
			var selection sampler.Selection
			parsed(r, "process", "a text", &selection, sampler.ParseSelection)(n)
			if selection.Kind != "" {
				s.Process = append(s.Process, selection)
			}
		}),
	})
	return s
}

func (r *reader) load(node ast.Node) Load {
	l := Load{RequestsPerConnection: 1, Arrivals: plan.Uniform}
	l.at = r.mapping(node, "load", keys{
		"name":                    r.text("name", &l.Name),
		"rate":                    r.rate("rate", &l.Rate),
		"total":                   r.count("total", &l.Total),
		"duration":                r.seconds("duration", &l.Duration),
		"concurrency":             r.whole("concurrency", &l.Concurrency),
		"requests_per_connection": r.whole("requests_per_connection", &l.RequestsPerConnection),
		"max_connections":         r.whole("max_connections", &l.MaxConnections),
		"timeout":                 r.seconds("timeout", &l.Timeout),
		"deadline":                r.seconds("deadline", &l.Deadline),
		"overload":                r.truth("overload", &l.Overload),
		"arrivals": parsed(r, "arrivals", "a text", &l.Arrivals, func(text string) (plan.Process, error) {
			if p := plan.Process(text); p == plan.Uniform || p == plan.Poisson {
				return p, nil
			}
			return "", errors.New(quoted(text) + ": want uniform or poisson")
		}),
		"quick": func(n ast.Node) { l.quick = r.loadChanges(n) },
	})
	return l
}

func (r *reader) loadChanges(node ast.Node) (c loadChanges) {
	c.at = r.mapping(node, "quick", keys{
		"rate":        optional(&c.rate, func(to *plan.Rate) func(ast.Node) { return r.rate("rate", to) }),
		"total":       optional(&c.total, func(to *uint64) func(ast.Node) { return r.count("total", to) }),
		"duration":    optional(&c.duration, func(to *plan.Seconds) func(ast.Node) { return r.seconds("duration", to) }),
		"concurrency": optional(&c.concurrency, func(to *int) func(ast.Node) { return r.whole("concurrency", to) }),
	})
	return c
}

// finish fills in what one part of a suite takes from another.
func (s *Suite) finish() {
	for i := range s.Servers {
		server := &s.Servers[i]
		server.Expect = s.Expect
		if server.expect != nil {
			server.Expect = *server.expect
		}
		if s.Baseline == "" && !s.at.has("baseline") && server.Missing == "" {
			s.Baseline = server.Name
		}
	}
}
