package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"ratebench/attack/plan"
)

// maxBody bounds a body: a file that never ends must not take the machine's memory.
const maxBody = 256 << 20

// readRequests reads what to send: method, header, body and targets.
func (r *reader) readRequests() {
	p := r.plan
	for _, text := range r.StringSlice("header") {
		field, err := plan.ParseField(text)
		if err != nil {
			r.faults = append(r.faults, err)
			continue
		}
		p.Header = append(p.Header, field)
	}
	r.readBody()
	r.readTargets()
	r.readText("method", &p.Method)
}

// readBody reads the body. As with curl, a body makes the request a POST
// unless a method is given.
func (r *reader) readBody() {
	switch {
	case r.IsSet("body") && r.IsSet("body-file"):
		r.fault("--body and --body-file exclude each other")
	case r.IsSet("body"):
		r.plan.Body = []byte(r.String("body"))
	case r.IsSet("body-file"):
		body, err := readFile(r.String("body-file"), maxBody)
		if err != nil {
			r.fault("--body-file %w", err)
		}
		r.plan.Body = body
	default:
		return
	}
	r.plan.Method = "POST"
}

func (r *reader) readTargets() {
	if r.valueless["targets"] {
		r.plan.TargetsFile = "-" // that a URL is missing does not follow
	}
	if !r.IsSet("targets") {
		return
	}
	path := r.String("targets")
	r.plan.TargetsFile = path
	if path == "" {
		r.fault("--targets: its value is empty")
		r.plan.TargetsFile = "-" // that a URL is missing does not follow
		return
	}
	if r.IsSet("method") {
		r.fault("--method %s: the targets of %s have methods of their own", r.String("method"), path)
	}
	f, err := os.Open(path)
	if err != nil {
		r.fault("--targets %w", fileError(path, err))
		return
	}
	defer f.Close()
	targets, err := plan.ReadTargets(path, f)
	if err != nil {
		r.faults = append(r.faults, err)
	}
	r.plan.Targets = targets
}

// readTLS reads the options; checkTLS, once the targets are known, the files.
func (r *reader) readTLS() {
	t := &r.plan.TLS
	t.Insecure = r.Bool("insecure")
	r.readText("ca", &t.CAFile)
	r.readText("cert", &t.CertFile)
	r.readText("key", &t.KeyFile)
	r.readText("server-name", &t.ServerName)
	t.Resume = r.Bool("tls-resume")
}

func (r *reader) checkTLS() {
	t := r.plan.TLS
	if (t.CertFile == "") != (t.KeyFile == "") {
		return // Validate has said so
	}
	if _, err := t.Config(plan.Server{TLS: true, Host: "localhost", Port: 443}); err != nil {
		r.faults = append(r.faults, err)
	}
}

// readFile is the content of a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%q: longer than %d bytes", path, limit)
	}
	return content, nil
}

// fileError names the path, quoted, and what went wrong with it.
func fileError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%q: %w", path, err)
}
