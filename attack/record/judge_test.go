package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ratebench/attack/plan"
)

// cleanRun is 40 000 requests at 300/s with nothing amiss.
func cleanRun() *Run {
	row := Stats{Count: 40_000, Mean: 0.002, Min: 0.001, P50: 0.002, P90: 0.003, P95: 0.003, P99: 0.004, P999: 0.005, Max: 0.006}
	lag := Stats{Count: 40_000, Mean: 1e-5, Min: 0, P50: 1e-5, P90: 2e-5, P95: 2e-5, P99: 3e-5, P999: 1e-4, Max: 2e-4}
	run := &Run{Summary: Summary{
		Planned: 40_000, Sent: 40_000, Replies: 40_000,
		Window: 40_000.0 / 300, Elapsed: 133.33, OfferedRate: 300, SentRate: 300,
		ReplyRate: RateStats{Mean: 300, Min: 300, Max: 300, StdDev: 0, Samples: 133},
		InFlight:  InFlight{Mean: 0.6, Little: 0.6, Peak: 3},
		Time:      Times{Response: row, ResponseAll: row, Service: row, SendLag: lag},

		sentInTime: 40_000,
	}, Client: Client{CPU: 10, Cores: 0.08, Available: 2}}
	for i := range 134 {
		n := uint64(min(300, 40_000-300*i))
		run.Intervals = append(run.Intervals, Interval{T: Number(i), Due: n, Sent: n, Replies: n, Good: n, goodDue: n, P50: 0.002})
	}
	return run
}

func TestCleanRun(t *testing.T) {
	run := cleanRun()
	Judge(mustPlan("300", 40_000), run)
	if run.Verdict.Status != Valid || len(run.Verdict.Findings) != 0 || run.Verdict.Findings == nil {
		t.Errorf("%+v", run.Verdict)
	}
}

// borderline is a finding, a run in which it just appears and one in which it just
// does not.
type borderline struct {
	code   string
	status Status
	yes    func(*Run)
	no     func(*Run)
	text   string // part of it
}

func TestFindings(t *testing.T) {
	judgeAll(t, []borderline{
		{"interrupted", Suspect,
			func(r *Run) { r.Interrupted, r.Summary.Unsent = true, 10 },
			func(r *Run) {}, "interrupted after 39990 of 40000 planned requests"},
		{"no_reply", Suspect,
			func(r *Run) { r.Summary.Replies, r.Summary.Errors.Total = 0, 40_000 },
			func(r *Run) { r.Summary.Replies, r.Summary.Errors.Total = 1, 39_999 }, "nothing answered"},
		{"unanswered", Suspect, // 1 % of 40 000: the 99th percentile of all is then the last reply
			func(r *Run) { r.Summary.Replies, r.Summary.Errors = 39_599, Errors{Total: 401, ClientTimeout: 401} },
			func(r *Run) { r.Summary.Replies, r.Summary.Errors = 39_600, Errors{Total: 400, ClientTimeout: 400} },
			"1.0 % got no reply: the response row describes the survivors"},
		{"unanswered", Suspect, // what was aborted is not an answer that failed
			func(r *Run) { r.Summary.Replies, r.Summary.Aborted, r.Summary.Errors.Total = 4, 39_995, 1 },
			func(r *Run) { r.Summary.Replies, r.Summary.Aborted = 4, 39_996 }, "20.0 % got no reply"},
		{"unanswered", Suspect, // no_reply says it
			func(r *Run) { r.Summary.Replies, r.Summary.Errors.Total = 1, 39_999 },
			func(r *Run) { r.Summary.Replies, r.Summary.Errors.Total = 0, 40_000 }, "100.0 % got no reply"},
		{"unanswered", Suspect, // client_exhausted and stale say it
			func(r *Run) {
				r.Summary.Replies, r.Summary.Errors = 30_000, Errors{Total: 10_000, AddressUnavailable: 9999, Other: 1}
			},
			func(r *Run) {
				r.Summary.Replies, r.Summary.Errors = 30_000, Errors{Total: 10_000, AddressUnavailable: 9000, Stale: 1000}
			}, "25.0 % got no reply"},
		{"connection_limit", Suspect,
			func(r *Run) { r.Summary.Waited = 1 },
			func(r *Run) {}, "1 requests waited for one of 10000 connections"},
		{"stale", Suspect,
			func(r *Run) { r.Summary.Errors.Stale = 3 },
			func(r *Run) { r.Summary.Errors.Truncated = 3 }, "3 requests met a kept connection"},
		{"little", Suspect,
			func(r *Run) { r.Summary.InFlight.Mean = 0.613 },
			func(r *Run) { r.Summary.InFlight.Mean = 0.611 }, "mean in flight 0.61, by Little's law 0.60"},
		{"little", Suspect,
			func(r *Run) { r.Summary.InFlight.Mean = 0.587 },
			func(r *Run) { r.Summary.InFlight.Mean, r.Interrupted = 0.587, true }, "the client recorded ends late"},
		{"little", Suspect, // 10 ms × requests in all are too little to judge
			func(r *Run) { r.Summary.InFlight, r.Summary.Elapsed = InFlight{Mean: 0.0101, Little: 0.001}, 1 },
			func(r *Run) { r.Summary.InFlight, r.Summary.Elapsed = InFlight{Mean: 0.0099, Little: 0.001}, 1 }, ""},
		{"little", Suspect, // what was never taken up is in one of the figures only
			func(r *Run) { r.Summary.InFlight.Mean = 6 },
			func(r *Run) { r.Summary.InFlight.Mean, r.Summary.Unsent = 6, 1 }, ""},
		{"few_samples", Suspect,
			func(r *Run) { r.Summary.Time.Response.Count = 999 },
			func(r *Run) { r.Summary.Time.Response.Count = 1000 }, "999 replies are few"},
		{"few_samples", Suspect,
			func(r *Run) { r.Summary.Time.Response.Count = 1 },
			func(r *Run) { r.Summary.Time.Response.Count = 0 }, "1 replies are few"},
		{"not_steady", Suspect, // 1 % of 300/s
			func(r *Run) { grow(r.Intervals, 3) },
			func(r *Run) { grow(r.Intervals, 2.95) }, "in flight grows 3/s, so"},
		{"goodput_drift", Suspect, // 1 % and three standard errors of 1 % in 26 400
			func(r *Run) { spoil(r.Intervals[90:], 6) },
			func(r *Run) { spoil(r.Intervals[90:], 2) }, "good requests fell from 100.0 % in the first third to 98.0 % in the last"},
		{"goodput_drift", Suspect,
			func(r *Run) { spoil(r.Intervals[:44], 6) },
			func(r *Run) { spoil(r.Intervals, 6) }, "rose from 98.0 %"},
		{"goodput_drift", Suspect,
			func(r *Run) { spoil(r.Intervals[90:], 6) },
			func(r *Run) { spoil(r.Intervals[90:], 6); r.Interrupted = true }, ""},
	})
}

