package record

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// waited is a run of 1000 requests at 1000/s that are sent as the function says.
func waited(t *testing.T, shards int, sent func(seq uint64, due time.Duration) time.Duration) *Run {
	t.Helper()
	r := rehearse(mustPlan("1000", 1000), func(o *Outcome) {
		at := sent(o.Seq, o.Due)
		reply(o, at-o.Due+time.Millisecond)
		o.Sent = at
	})
	r.shards = shards
	return r.run(t)
}

// TestStandstill: a client that sends nothing for half a second stood still,
// whether or not others of its loops went on; one that sends all along did not.
func TestStandstill(t *testing.T) {
	const from, to = 300 * time.Millisecond, 800 * time.Millisecond
	stop := func(_ uint64, due time.Duration) time.Duration {
		if due >= from && due < to {
			return to
		}
		return due
	}
	tests := []struct {
		name   string
		shards int
		sent   func(seq uint64, due time.Duration) time.Duration
		least  Number // standstill
		most   Number
		text   string
	}{
		{"stopped", 1, stop, 0.469, 0.5, "the client stood still: one request started 500 ms late"},
		{"one loop of two stopped", 2, func(seq uint64, due time.Duration) time.Duration {
			if seq%2 == 0 {
				return due
			}
			return stop(seq, due)
		}, 0.468, 0.5, "the client stood still: one request started 499 ms late"},
		{"two slow", 2, func(seq uint64, due time.Duration) time.Duration { return due + due/2 }, 0, 0.02, ""},
		{"slow", 1, func(seq uint64, due time.Duration) time.Duration { return due + due/2 }, 0, 0, ""},
		{"in time", 1, func(seq uint64, due time.Duration) time.Duration { return due }, 0, 0, ""},
		{"early by the clock", 1, func(seq uint64, due time.Duration) time.Duration { return due - time.Millisecond }, 0, 0, ""},
	}
	for _, test := range tests {
		run := waited(t, test.shards, test.sent)
		if got := run.Summary.standstill; got < test.least || got > test.most {
			t.Errorf("%s: %v s without a start, want %v to %v", test.name, got, test.least, test.most)
		}
		text := ""
		if i := slices.Index(codes(run), "client_stall"); i >= 0 {
			text = run.Verdict.Findings[i].Text
		}
		if text != test.text {
			t.Errorf("%s: %q, want %q", test.name, text, test.text)
		}
	}
	run := waited(t, 1, tests[3].sent)
	if i := slices.Index(codes(run), "send_lag"); i < 0 || !strings.HasPrefix(run.Verdict.Findings[i].Text, "the client fell behind and started requests up to 500 ms late") {
		t.Errorf("a slow client: %v", run.Verdict.Findings)
	}
}

// TestHeldBackIsNoStandstill: what the connection limit held back is not the client's.
func TestHeldBackIsNoStandstill(t *testing.T) {
	run := rehearse(mustPlan("10", 20), func(o *Outcome) {
		reply(o, 900*time.Millisecond)
		o.Queued = 800 * time.Millisecond
		o.Sent += o.Queued + time.Millisecond/2
	}).run(t)
	if s := &run.Summary; s.standstill != 0 || s.Time.SendLag.Max > 0.0006 {
		t.Errorf("%v s without a start, send lag %v", s.standstill, s.Time.SendLag.Max)
	}
}
