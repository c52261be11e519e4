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

// TestInterrupt: the window ends with the interrupt; what was in flight is
// aborted; what was due later is unsent and in no second.
func TestInterrupt(t *testing.T) {
	for shards := 1; shards <= 3; shards++ {
		p := mustPlan("10", 1000)
		r := &rehearsal{plan: p, shards: shards, stop: 2500 * time.Millisecond}
		for n := range uint64(26) { // the last is due with the interrupt
			o := NewOutcome(n, p.Rate.At(n))
			if reply(&o, 300*time.Millisecond); o.Done > r.stop {
				fail(&o, 2600*time.Millisecond-o.Due, Aborted, Wait)
			}
			r.outcomes = append(r.outcomes, o)
		}
		run := r.run(t)
		s := &run.Summary
		if s.Replies != 23 || s.Aborted != 3 || s.Unsent != 974 || s.Window != 2.5 || s.Elapsed != 2.6 {
			t.Errorf("%d shards: %d replies, %d aborted, %d unsent, window %v, elapsed %v", shards, s.Replies, s.Aborted, s.Unsent, s.Window, s.Elapsed)
		}
		if s.OfferedRate != 10.4 || s.SentRate != 10 || s.ReplyRate.Mean != 8.8 || s.ReplyRate.Samples != 2 || s.Goodput.Share != 23.0/26 {
			t.Errorf("%d shards: offered %v, sent %v, replies %+v, goodput %+v", shards, s.OfferedRate, s.SentRate, s.ReplyRate, s.Goodput)
		}
		if s.Time.Response.Count != 23 || s.Time.ResponseAll.Count != 23 {
			t.Errorf("%d shards: aborted requests are in the response times", shards)
		}
		if got := codes(run); !slices.Equal(got, []string{"interrupted", "few_samples"}) || run.Verdict.Status != Suspect {
			t.Errorf("%d shards: %v %v", shards, run.Verdict.Status, got)
		}
	}
}

// TestInterruptDetails: odd moments for an interrupt.
func TestInterruptDetails(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name    string
		stop    time.Duration
		ends    []int  // numbers of the requests that ended, by a reply after 1 ms
		started uint64 // if more were taken up
		unheard bool
		due     uint64
		window  Number
	}{
		{"one sent just after", 250 * ms, []int{0, 1, 2, 3}, 0, false, 4, 0.3},
		{"not one sent", 250 * ms, nil, 0, false, 3, 0.25},
		{"some due and never sent", 250 * ms, []int{0}, 0, false, 3, 0.25},
		{"the engine ended first", 250 * ms, []int{0, 1, 2}, 0, true, 3, 0.201},
		{"nobody knew anything", 250 * ms, nil, 0, true, 0, 0},
		{"in the warm-up", -50 * ms, nil, 0, false, 0, 0},
		{"in the last interval", 950 * ms, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, false, 10, 1},
	}
	for _, test := range tests {
		for shards := 1; shards <= 3; shards++ {
			p := mustPlan("10", 10)
			r := &rehearsal{plan: p, shards: shards, stop: test.stop, started: test.started, unheard: test.unheard}
			for _, n := range test.ends {
				o := NewOutcome(uint64(n), p.Rate.At(uint64(n)))
				reply(&o, ms)
				r.outcomes = append(r.outcomes, o)
			}
			run := r.run(t)
			var due uint64
			for _, v := range run.Intervals {
				due += v.Due
			}
			if due != test.due || run.Summary.Window != test.window {
				t.Errorf("%s, %d shards: %d due in a window of %v, want %d in %v", test.name, shards, due, run.Summary.Window, test.due, test.window)
			}
			if run.Verdict.Status == Invalid && len(test.ends) >= 3 {
				t.Errorf("%s, %d shards: the client is blamed: %v", test.name, shards, run.Verdict.Findings)
			}
		}
	}
}

