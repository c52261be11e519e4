//go:build linux

package main

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"
)

// recorded is a child that said what is in the file, or nothing without a name.
func recorded(t *testing.T, name string) *ended {
	t.Helper()
	if name == "" {
		return &ended{}
	}
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return &ended{stdout: text}
}

type reader func(context.Context, *ended, *sample) error

func vegetaReader(_ context.Context, e *ended, s *sample) error { return readVegeta(e.stdout, s) }

func readers() map[string]reader {
	return map[string]reader{
		"wrk": readWrk, "h2load": readH2load, "ab": readAb, "httperf": readHttperf, "bombardier": readBombardier,
		"vegeta": vegetaReader, "ratebench": readRatebench, "floor": readFloor,
	}
}

func TestCountsOfRecordedOutputs(t *testing.T) {
	for _, c := range []struct {
		reader, file  string
		replies, errs float64
		perSecond     float64
	}{
		{"wrk", "wrk.txt", 59924, 0, 59924 / 1.00},
		{"wrk", "wrk-errors.txt", 23572 - 2481, 1241 + 2481, (23572 - 2481) / 1.00},
		{"h2load", "h2load.txt", 86565, 0, 86565 / 1.00},
		{"h2load", "h2load-errors.txt", 133, 16, 133 / 1.00},
		{"ab", "ab.txt", 95500, 0, 95500 / 1.000},
		{"ab", "ab-errors.txt", 300 - 105, 105, 195 / 0.071},
		{"httperf", "httperf.txt", 2000, 0, 2000 / 1.000},
		{"httperf", "httperf-errors.txt", 255, 15 + 30, 255 / 0.997},
		{"httperf", "httperf-descriptors.txt", 9724, 20276, 9724 / 1.062},
		{"bombardier", "bombardier.json", 27046, 0, 27046 / 1.000436244},
		{"bombardier", "bombardier-errors.json", 268, 32, 268 / 0.038915493},
		{"vegeta", "vegeta.json", 12603, 0, 12603 / (0.999441975 + 0.000840690)},
		{"vegeta", "vegeta-errors.json", 269, 31, 269 / (0.996342379 + 0.000200915)},
		{"ratebench", "ratebench.json", 570, 30, 570 / 1.997184771},
	} {
		s := sample{Figures: figures{}}
		if err := readers()[c.reader](t.Context(), recorded(t, c.file), &s); err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		f := s.Figures
		if f[replyCount] != c.replies || f[errorCount] != c.errs || math.Abs(f[replyRate]/c.perSecond-1) > 1e-9 {
			t.Errorf("%s: %v replies, %v errors, %v/s, want %v, %v, %v", c.file, f[replyCount], f[errorCount], f[replyRate], c.replies, c.errs, c.perSecond)
		}
	}
}

// A tool that says something else must not be counted as one that got no reply.
func TestOutputsThatAreNotTheTools(t *testing.T) {
	for name, read := range readers() {
		for _, text := range []string{"", "Connection refused\n", `{"schema":"other"`} {
			s := sample{Figures: figures{}}
			if err := read(t.Context(), &ended{stdout: []byte(text)}, &s); err == nil {
				t.Errorf("%s reads %q as %v", name, text, s.Figures)
			}
		}
	}
	err := readRatebench(t.Context(), &ended{stdout: []byte(`{"schema":"ratebench.run/v9"}`)}, &sample{Figures: figures{}})
	if err == nil || !strings.Contains(err.Error(), "ratebench.run/v9") {
		t.Errorf("a document of another schema: %v", err)
	}
}

func TestVegetaTimesAreNanoseconds(t *testing.T) {
	s := sample{Figures: figures{}}
	if err := readVegeta(recorded(t, "vegeta.json").stdout, &s); err != nil {
		t.Fatal(err)
	}
	if s.Figures[responseP50] != 0.001115425 || s.Figures[responseP99] != 0.007469536 {
		t.Errorf("p50 %v s, p99 %v s", s.Figures[responseP50], s.Figures[responseP99])
	}
}

func TestRatebenchDocument(t *testing.T) {
	s := sample{Figures: figures{}}
	if err := readRatebench(t.Context(), recorded(t, "ratebench.json"), &s); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		plannedCount: 600, peakConns: 3, leastDue: 300, mostDue: 300, isInvalid: 1, blamesClient: 1, sendLagP99: 0.001927167,
	} {
		if got, ok := s.Figures[name]; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if s.Verdict != "invalid" || strings.Join(s.Findings, " ") != "send_lag few_samples" || s.Priority != "ordinary" {
		t.Errorf("verdict %q %q, priority %q", s.Verdict, s.Findings, s.Priority)
	}
}

func TestFewSamplesDoNotBlameTheClient(t *testing.T) {
	for code, want := range map[string]bool{"send_lag": true, "client_cpu": true, "few_samples": false, "not_steady": false, "": false} {
		if ofClient(code) != want {
			t.Errorf("%q: %v", code, !want)
		}
	}
}

func TestNginxStatus(t *testing.T) {
	page := "Active connections: 33 \nserver accepts handled requests\n 54 53 4012 \nReading: 0 Writing: 1 Waiting: 32 \n"
	if c, err := readStatus(page); err != nil || c.active != 33 || c.requests != 4012 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"", "404 Not Found", "Active connections: 1 \nserver accepts handled requests\n 5 5"} {
		if c, err := readStatus(bad); err == nil {
			t.Errorf("%q: %+v", bad, c)
		}
	}
}
