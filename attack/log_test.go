package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

var logFormats = []string{"json", "csv", "gob"}

var origin = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// loggedPlan is a plan of total requests at 100/s, dealt over two targets.
func loggedPlan(t testing.TB, total uint64) *plan.Plan {
	t.Helper()
	rate, err := plan.ParseRate("100")
	if err != nil {
		t.Fatal(err)
	}
	targets, err := plan.ReadTargets("targets", strings.NewReader("GET http://user:secret@127.0.0.1/a?b\n\nPOST http://127.0.0.1/\"ü\",\n"))
	if err != nil {
		t.Fatal(err)
	}
	targets[1].Body = []byte("hello")
	p := plan.New()
	p.TargetsFile, p.Targets, p.Rate, p.Total = "targets", targets, rate, total
	if err := errors.Join(p.Validate(), p.Resolve()); err != nil {
		t.Fatal(err)
	}
	return p
}

// replied is a reply with status 200 of a number of milliseconds, and of as many bytes.
func replied(p *plan.Plan, a plan.Arrival, ms int) record.Outcome {
	o := record.NewOutcome(a.Seq, a.Due)
	o.Target, o.Status, o.ContentBytes = p.TargetOf(a.Seq), 200, uint64(ms)
	o.Sent, o.BytesSent, o.Done = a.Due, 100, a.Due+time.Duration(ms)*time.Millisecond
	return o
}

// outcomes are replies to the whole plan, the n-th of n+1 milliseconds.
func outcomes(p *plan.Plan) (all []record.Outcome) {
	schedule := p.Schedule()
	for a, ok := schedule.Next(); ok; a, ok = schedule.Next() {
		all = append(all, replied(p, a, len(all)+1))
	}
	return all
}

// logged is what vegeta reads of a log that took outcomes in that order.
func logged(t testing.TB, format string, p *plan.Plan, outcomes []record.Outcome) []vegeta.Result {
	t.Helper()
	var file bytes.Buffer
	writeLog(t, &file, format, p, outcomes)
	return decoded(t, &file)
}