// TestFinishInWarmup: nobody waits for an origin that is not to come.
func TestFinishInWarmup(t *testing.T) {
	p := mustPlan("10", 10)
	rec := New(p, 2, nil, nil)
	rec.Start(time.Now().Add(time.Hour))
	for i := range 2 {
		rec.Shard(i).Stop(-59 * time.Minute)
	}
	done := make(chan *Run, 1)
	go func() { done <- rec.Finish(0, true) }()
	select {
	case run := <-done:
		if err := consistent(run); err != nil {
			t.Error(err)
		}
		if s := &run.Summary; s.Unsent != 10 || s.OfferedRate.Defined() || run.Client.CPU.Defined() || run.Client.Cores.Defined() {
			t.Errorf("%d unsent, offered %v, client %+v", s.Unsent, s.OfferedRate, run.Client)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Finish waits for the origin")
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
			Written: o.Due + 490*us, FirstByte: o.Due + 2480*us, Done: o.Due + 2500*us, ReceiveLag: 7 * us,
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
	if s.Waited != 1000 || s.Bytes != (Bytes{80_000, 200_000, 1_024_000}) || len(run.Histograms) != int(metrics) {
		t.Errorf("waited %d, bytes %+v, %d histograms", s.Waited, s.Bytes, len(run.Histograms))
	}
}

// TestLateOutcome: an end that the engine reports after its second was closed is
// counted in it all the same, and keeps the live number in flight right.
func TestLateOutcome(t *testing.T) {
	p := mustPlan("10", 40)
	var live []Interval
	rec := New(p, 1, func(v Interval) { live = append(live, v) }, nil)
	rec.Start(time.Now())
	s := rec.Shard(0)
	var late Outcome
	for n := range p.Total {
		o := NewOutcome(n, p.Rate.At(n))
		reply(&o, 10*time.Millisecond)
		if n == 5 {
			o.Done += 80 * time.Millisecond
			late = o
			continue
		}
		if n == 35 {
			s.Record(&late)
		}
		s.Tick(o.Done)
		s.Record(&o)
	}
	run := rec.Finish(p.Total, false)
	if err := consistent(run); err != nil {
		t.Fatal(err)
	}
	first := run.Intervals[0]
	if first.Replies != 10 || first.InFlight != 0 || !near(first.Max, 10*time.Millisecond) {
		t.Errorf("second 0: %+v", first)
	}
	if run.Summary.Time.Response.Max != 0.09 {
		t.Errorf("greatest response time %v", run.Summary.Time.Response.Max)
	}
	if len(live) != 4 || live[0].Replies != 9 || live[0].InFlight != 1 || live[1].InFlight != 1 || live[3].InFlight != 0 {
		t.Errorf("live: %+v", live)
	}
}

// TestLive: when nothing is late, the seconds shown during the run are those of
// the document.
func TestLive(t *testing.T) {
	for shards := 1; shards <= 4; shards++ {
		var live []Interval
		r := rehearse(mustPlan("50", 300), func(o *Outcome) { reply(o, time.Duration(o.Seq%7)*400*time.Millisecond) })
		r.shards, r.onSecond = shards, func(v Interval) { live = append(live, v) }
		run := r.run(t)
		if len(live) != len(run.Intervals) {
			t.Fatalf("%d shards: %d seconds shown, %d in the document", shards, len(live), len(run.Intervals))
		}
		for i, v := range live {
			want := run.Intervals[i]
			if v.Due != want.Due || v.Replies != want.Replies || v.InFlight != want.InFlight || !same(v.P50, want.P50) || !same(v.Max, want.Max) {
				t.Errorf("%d shards, second %d: shown %+v\nrecorded %+v", shards, i, v, want)
			}
		}
	}
}

// TestGap: an engine that was stopped for a while, and did not tick, loses
// nothing.
func TestGap(t *testing.T) {
	r := rehearse(mustPlan("10", 100), func(o *Outcome) { reply(o, 20*time.Millisecond) })
	r.shuffled = true // in order, but without ticks
	run := r.run(t)
	for i, v := range run.Intervals {
		if !near(v.P50, 20*time.Millisecond) || v.Replies != 10 {
			t.Errorf("second %d: %+v", i, v)
		}
	}
}

// TestShardsAgree: a plan split over loops gives the run that one loop gives.
func TestShardsAgree(t *testing.T) {
	played := func(shards int) *Run {
		r := rehearse(mustPlan("200", 1000), func(o *Outcome) { reply(o, time.Duration(o.Seq%97)*time.Millisecond) })
		r.shards = shards
		run := r.run(t)
		run.StartedAt = time.Time{}
		run.Summary.InFlight.Peak = 0 // the sum of each loop's own
		for i := range run.Intervals {
			run.Intervals[i].ClientCPU = 0
		}
		return run
	}
	one, err := json.Marshal(played(1))
	if err != nil {
		t.Fatal(err)
	}
	for shards := 2; shards <= 4; shards++ {
		several, err := json.Marshal(played(shards))
		if err != nil {
			t.Fatal(err)
		}
		if string(one) != string(several) {
			t.Errorf("%d shards differ:\n%s\n%s", shards, one, several)
		}
	}
}
