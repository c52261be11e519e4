package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// TestScenarios plays small runs and compares the figures that each is about.
func TestScenarios(t *testing.T) {
	const ms = time.Millisecond
	null := Undefined()
	tests := []struct {
		name    string
		rate    string
		total   uint64
		what    func(*Outcome)
		planned []uint64 // replies, errors, aborted, unsent
		rates   []Number // offered, sent, reply mean, min, max, stddev
		window  Number
		elapsed Number
		good    uint64
		seconds int
	}{
		{"three seconds", "10", 30, func(o *Outcome) { reply(o, 5*ms) },
			[]uint64{30, 0, 0, 0}, []Number{10, 10, 10, 10, 10, 0}, 3, 2.905, 30, 3},
		{"a single request", "300", 1, func(o *Outcome) { reply(o, 5*ms) },
			[]uint64{1, 0, 0, 0}, []Number{300, 300, 0, null, null, null}, 0.003333333, 0.005, 1, 1},
		{"a single fast request", "300", 1, func(o *Outcome) { reply(o, ms) },
			[]uint64{1, 0, 0, 0}, []Number{300, 300, 300, null, null, null}, 0.003333333, 0.001, 1, 1},
		{"below a second", "1000", 50, func(o *Outcome) { reply(o, ms/2) },
			[]uint64{50, 0, 0, 0}, []Number{1000, 1000, 1000, null, null, null}, 0.05, 0.0495, 50, 1},
		{"one a second", "1", 1, func(o *Outcome) { reply(o, ms) },
			[]uint64{1, 0, 0, 0}, []Number{1, 1, 1, 1, 1, null}, 1, 0.001, 1, 1},
		{"slower than one a second", "0.25", 3, func(o *Outcome) { reply(o, ms) },
			[]uint64{3, 0, 0, 0}, []Number{0.25, 0.25, 0.25, 0, 1, 0.45226701686664544}, 12, 8.001, 3, 9},
		{"one in two seconds", "0.5", 1, func(o *Outcome) { reply(o, ms) },
			[]uint64{1, 0, 0, 0}, []Number{0.5, 0.5, 0.5, 0, 1, 0.7071067811865476}, 2, 0.001, 1, 1},
		{"refused", "10", 30, func(o *Outcome) { fail(o, ms, ConnectionRefused, Connect) },
			[]uint64{0, 30, 0, 0}, []Number{10, 10, 0, 0, 0, 0}, 3, 2.901, 0, 3},
		{"never connected", "10", 30, func(o *Outcome) { fail(o, 0, FDUnavailable, Connect); o.Sent = Never },
			[]uint64{0, 30, 0, 0}, []Number{10, 0, 0, 0, 0, 0}, 3, 2.9, 0, 3},
		{"nothing for five seconds", "1", 2, func(o *Outcome) { fail(o, 5*time.Second, ClientTimeout, Wait) },
			[]uint64{0, 2, 0, 0}, []Number{1, 1, 0, 0, 0, 0}, 2, 6, 0, 7},
		{"unexpected statuses", "10", 10, func(o *Outcome) { reply(o, ms); o.Status = 500 },
			[]uint64{10, 0, 0, 0}, []Number{10, 10, 10, 10, 10, null}, 1, 0.901, 0, 1},
		{"slower than the deadline", "10", 10, func(o *Outcome) { reply(o, time.Second+1) },
			[]uint64{10, 0, 0, 0}, []Number{10, 10, 0, 0, 0, null}, 1, 1.900000001, 0, 2},
		{"as slow as the deadline", "10", 10, func(o *Outcome) { reply(o, time.Second) },
			[]uint64{10, 0, 0, 0}, []Number{10, 10, 0, 0, 0, null}, 1, 1.9, 10, 2},
		{"replies after the timeout", "10", 10, func(o *Outcome) { reply(o, 5*time.Second+1) },
			[]uint64{0, 10, 0, 0}, []Number{10, 10, 0, 0, 0, null}, 1, 5.900000001, 0, 6},
		{"ends before the due time", "10", 10, func(o *Outcome) { reply(o, -ms) },
			[]uint64{10, 0, 0, 0}, []Number{10, 10, 10, 10, 10, null}, 1, 0.9, 10, 1},
	}
	for _, test := range tests {
		p := mustPlan(test.rate, test.total)
		p.Deadline = plan.Seconds(time.Second)
		run := rehearse(p, test.what).run(t)
		s := &run.Summary
		if got := []uint64{s.Replies, s.Errors.Total, s.Aborted, s.Unsent}; !slices.Equal(got, test.planned) {
			t.Errorf("%s: replies, errors, aborted, unsent = %v, want %v", test.name, got, test.planned)
		}
		rates := []Number{s.OfferedRate, s.SentRate, s.ReplyRate.Mean, s.ReplyRate.Min, s.ReplyRate.Max, s.ReplyRate.StdDev}
		if !slices.EqualFunc(rates, test.rates, same) {
			t.Errorf("%s: rates %v, want %v", test.name, rates, test.rates)
		}
		if s.ReplyRate.Samples != int(test.window) {
			t.Errorf("%s: %d samples of the reply rate in %v s", test.name, s.ReplyRate.Samples, test.window)
		}
		if s.Window != test.window || s.Elapsed != test.elapsed || s.Goodput.Count != test.good || len(run.Intervals) != test.seconds {
			t.Errorf("%s: window %v, elapsed %v, good %d, %d seconds; want %v, %v, %d, %d", test.name,
				s.Window, s.Elapsed, s.Goodput.Count, len(run.Intervals), test.window, test.elapsed, test.good, test.seconds)
		}
	}
}

