package record

import (
	"slices"
	"testing"
	"time"
)

func TestClientFindings(t *testing.T) {
	judgeAll(t, []borderline{
		{"unsent", Invalid,
			func(r *Run) { r.Summary.Unsent = 1 },
			func(r *Run) { r.Summary.Unsent, r.Interrupted = 1, true }, "did not start 1 requests"},
		{"rate_missed", Invalid, // 0.5 % of 40 000, and one: 201 requests
			func(r *Run) { miss(r, 202) },
			func(r *Run) { miss(r, 201) }, "sent 39798 of 40000 requests in their window of 133.3 s (40000 in all), 298.5/s of the 300.0/s offered"},
		{"rate_missed", Invalid, // and those of 1 ms, 0.3 requests, which an interrupt may strike
			func(r *Run) { miss(r, 202); r.Interrupted = true },
			func(r *Run) { r.Summary.SentRate = 0 }, "298.5/s of the 300.0/s offered"},
		{"client_exhausted", Invalid,
			func(r *Run) { r.Summary.Errors.FDUnavailable = 1 },
			func(r *Run) { r.Summary.Errors.ConnectionRefused = 1 }, "descriptors for 1 requests"},
		{"client_exhausted", Invalid,
			func(r *Run) { r.Summary.Errors.AddressUnavailable = 7 },
			func(r *Run) { r.Summary.Errors.SocketTimeout = 7 }, "local ports for 7 requests"},
		{"client_exhausted", Invalid,
			func(r *Run) { r.Summary.Errors.FileTableFull = 2 },
			func(r *Run) { r.Summary.Errors.Other = 2 }, "descriptors for 2 requests"},
		{"send_lag", Invalid, // 1 ms is more than a twentieth of 2 ms
			func(r *Run) { r.Summary.Time.SendLag.P99 = 0.00101 },
			func(r *Run) { r.Summary.Time.SendLag.P99 = 0.001 }, "p99 1.01 ms, limit 1 ms"},
		{"send_lag", Invalid, // a twentieth of 100 ms
			func(r *Run) { r.Summary.Time.Response.P50, r.Summary.Time.SendLag.P99 = 0.1, 0.00501 },
			func(r *Run) { r.Summary.Time.Response.P50, r.Summary.Time.SendLag.P99 = 0.1, 0.005 }, "p99 5.01 ms, limit 5 ms"},
		{"send_lag", Invalid, // no reply to compare with
			func(r *Run) { r.Summary.Time.Response.P50, r.Summary.Time.SendLag.P99 = Undefined(), 1.234 },
			func(r *Run) { r.Summary.Time.Response.P50, r.Summary.Time.SendLag.P99 = Undefined(), 0.001 }, "p99 1234 ms"},
		{"send_lag", Suspect, // ten requests or fewer are beyond the 99th percentile
			func(r *Run) { r.Summary.Time.SendLag.Count, r.Summary.Time.SendLag.P99 = 999, 0.00101 },
			func(r *Run) { r.Summary.Time.SendLag.Count, r.Summary.Time.SendLag.P99 = 999, 0.001 },
			"started some of 999 requests late: p99 1.01 ms, limit 1 ms"},
		{"send_lag", Invalid, // beyond the 95th too, which 200 requests support
			func(r *Run) { lag(r, 200, 0, 0, 0.00101) },
			func(r *Run) { lag(r, 200, 0, 0, 0.001) }, "started requests late: p95 1.01 ms, limit 1 ms"},
		{"send_lag", Invalid,
			func(r *Run) { lag(r, 100, 0, 0.00101, 0.00101) },
			func(r *Run) { lag(r, 100, 0, 0, 0.001) }, "started requests late: p90 1.01 ms, limit 1 ms"},
		{"send_lag", Suspect,
			func(r *Run) { lag(r, 199, 0, 0, 0.00101) },
			func(r *Run) {}, "started some of 199 requests late"},
		{"send_lag", Suspect,
			func(r *Run) { lag(r, 99, 0, 0.00101, 0.00101) },
			func(r *Run) {}, "started some of 99 requests late"},
		{"send_lag", Invalid,
			func(r *Run) { lag(r, 5, 0.00101, 0.00101, 0.00101) },
			func(r *Run) {}, "started requests late: p50 1.01 ms, limit 1 ms"},
		{"send_lag", Invalid,
			func(r *Run) { r.Summary.Time.SendLag.P99, r.Summary.Time.SendLag.Max = 4.9, 5 },
			func(r *Run) {}, "the client fell behind and started requests up to 5000 ms late: p99 4900 ms, limit 1 ms"},
		{"client_stall", Suspect,
			func(r *Run) { r.Summary.Time.SendLag.Max, r.Summary.standstill = 0.1001, 0.0501 },
			func(r *Run) { r.Summary.Time.SendLag.Max, r.Summary.standstill = 0.1, 0.1 }, "the client stood still: one request started 100 ms late"},
		{"client_stall", Suspect,
			func(r *Run) { r.Summary.Time.SendLag.Max, r.Summary.standstill = 0.1001, 0.05 },
			func(r *Run) { r.Summary.Time.SendLag.P99, r.Summary.Time.SendLag.Max = 4.9, 5 }, // send_lag says it
			"the client fell behind: one request started 100 ms late"},
		{"client_stall", Suspect,
			func(r *Run) { lag(r, 5, 0, 0, 5) },
			func(r *Run) {}, "the client fell behind: one request started 5000 ms late"},
		{"client_cpu", Invalid,
			func(r *Run) { r.Client.Cores = 1.41 },
			func(r *Run) { r.Client.Cores = 1.4 }, "used 1.41 of its 2 cores"},
		{"client_cpu", Invalid,
			func(r *Run) { r.Client.Cores, r.Client.Available = 0.95, 1 },
			func(r *Run) { r.Client.Cores, r.Client.Available = Undefined(), 1 }, "used 0.95 of its 1 cores"},
		{"client_core", Suspect,
			func(r *Run) { r.Client.Cores = 0.91 },
			func(r *Run) { r.Client.Cores = 0.9 }, "used 0.91 cores"},
	})
}