// judgeAll holds each finding to its two runs.
func judgeAll(t *testing.T, tests []borderline) {
	t.Helper()
	for i, test := range tests {
		run := cleanRun()
		test.yes(run)
		Judge(mustPlan("300", 40_000), run)
		at := slices.IndexFunc(run.Verdict.Findings, func(f Finding) bool { return f.Code == test.code })
		if at < 0 {
			t.Errorf("%d %s: does not appear: %v", i, test.code, run.Verdict)
			continue
		}
		f := run.Verdict.Findings[at]
		if f.Status != test.status || !strings.Contains(f.Text, test.text) {
			t.Errorf("%d %s: %s %q, want %s %q", i, test.code, f.Status, f.Text, test.status, test.text)
		}
		if grave(run.Verdict.Status) < grave(test.status) {
			t.Errorf("%d %s: the verdict is only %s", i, test.code, run.Verdict.Status)
		}
		run = cleanRun()
		test.no(run)
		Judge(mustPlan("300", 40_000), run)
		if slices.Contains(codes(run), test.code) {
			t.Errorf("%d %s: appears on the wrong side: %v", i, test.code, run.Verdict.Findings)
		}
	}
}

// grow adds requests in flight, step more each second, and makes replies slower.
func grow(seconds []Interval, step float64) {
	for i := range seconds {
		seconds[i].InFlight = uint64(step * float64(i+1))
		seconds[i].P50 = 0.002 + Number(step*float64(i+1))/300
	}
}

// spoil makes n good requests of each second bad.
func spoil(seconds []Interval, n uint64) {
	for i := range seconds {
		seconds[i].goodDue -= min(n, seconds[i].goodDue)
	}
}

// TestNothingRecorded: a run without a single figure is judged without one.
func TestNothingRecorded(t *testing.T) {
	u := Undefined()
	run := &Run{Summary: Summary{Planned: 10, Unsent: 10, OfferedRate: u, SentRate: u, InFlight: InFlight{Mean: u, Little: u}},
		Client: Client{CPU: u, Cores: u, Available: 2}, Interrupted: true}
	Judge(mustPlan("300", 10), run)
	if got := codes(run); !slices.Equal(got, []string{"interrupted"}) {
		t.Errorf("%v", got)
	}
}

func TestMilliseconds(t *testing.T) {
	for n, want := range map[Number]string{
		0.00101: "1.01 ms", 0.0123456: "12.3 ms", 0.0996: "99.6 ms", 0.1: "100 ms", 0.9996: "1000 ms", 1.234: "1234 ms", 0: "0 ms",
	} {
		if got := ms(n); got != want {
			t.Errorf("%v s is %q, want %q", float64(n), got, want)
		}
	}
}

func TestVerdictOrder(t *testing.T) {
	tests := []struct {
		add    []Status
		status Status
		want   string
	}{
		{nil, Valid, ""},
		{[]Status{Valid}, Valid, "0 "},
		{[]Status{Suspect, Suspect}, Suspect, "0 1 "},
		{[]Status{Suspect, Invalid, Valid, Suspect, Invalid}, Invalid, "1 4 0 3 2 "},
		{[]Status{Invalid, Suspect, Valid}, Invalid, "0 1 2 "},
	}
	for _, test := range tests {
		v := Verdict{Status: Valid}
		for i, status := range test.add {
			v.Add(Finding{Code: fmt.Sprint(i), Status: status})
		}
		got := ""
		for _, f := range v.Findings {
			got += f.Code + " "
		}
		if got != test.want || v.Status != test.status {
			t.Errorf("%v: %s in the order %q, want %s, %q", test.add, v.Status, got, test.status, test.want)
		}
	}
}

func TestPlanOfFindings(t *testing.T) {
	run, p := cleanRun(), plan.New()
	run.Summary.Waited, p.MaxConnections = 2, 64
	Judge(p, run)
	if text := run.Verdict.Findings[0].Text; !strings.Contains(text, "one of 64 connections") {
		t.Error(text)
	}
}