func writeLog(t testing.TB, w io.Writer, format string, p *plan.Plan, outcomes []record.Outcome) {
	t.Helper()
	l, err := NewLog(w, format, p)
	if err != nil {
		t.Fatal(err)
	}
	l.Start(origin)
	for _, o := range outcomes {
		l.Record(&o)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func decoded(t testing.TB, file *bytes.Buffer) (results []vegeta.Result) {
	t.Helper()
	decode := vegeta.DecoderFor(file)
	if decode == nil {
		t.Fatal("vegeta does not know the format")
	}
	for {
		var r vegeta.Result
		if err := decode(&r); err == io.EOF {
			return results
		} else if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
}

// faultIn says where results are not what vegeta's commands need: numbers from 0
// without a gap, timestamps in that order, one name.
func faultIn(results []vegeta.Result) string {
	for i, r := range results {
		switch {
		case r.Seq != uint64(i):
			return fmt.Sprintf("result %d has number %d", i, r.Seq)
		case i > 0 && r.Timestamp.Before(results[i-1].Timestamp):
			return fmt.Sprintf("result %d is of %v, before the one before it", i, r.Timestamp)
		case r.Attack == "" || r.Attack != results[0].Attack:
			return fmt.Sprintf("result %d is named %q", i, r.Attack)
		}
	}
	return ""
}

func TestFaultInFindsFaults(t *testing.T) {
	first := vegeta.Result{Attack: "a", Timestamp: origin}
	for _, results := range [][]vegeta.Result{
		{{}},
		{{Attack: "a", Seq: 1}},
		{first, {Attack: "a", Seq: 2, Timestamp: origin}},
		{first, {Attack: "b", Seq: 1, Timestamp: origin}},
		{first, {Attack: "a", Seq: 1, Timestamp: origin.Add(-1)}},
	} {
		if faultIn(results) == "" {
			t.Errorf("no fault found in %+v", results)
		}
	}
}

func TestLogResults(t *testing.T) {
	p := loggedPlan(t, 9)
	all := outcomes(p)
	all[1].Status = 404
	all[2].Status, all[2].Reason = 999, ""
	all[3].Class, all[3].Status, all[3].Reason = record.ConnectionReset, 0, "read: reset, \"by\" peer\nagain"
	all[4].Class, all[4].BytesSent = record.ClientTimeout, 0
	all[5].BytesSent = 0
	all[6].Class = record.Aborted
	all[7].Status = 302
	for _, format := range logFormats {
		results := logged(t, format, p, all)
		if len(results) != len(all) {
			t.Fatalf("%s: %d results, want %d", format, len(results), len(all))
		}
		if fault := faultIn(results); fault != "" {
			t.Errorf("%s: %s", format, fault)
		}
		for i, want := range []struct {
			code uint16
			out  uint64
			err  string
		}{
			{200, 0, ""}, {404, 5, "404 Not Found"}, {999, 0, "999"}, {0, 5, "connreset: read: reset, \"by\" peer\nagain"}, {0, 0, "client-timo"},
			{200, 0, ""}, {0, 0, "aborted"}, {302, 5, ""}, {200, 0, ""},
		} {
			method, url := "GET", "http://***@127.0.0.1/a?b"
			if i%2 == 1 {
				method, url = "POST", "http://127.0.0.1/\"ü\","
			}
			r := results[i]
			if r.Code != want.code || r.BytesOut != want.out || r.BytesIn != uint64(i+1) || r.Error != want.err || r.Method != method || r.URL != url {
				t.Errorf("%s: result %d is %+v, want %+v", format, i, r, want)
			}
			due := time.Duration(i) * 10 * time.Millisecond
			if !r.Timestamp.Equal(origin.Add(due)) || r.Latency != time.Duration(i+1)*time.Millisecond || r.Attack != "ratebench 100/s" {
				t.Errorf("%s: result %d is of %v, latency %v, attack %q", format, i, r.Timestamp, r.Latency, r.Attack)
			}
		}
	}
}

func TestLogIsInTheOrderOfThePlan(t *testing.T) {
	p := loggedPlan(t, 2000)
	all := outcomes(p)
	want := logged(t, "json", p, all)
	for seed := range uint64(3) {
		mixed := slices.Clone(all)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		got := logged(t, "json", p, mixed)
		if fault := faultIn(got); fault != "" || !slices.EqualFunc(got, want, vegeta.Result.Equal) {
			t.Errorf("seed %d: the log depends on the order of the ends: %s", seed, fault)
		}
	}
}

func TestLogLeavesOutTheWarmup(t *testing.T) {
	for _, process := range []plan.Process{plan.Uniform, plan.Poisson} {
		p := loggedPlan(t, 50)
		p.Arrivals, p.Warmup = process, plan.Seconds(time.Second)
		all := outcomes(p)
		results := logged(t, "csv", p, all)
		if fault := faultIn(results); fault != "" || len(results) != 50 {
			t.Errorf("%s: %d results: %s", process, len(results), fault)
		}
		if r := results[0]; r.Timestamp.Before(origin) || r.Latency != 101*time.Millisecond {
			t.Errorf("%s: the first is %+v", process, r)
		}
	}
}

func TestLogFillsGaps(t *testing.T) {
	for _, process := range []plan.Process{plan.Uniform, plan.Poisson} {
		p := loggedPlan(t, 100)
		p.Arrivals, p.Warmup = process, plan.Seconds(100*time.Millisecond)
		all := outcomes(p)[10:]
		var taken []record.Outcome
		for i := 79; i >= 0; i-- { // of the last twenty nothing is heard
			if i%10 != 3 && i > 1 {
				taken = append(taken, all[i])
			}
		}
		results := logged(t, "gob", p, taken)
		if fault := faultIn(results); fault != "" || len(results) != 80 {
			t.Fatalf("%s: %d results: %s", process, len(results), fault)
		}
		end := origin.Add(all[79].Done)
		for i, r := range results {
			unsent := i%10 == 3 || i < 2
			if unsent != (r.Error == "unsent") || unsent != (r.Code == 0) || !r.Timestamp.Equal(origin.Add(all[i].Due)) {
				t.Errorf("%s: result %d is %+v", process, i, r)
			}
			if unsent && !r.End().Equal(end) {
				t.Errorf("%s: unsent request %d ends at %v, the log at %v", process, i, r.End(), end)
			}
			if want := p.Targets[p.TargetOf(uint64(i)+10)].Method; r.Method != want {
				t.Errorf("%s: result %d is a %s, want %s", process, i, r.Method, want)
			}
		}
	}
}

// One request that takes very long must not make the log hold all others.
func TestOrderIsBounded(t *testing.T) {
	p := loggedPlan(t, 1000)
	all := outcomes(p)
	passed := map[uint64]int{}
	var unsent []uint64
	q := newOrder(p, func(o *record.Outcome, never bool) {
		if passed[o.Seq]++; never {
			unsent = append(unsent, o.Seq)
		}
		if o.Due != all[o.Seq].Due {
			t.Errorf("request %d is due at %v, want %v", o.Seq, o.Due, all[o.Seq].Due)
		}
	})
	q.limit = 50
	for i := range all {
		if i%100 != 7 {
			q.add(&all[i])
		}
		if len(q.held) > 50 {
			t.Fatalf("%d are held", len(q.held))
		}
	}
	q.add(&all[7]) // ends at last
	q.add(&all[8]) // a second outcome is one too many
	q.finish()
	if want := []uint64{107, 207, 307, 407, 507, 607, 707, 807, 907}; len(passed) != 1000 || !slices.Equal(unsent, want) {
		t.Errorf("%d were passed on, unsent are %v, want %v", len(passed), unsent, want)
	}
	for seq, times := range passed {
		if times != 1 {
			t.Errorf("request %d was passed on %d times", seq, times)
		}
	}
}