// miss has n requests sent long after the window.
func miss(r *Run, n uint64) {
	r.Summary.sentInTime -= n
	r.Summary.SentRate -= Number(n) / r.Summary.Window
}

// lag makes a run's send lag that of n requests; those beyond the 95th percentile
// are as late as that.
func lag(r *Run, n uint64, p50, p90, p95 Number) {
	r.Summary.Time.SendLag = Stats{Count: n, P50: p50, P90: p90, P95: p95, P99: p95, P999: p95, Max: p95}
}

// TestSmallRunsAreNotBlamed: the last request may be sent just after the window.
func TestSmallRunsAreNotBlamed(t *testing.T) {
	for rate, total := range map[string]uint64{"10000": 100, "300": 1, "1000000": 500} {
		p := mustPlan(rate, total)
		run := rehearse(p, func(o *Outcome) {
			reply(o, 2*time.Millisecond)
			o.Sent += 500 * time.Microsecond
		}).run(t)
		if run.Verdict.Status == Invalid {
			t.Errorf("%d at %s/s: %v", total, rate, run.Verdict.Findings)
		}
	}
}

// TestOneLateStart: one late request among few is a doubt, most of them late are
// the client's fault.
func TestOneLateStart(t *testing.T) {
	for late, want := range map[uint64]Status{0: Suspect, 1: Suspect, 2: Suspect, 3: Invalid, 5: Invalid} {
		run := rehearse(mustPlan("10", 5), func(o *Outcome) {
			if reply(o, 10*time.Millisecond); o.Seq < late {
				o.Sent += 5 * time.Millisecond
			}
		}).run(t)
		if run.Verdict.Status != want || slices.Contains(codes(run), "send_lag") != (late > 0) {
			t.Errorf("%d of 5 late: %v", late, run.Verdict)
		}
	}
}

// TestHopelessRate: a client that is asked for a hundred thousand requests in a tenth
// of a millisecond
// says what it did of that, and that it was busy, not still.
func TestHopelessRate(t *testing.T) {
	run := rehearse(mustPlan("1000000000", 100_000), func(o *Outcome) {
		if sent := time.Duration(o.Seq) * 100 * time.Microsecond; sent < 5*time.Second {
			reply(o, sent-o.Due+50*time.Microsecond)
			o.Sent = sent
		} else {
			fail(o, 5*time.Second, ClientTimeout, Queued)
			o.Sent = Never
		}
	}).run(t)
	if got, want := codes(run), []string{"rate_missed", "send_lag", "unanswered"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i, want := range []string{
		"the client sent 1 of 100000 requests in their window of 0.0001 s (50000 in all), 10000.0/s of the 1000000000.0/s offered: the figures do not describe that load",
		"the client fell behind and started requests up to 5000 ms late: p99 4953 ms, limit 125 ms",
		"50.0 % got no reply: the response row describes the survivors",
	} {
		if got := run.Verdict.Findings[i].Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
