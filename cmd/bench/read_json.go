//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ratebench/attack/record"
	"ratebench/report"
)

func readFloor(_ context.Context, e *ended, s *sample) error {
	var r floorReply
	if err := json.Unmarshal(e.stdout, &r); err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	s.count(float64(r.Replies), 0, r.Elapsed)
	return nil
}

func readBombardier(_ context.Context, e *ended, s *sample) error {
	var r struct {
		Result struct {
			Seconds float64 `json:"timeTakenSeconds"`
			Good    float64 `json:"req2xx"`
			Code1   float64 `json:"req1xx"`
			Code3   float64 `json:"req3xx"`
			Code4   float64 `json:"req4xx"`
			Code5   float64 `json:"req5xx"`
			Others  float64 `json:"others"`
		} `json:"result"`
	}
	if err := json.Unmarshal(e.stdout, &r); err != nil {
		return fmt.Errorf("bombardier: %w", err)
	}
	bad := r.Result.Code1 + r.Result.Code3 + r.Result.Code4 + r.Result.Code5 + r.Result.Others
	s.count(r.Result.Good, bad, r.Result.Seconds)
	return nil
}

// readVegeta reads the JSON report of vegeta. Its latencies run from when the
// request is handed to net/http, not from when it was due.
func readVegeta(text []byte, s *sample) error {
	var r struct {
		Latencies struct {
			P50 float64 `json:"50th"` // nanoseconds, as all here
			P99 float64 `json:"99th"`
		} `json:"latencies"`
		Duration float64            `json:"duration"`
		Wait     float64            `json:"wait"`
		Requests float64            `json:"requests"`
		Codes    map[string]float64 `json:"status_codes"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("vegeta report: %w", err)
	}
	good := r.Codes["200"]
	s.count(good, r.Requests-good, (r.Duration+r.Wait)/1e9)
	s.Figures.put(responseP50, r.Latencies.P50/1e9)
	s.Figures.put(responseP99, r.Latencies.P99/1e9)
	return nil
}

// runDocument is what is read here of ratebench's document.
type runDocument struct {
	Schema    string            `json:"schema"`
	Verdict   record.Verdict    `json:"verdict"`
	Summary   record.Summary    `json:"summary"`
	Intervals []record.Interval `json:"intervals"`
	Method    record.Method     `json:"method"`
}

func readRatebench(_ context.Context, e *ended, s *sample) error {
	var d runDocument
	if err := json.Unmarshal(e.stdout, &d); err != nil {
		return fmt.Errorf("ratebench: %w", err)
	}
	if d.Schema != report.RunSchema {
		return fmt.Errorf("ratebench: document of schema %q, want %q", d.Schema, report.RunSchema)
	}
	sum := &d.Summary
	s.count(float64(sum.Replies), float64(sum.Errors.Total), float64(sum.Elapsed))
	s.Figures.put(plannedCount, float64(sum.Planned))
	s.Figures.put(peakConns, float64(sum.Connections.Peak))
	s.putTimes(&sum.Time)
	s.putDue(d.Intervals, sum.Window)
	s.putVerdict(d.Verdict)
	s.Priority = d.Method.Priority
	return nil
}

func (s *sample) putTimes(t *record.Times) {
	for name, value := range map[string]record.Number{
		sendLagP50: t.SendLag.P50, sendLagP99: t.SendLag.P99,
		receiveLagP50: t.ReceiveLag.P50, receiveLagP99: t.ReceiveLag.P99,
		serviceP50: t.Service.P50, serviceP99: t.Service.P99,
		responseP50: t.Response.P50, responseP99: t.Response.P99,
	} {
		s.Figures.put(name, float64(value))
	}
}

// putDue puts the least and the most that was due in a full second of the window.
func (s *sample) putDue(intervals []record.Interval, window record.Number) {
	var due []uint64
	for _, i := range intervals {
		if i.T >= 0 && i.T+1 <= window {
			due = append(due, i.Due)
		}
	}
	if len(due) > 0 {
		s.Figures.put(leastDue, float64(slices.Min(due)))
		s.Figures.put(mostDue, float64(slices.Max(due)))
	}
}

func (s *sample) putVerdict(v record.Verdict) {
	s.Verdict = string(v.Status)
	s.Figures.put(isInvalid, indicator(v.Status == record.Invalid))
	for _, f := range v.Findings {
		s.Findings = append(s.Findings, f.Code)
	}
	s.Figures.put(blamesClient, indicator(slices.ContainsFunc(s.Findings, ofClient)))
}

// ofClient says whether a finding names the client as the cause.
func ofClient(code string) bool {
	switch code {
	case "send_lag", "client_stall", "client_cpu", "client_core", "client_exhausted", "rate_missed", "unsent":
		return true
	}
	return false
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
