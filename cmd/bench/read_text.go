//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// field finds a number in a tool's output. pattern has one group, the number.
func field(output []byte, pattern string) (float64, error) {
	match := regexp.MustCompile(pattern).FindSubmatch(output)
	if match == nil {
		return 0, fmt.Errorf("output lacks %q", pattern)
	}
	return strconv.ParseFloat(string(match[1]), 64)
}

// fields is field for several patterns; the first that fails is the error.
func fields(output []byte, patterns ...string) ([]float64, error) {
	values := make([]float64, len(patterns))
	for i, pattern := range patterns {
		var err error
		if values[i], err = field(output, pattern); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// optional is field for a line that a tool prints only if there is something to say.
func optional(output []byte, pattern string) float64 {
	v, err := field(output, pattern)
	if err != nil {
		return 0
	}
	return v
}

// count puts what every client tells: good replies, what was not one, and the
// time that the client took them in.
func (s *sample) count(good, bad, seconds float64) {
	s.Figures.put(replyCount, good)
	s.Figures.put(errorCount, bad)
	s.Figures.put(replyRate, good/seconds)
}

// unit is one of wrk's and h2load's units of time, in seconds.
func unit(name string) float64 {
	return map[string]float64{"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60}[name]
}

// spanField finds a number and its unit. pattern has a group for each.
func spanField(output []byte, pattern string) (float64, error) {
	match := regexp.MustCompile(pattern).FindSubmatch(output)
	if match == nil {
		return 0, fmt.Errorf("output lacks %q", pattern)
	}
	v, err := strconv.ParseFloat(string(match[1]), 64)
	return v * unit(string(match[2])), err
}

func readWrk(_ context.Context, e *ended, s *sample) error {
	requests, err := field(e.stdout, `(?m)^\s*(\d+) requests in `)
	if err != nil {
		return err
	}
	seconds, err := spanField(e.stdout, `requests in ([\d.]+)(us|ms|s|m),`)
	if err != nil {
		return err
	}
	bad := optional(e.stdout, `Non-2xx or 3xx responses: (\d+)`)
	s.count(requests-bad, bad+wrkSocketErrors(e.stdout), seconds)
	return nil
}

func wrkSocketErrors(output []byte) (sum float64) {
	for _, kind := range []string{"connect", "read", "write", "timeout"} {
		sum += optional(output, `Socket errors:.*\b`+kind+` (\d+)`)
	}
	return sum
}

func readH2load(_ context.Context, e *ended, s *sample) error {
	v, err := fields(e.stdout, `requests: (\d+) total`, `(\d+) succeeded`)
	if err != nil {
		return err
	}
	seconds, err := spanField(e.stdout, `finished in ([\d.]+)(us|ms|s|m),`)
	if err != nil {
		return err
	}
	s.count(v[1], v[0]-v[1], seconds)
	return nil
}

// readAb reads ab, which books a bad reply under several heads: its errors may be
// too many, never too few.
func readAb(_ context.Context, e *ended, s *sample) error {
	v, err := fields(e.stdout, `Complete requests:\s+(\d+)`, `Failed requests:\s+(\d+)`, `Time taken for tests:\s+([\d.]+) seconds`)
	if err != nil {
		return err
	}
	bad := min(v[0], v[1]+optional(e.stdout, `Non-2xx responses:\s+(\d+)`))
	s.count(v[0]-bad, bad, v[2])
	return nil
}

func readHttperf(_ context.Context, e *ended, s *sample) error {
	v, err := fields(e.stdout, `Total: connections \d+ requests \d+ replies (\d+)`, `test-duration ([\d.]+) s`,
		`Reply status: .*2xx=(\d+)`, `Errors: total (\d+)`)
	if err != nil {
		return err
	}
	s.count(v[2], v[0]-v[2]+v[3], v[1])
	return nil
}