// same says whether two figures print the same.
func same(a, b Number) bool { return a == b || !a.Defined() && !b.Defined() }

func TestSame(t *testing.T) {
	if !same(1, 1) || !same(Undefined(), Undefined()) || same(1, 2) || same(1, Undefined()) || same(Undefined(), 0) {
		t.Error("same takes different figures for the same")
	}
}

// TestWarmup: what was due before the origin is in no figure, wherever it ends.
func TestWarmup(t *testing.T) {
	p := mustPlan("10", 20)
	p.Warmup = plan.Seconds(3 * time.Second)
	for _, arrivals := range []plan.Process{plan.Uniform, plan.Poisson} {
		p.Arrivals = arrivals
		for shards := 1; shards <= 3; shards++ {
			var seen int
			r := rehearse(p, func(o *Outcome) { reply(o, time.Second) })
			r.shards, r.tap = shards, func(*Outcome) { seen++ }
			run := r.run(t)
			if s := &run.Summary; s.Planned != 20 || s.Replies != 20 || s.Time.Response.Count != 20 || s.OfferedRate != 10 {
				t.Errorf("%s, %d shards: %d planned, %d replies, %v/s offered", arrivals, shards, s.Planned, s.Replies, s.OfferedRate)
			}
			if len(r.outcomes) != 50 || seen != 20 {
				t.Errorf("%s, %d shards: %d outcomes, %d seen by the tap", arrivals, shards, len(r.outcomes), seen)
			}
		}
	}
}

