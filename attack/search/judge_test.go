package search

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

func objectives(t *testing.T, texts ...string) []plan.Objective {
	t.Helper()
	var list []plan.Objective
	for _, text := range texts {
		o, err := plan.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

// recorded is a run of 300/s for 10 s in which one request of 1000 failed.
func recorded() *record.Run {
	u := record.Undefined()
	return &record.Run{
		Verdict: record.Verdict{Status: record.Valid},
		Summary: record.Summary{
			Planned: 3000, Sent: 3000, Replies: 2997, Errors: record.Errors{Total: 3, ClientTimeout: 3},
			Window: 10, OfferedRate: 300, SentRate: 300,
			ReplyRate: record.RateStats{Mean: 299.5, Samples: 10},
			Goodput:   record.Goodput{Count: 2996, Share: 2996.0 / 3000, Rate: 299.6},
			Time: record.Times{
				Response:    record.Stats{Count: 2997, P50: 0.010, P99: 0.040, P999: 0.050, Mean: 0.011, Max: 0.051},
				ResponseAll: record.Stats{Count: 3000, P50: 0.011, P99: 0.041, P999: u, Mean: u, Max: u},
				SendLag:     record.Stats{Count: 3000, P99: 0.0001, Max: 0.0001},
			},
		},
	}
}

// Response times are those of all requests, and one without a reply is above every
// limit.
func TestFigures(t *testing.T) {
	figures := Figures(&recorded().Summary, 0.002)
	for text, want := range map[string]bool{
		"goodput>=99.8%": true, "goodput>=99.9%": false,
		"reply_rate>=299.5": true, "reply_rate>299.5": false,
		"errors<=0.1%": true, "errors<0.1%": false,
		"p50<=11ms": true, "p50<=10ms": false, "p99<=41ms": true, "p99<=40ms": false,
		"p99.9<1h": false, "mean<1h": false, "max<1h": false,
		"cpu_per_reply<=2ms": true, "cpu_per_reply<2ms": false,
	} {
		if got := plan.Judge(objectives(t, text), figures)[0]; got.Held != want {
			t.Errorf("%v", got)
		}
	}
	unwatched := Figures(&recorded().Summary, record.Undefined())
	if got := plan.Judge(objectives(t, "cpu_per_reply<1h"), unwatched)[0]; got.Held {
		t.Errorf("a server that was not watched: %v", got)
	}
	if _, defined := figures("p42"); defined {
		t.Error("a metric that does not exist has a value")
	}
}

func TestCriteria(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{nil, []string{"goodput>=99%", "errors<=0.1%"}},
		{[]string{"p99<250ms"}, []string{"p99<250ms", "goodput>=99%", "errors<=0.1%"}},
		{[]string{"errors<5%", "goodput>=50%", "mean<1s"}, []string{"errors<5%", "goodput>=50%", "mean<1s"}},
	} {
		criteria, err := Criteria(objectives(t, c.given...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range criteria {
			got = append(got, o.String())
		}
		if !slices.Equal(got, c.want) || !slices.Equal(criteria, objectives(t, c.want...)) {
			t.Errorf("%q become %q, want %q", c.given, got, c.want)
		}
	}
	if _, err := Criteria(objectives(t, "p99<1s", "reply_rate>=295")); err == nil || !strings.Contains(err.Error(), `"reply_rate>=295"`) {
		t.Errorf("an absolute rate: %v", err)
	}
}

func TestJudge(t *testing.T) {
	u := record.Undefined()
	trial := Trial{Number: 7, Purpose: Narrow, Rate: rateFrom(t, "300"), Length: seconds(10)}
	r := Judge(trial, recorded(), objectives(t, "p99<250ms", "errors<0.1%"), 0.002, 0.0001)
	if r.Trial != trial || !r.Valid || !slices.Equal(r.Missed, []string{"errors<0.1%"}) || r.Passed() ||
		r.Requests != 2997 || r.Response != 0.010 || r.CPU != 0.002 || r.CPUWithin != 0.0001 || r.GoodputRate != 299.6 {
		t.Errorf("%+v", r)
	}
	if got := r.Objectives[1].String(); got != "errors<0.1% missed: 0.1 %" {
		t.Errorf("said as %q", got)
	}
	trial.Purpose = Ceiling
	if r := Judge(trial, recorded(), objectives(t, "p99<1ms"), u, u); !r.Passed() {
		t.Errorf("the client is held to the server's limit: %q", r.Missed)
	}
	run := recorded()
	run.Verdict.Add(record.Finding{Code: "send_lag", Status: record.Invalid})
	if r := Judge(trial, run, nil, u, u); r.Valid || !r.Passed() {
		t.Errorf("%+v", r)
	}
}

// The verdict's word for a queue that grows without end is the one looked for.
func TestJudgeOfAGrowingQueue(t *testing.T) {
	p := plan.New()
	p.Rate, p.Duration = rateFrom(t, "300"), seconds(10)
	run := recorded()
	for i := range 10 {
		n := uint64(100 * (i + 1))
		run.Intervals = append(run.Intervals, record.Interval{
			T: record.Number(i), Due: 300, Sent: 300, Replies: 200, InFlight: n, P50: record.Number(n) / 300,
		})
	}
	record.Judge(p, run)
	trial := Trial{Number: 1, Purpose: Decide, Rate: p.Rate, Length: plan.Seconds(10 * time.Second)}
	r := Judge(trial, run, nil, record.Undefined(), record.Undefined())
	if !slices.Equal(r.Missed, []string{"steady state"}) {
		t.Errorf("%+v of %+v", r, run.Verdict)
	}
}

// In a run too short to tell a growing queue, replies that stay behind are a miss.
func TestJudgeOfShortRuns(t *testing.T) {
	for name, c := range map[string]struct {
		window, offered, replies record.Number
		missed                   bool
	}{
		"kept up":                   {2, 200, 199, false},
		"behind":                    {2, 400, 249, true},
		"a little behind":           {2, 400, 365, false},
		"few":                       {0.5, 20, 2, false},
		"long: the verdict says it": {6, 400, 249, false},
	} {
		run := &record.Run{}
		run.Summary.Window, run.Summary.OfferedRate, run.Summary.ReplyRate.Mean = c.window, c.offered, c.replies
		r := Judge(Trial{}, run, nil, record.Undefined(), record.Undefined())
		if (len(r.Missed) > 0) != c.missed {
			t.Errorf("%s: missed %q", name, r.Missed)
		}
	}
}

// Good replies are those of the window, from when the first could be there.
func TestGoodReplies(t *testing.T) {
	u := record.Undefined()
	seconds := []record.Interval{{T: 0, Replies: 300, Good: 300}, {T: 1, Replies: 300, Good: 150}, {T: 2, Replies: 600}}
	for name, c := range map[string]struct {
		window, replies, fastest, want record.Number
		intervals                      []record.Interval
	}{
		"at once":          {2, 300, 0, 300, nil},
		"a long way":       {2, 150, 1, 300, nil},
		"some good":        {2, 300, 0, 225, seconds},
		"a part of one":    {2.5, 300, 0, 112.5, seconds},
		"none":             {2, 0, u, 0, seconds},
		"later than that":  {1, 0, 1.5, u, seconds},
		"nothing recorded": {0, u, u, u, nil},
	} {
		run := &record.Run{Intervals: c.intervals}
		run.Summary.Window, run.Summary.ReplyRate.Mean, run.Summary.Time.Response.Min = c.window, c.replies, c.fastest
		if got := goodReplies(run); !alike(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if alike(1, 2) || alike(1, u) || alike(u, 1) || !alike(u, u) {
		t.Error("what differs is alike")
	}
}

func alike(a, b record.Number) bool {
	return a == b || !a.Defined() && !b.Defined()
}