// TestNoReplies: every figure that nothing was measured for is null.
func TestNoReplies(t *testing.T) {
	run := rehearse(mustPlan("100", 10), func(o *Outcome) { fail(o, time.Millisecond, ConnectionReset, Wait) }).run(t)
	text, err := json.Marshal(run.Summary)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"response":{"count":0,"mean_s":null,"stddev_s":null,"min_s":null,"p50_s":null,`) ||
		!strings.Contains(string(text), `"response_all":{"count":10,"mean_s":null,"stddev_s":null,"min_s":null,"p50_s":null,`) {
		t.Errorf("%s", text)
	}
	if !slices.Contains(codes(run), "no_reply") || run.Summary.Reasons["connection_reset"] != "wait: connreset" {
		t.Errorf("findings %v, reasons %v", codes(run), run.Summary.Reasons)
	}
	if _, has := run.Histograms["response"]; has || run.Histograms["send_lag"] == "" {
		t.Errorf("histograms of %v", slices.Collect(maps.Keys(run.Histograms)))
	}
}

// TestLateReply: what the engine calls a reply is a timeout if it came too late,
// in the phase that it was in when the timeout passed.
func TestLateReply(t *testing.T) {
	const timeout = 5 * time.Second
	tests := []struct {
		name  string
		what  func(*Outcome)
		phase Phase
	}{
		{"transfer", func(o *Outcome) { o.FirstByte = o.Due + timeout }, Transfer},
		{"wait", func(o *Outcome) { o.FirstByte = o.Due + timeout + 1 }, Wait},
		{"on a new connection", func(o *Outcome) { o.Connected, o.FirstByte = o.Due+timeout, o.Done }, Wait},
		{"connect", func(o *Outcome) { o.Connected, o.FirstByte = o.Due+timeout+1, o.Done }, Connect},
		{"tls", func(o *Outcome) { o.Connected, o.Secured, o.FirstByte = o.Due+timeout, o.Done, o.Done }, TLS},
		{"secured", func(o *Outcome) { o.Connected, o.Secured, o.FirstByte = o.Due+1, o.Due+2, o.Done }, Wait},
		{"queued", func(o *Outcome) { o.Sent, o.FirstByte = o.Due+timeout+1, o.Done }, Queued},
	}
	for _, test := range tests {
		run := rehearse(mustPlan("1", 1), func(o *Outcome) {
			reply(o, timeout+time.Second)
			test.what(o)
		}).run(t)
		s := &run.Summary
		if s.Errors.ClientTimeout != 1 || s.TimeoutPhase[test.phase.String()] != 1 || s.Time.Response.Count != 0 || len(s.Status) != 0 {
			t.Errorf("%s: %d timeouts, phases %v, %d response times", test.name, s.Errors.ClientTimeout, s.TimeoutPhase, s.Time.Response.Count)
		}
	}
}

// TestDistributions: each row of the table measures what it says.
func TestDistributions(t *testing.T) {
	const us = time.Microsecond
	run := rehearse(mustPlan("1000", 1000), func(o *Outcome) {
		*o = Outcome{Seq: o.Seq, Due: o.Due, Class: Reply, Status: 200,
			Queued: 100 * us, Sent: o.Due + 130*us, Connected: o.Due + 180*us, Secured: o.Due + 480*us,
			FirstByte: o.Due + 2480*us, Done: o.Due + 2500*us, ReceiveLag: 7 * us,
			BytesSent: 80, HeaderBytes: 200, ContentBytes: 1024}
	}).run(t)
	times := &run.Summary.Time
	for name, row := range map[string]struct {
		stats Stats
		want  time.Duration
	}{
		"response": {times.Response, 2500 * us}, "response_all": {times.ResponseAll, 2500 * us},
		"service": {times.Service, 2370 * us}, "send lag": {times.SendLag, 30 * us},
		"receive lag": {times.ReceiveLag, 7 * us}, "connect": {times.Connect, 50 * us},
		"tls": {times.TLS, 300 * us}, "wait": {times.Wait, 2000 * us}, "transfer": {times.Transfer, 20 * us},
	} {
		want := Seconds(row.want)
		if s := row.stats; s.Count != 1000 || s.Mean != want || s.Min != want || s.Max != want || s.P50 != want || s.P999 != want || s.StdDev != 0 {
			t.Errorf("%s: %+v, want %v", name, s, want)
		}
	}
	s := &run.Summary
	if s.Waited != 1000 || s.Bytes != (Bytes{80_000, 200_000, 1_024_000}) || len(run.Histograms) != int(processing) {
		t.Errorf("waited %d, bytes %+v, %d histograms", s.Waited, s.Bytes, len(run.Histograms))
	}
}
