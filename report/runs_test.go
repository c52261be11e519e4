package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// The recorded runs under testdata/runs are simulated: outcomes with invented
// instants go through the real recorder, and what depends on the clock and on
// this process is overwritten.

func runNames() []string {
	return []string{"steady", "overload", "one-request", "all-refused", "interrupted", "hostile", "local-nginx", "two-hosts", "no-proc", "closed"}
}

func runPath(name string) string { return filepath.Join("..", "testdata", "runs", name+".json") }

func loadRun(t testing.TB, name string) *Document {
	t.Helper()
	f, err := os.Open(runPath(name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := Read(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMain(m *testing.M) {
	// Recorded before any test reads them; parsing the flags is m.Run's work,
	// so the request to update is looked for in the arguments.
	if slices.Contains(os.Args, "-test.update") || slices.Contains(os.Args, "-update") {
		for name, d := range simulatedRuns() {
			var b bytes.Buffer
			if err := WriteJSON(&b, d); err != nil {
				panic(err)
			}
			if err := os.WriteFile(runPath(name), b.Bytes(), 0o644); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// TestSimulatedRuns holds that a run just recorded passes the schema and reads
// back as the same document.
func TestSimulatedRuns(t *testing.T) {
	for name, d := range simulatedRuns() {
		var first, second bytes.Buffer
		if err := WriteJSON(&first, d); err != nil {
			t.Fatal(err)
		}
		again, err := Read(name, bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := WriteJSON(&second, again); err != nil {
			t.Fatal(err)
		}
		if d := diff(name, first.String(), second.String()); d != "" {
			t.Errorf("read back differs:\n%s", d)
		}
	}
}

func simulatedRuns() map[string]*Document {
	return map[string]*Document{
		"steady": steadyRun(), "overload": overloadRun(), "one-request": oneRequestRun(),
		"all-refused": refusedRun(), "interrupted": interruptedRun(), "hostile": hostileRun(),
		"local-nginx": localNginxRun(), "two-hosts": twoHostsRun(), "no-proc": noProcRun(), "closed": closedRun(),
	}
}

// simulation is a plan, what became of its requests, and when it was told to stop.
type simulation struct {
	plan     *plan.Plan
	outcomes []record.Outcome
	stop     time.Duration // 0 for a run that was not interrupted
	software string
	random   *rand.Rand
}

func newSimulation(rate string, total uint64) *simulation {
	p := plan.New()
	p.URL, p.Total, p.Engine, p.Seed = "http://127.0.0.1:8080/", total, plan.EngineEpoll, 1
	p.Rate, _ = plan.ParseRate(rate)
	return &simulation{plan: p, software: "nginx/1.22.1", random: rand.New(rand.NewPCG(1, 2))}
}

// about is a span scattered around d, log-normally as times on a computer are.
func (s *simulation) about(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(0.35*s.random.NormFloat64()))
}

// begin is request n up to the connection; the kept ones have none to make.
func (s *simulation) begin(n uint64) record.Outcome { return s.beginAt(n, s.plan.Rate.At(n)) }

func (s *simulation) beginAt(n uint64, due time.Duration) record.Outcome {
	o := record.NewOutcome(n, due)
	o.Sent = o.Due + s.about(30*time.Microsecond)
	o.BytesSent = 77
	if s.plan.RequestsPerConnection == 1 {
		o.Connected = o.Sent + s.about(45*time.Microsecond)
		return o
	}
	o.Reused = n > 0
	return o
}

// written is when the kernel had the whole request.
func written(o *record.Outcome) time.Duration { return max(o.Sent, o.Connected) + 8*time.Microsecond }

// reply ends o with a reply whose first byte comes after wait.
func (s *simulation) reply(o record.Outcome, wait time.Duration, status uint16) {
	o.FirstByte = written(&o) + wait
	o.Done = o.FirstByte + s.about(12*time.Microsecond)
	o.ReceiveLag = s.about(15 * time.Microsecond)
	o.Class, o.Status, o.HeaderBytes, o.ContentBytes = record.Reply, status, 239, 1024
	s.outcomes = append(s.outcomes, o)
}

// fail ends o without one.
func (s *simulation) fail(o record.Outcome, at time.Duration, class record.Class, phase record.Phase, reason string) {
	o.Done, o.Class, o.Phase, o.Reason = at, class, phase, reason
	s.outcomes = append(s.outcomes, o)
}

// document sends the outcomes through the recorder in the order of their ends.
func (s *simulation) document() *Document {
	slices.SortStableFunc(s.outcomes, func(a, b record.Outcome) int { return int(a.Done - b.Done) })
	recorder := record.New(s.plan, 1, nil, nil)
	recorder.Start(time.Now())
	shard := recorder.Shard(0)
	stopped := s.stop == 0
	for range s.plan.Concurrency {
		shard.Take(0)
	}
	for i := range s.outcomes {
		o := &s.outcomes[i]
		if !stopped && o.Done >= s.stop {
			shard.Stop(s.stop)
			stopped = true
		}
		shard.Tick(o.Done)
		shard.Record(o)
		if i+s.plan.Concurrency < len(s.outcomes) && s.plan.Closed() {
			shard.Take(o.Next())
		}
	}
	shard.SetConnections(s.connections())
	recorder.Server(s.software, "HTTP/1.1")
	run := recorder.Finish(uint64(len(s.outcomes)), s.stop > 0)
	s.freeze(run)
	record.Judge(s.plan, run)
	return New("1.0.0", ClientHost{OS: "linux/amd64", Kernel: "6.18.0", Cores: 2, Go: "go1.26.8"}, s.plan, run)
}

func (s *simulation) connections() record.Connections {
	if s.plan.RequestsPerConnection != 1 {
		return record.Connections{Opened: 2, Peak: 2}
	}
	var c record.Connections
	for i := range s.outcomes {
		if s.outcomes[i].Connected != record.Never {
			c.Opened++
		}
	}
	return c // freeze sets the peak
}

// freeze overwrites what this process and its clock put into the run.
func (s *simulation) freeze(run *record.Run) {
	run.Engine, run.Addresses = s.plan.Engine, []string{"127.0.0.1:8080"}
	if s.plan.RequestsPerConnection == 1 && run.Summary.Connections.Opened > 0 {
		run.Summary.Connections.Peak = run.Summary.InFlight.Peak
	}
	run.StartedAt = time.Date(2026, 11, 30, 18, 12, 3, 250e6, time.UTC)
	for i := range run.Intervals {
		run.Intervals[i].ClientCPU = 0.03
	}
	run.Method = record.Method{Timestamps: "kernel", Priority: "ordinary", Loops: 1}
	elapsed := run.Summary.Elapsed
	run.Client = record.Client{
		CPU: 0.03 * elapsed, CPUUser: 0.01 * elapsed, CPUSystem: 0.02 * elapsed,
		Cores: 0.03, Available: 2, CPUs: []int{0, 1}, RSSPeak: 14_680_064,
	}
}

// steadyRun: 12 000 requests, enough for every percentile, and nothing amiss.
func steadyRun() *Document {
	s := newSimulation("1000", 12_000)
	for n := range s.plan.Total {
		s.reply(s.begin(n), s.about(180*time.Microsecond), 200)
	}
	return s.document()
}

// overloadRun: 600/s to one worker of 500/s that goes on with the work of
// clients that have given up.
func overloadRun() *Document {
	s := newSimulation("600", 18_000)
	s.plan.Deadline = plan.Seconds(time.Second)
	free := time.Duration(0)
	for n := range s.plan.Total {
		o := s.begin(n)
		free = max(free, written(&o)) + 2*time.Millisecond
		limit := o.Due + s.plan.Timeout.Std()
		switch {
		case free < limit:
			s.reply(o, free-written(&o), 200)
		case n%7 == 0:
			o.Connected, o.BytesSent = record.Never, 0
			s.fail(o, limit, record.ClientTimeout, record.Connect, "timeout while connecting")
		default:
			s.fail(o, limit, record.ClientTimeout, record.Wait, "")
		}
	}
	return s.document()
}

// closedRun: ten at once to one worker of 500/s.
func closedRun() *Document {
	s := newSimulation("1", 2000)
	s.plan.Rate, s.plan.Concurrency = plan.Rate{}, 10
	free, slots := time.Duration(0), make([]time.Duration, s.plan.Concurrency)
	for n := range s.plan.Total {
		slot := slices.Index(slots, slices.Min(slots))
		o := s.beginAt(n, slots[slot])
		free = max(free, written(&o)) + s.about(2*time.Millisecond)
		s.reply(o, free-written(&o), 200)
		slots[slot] = s.outcomes[n].Next()
	}
	return s.document()
}

func oneRequestRun() *Document {
	s := newSimulation("10", 1)
	s.reply(s.begin(0), 180*time.Microsecond, 200)
	return s.document()
}

func refusedRun() *Document {
	s := newSimulation("100", 500)
	s.software = ""
	for n := range s.plan.Total {
		o := s.begin(n)
		o.Connected, o.BytesSent = record.Never, 0
		s.fail(o, o.Sent+s.about(40*time.Microsecond), record.ConnectionRefused, record.Connect, "connect: connection refused")
	}
	d := s.document()
	d.Environment.Server.Protocol = ""
	return d
}

// interruptedRun: stopped after 4.2 s of 133 s, with two replies outstanding.
func interruptedRun() *Document {
	s := newSimulation("300", 40_000)
	s.plan.RequestsPerConnection = 0
	s.stop = 4200 * time.Millisecond
	for n := uint64(0); s.plan.Rate.At(n) < s.stop; n++ {
		o := s.begin(n)
		if n >= 1258 {
			s.fail(o, s.stop+250*time.Millisecond, record.Aborted, record.Wait, "")
			continue
		}
		s.reply(o, s.about(180*time.Microsecond), 200)
	}
	return s.document()
}

// hostileRun: texts that a terminal, a spreadsheet or a parser would obey, odd
// statuses, and errors of several kinds.
func hostileRun() *Document {
	s := newSimulation("200", 1000)
	s.plan.URL = "http://127.0.0.1:8080/a,b?x=\"1\"\x1b[2J\nVALID"
	s.software = "=cmd|' /C calc'!A1,\"x\"\x1b]0;owned\a\r\nVALID \u202e txt"
	statuses := []uint16{200, 200, 200, 302, 404, 503, 999, 0}
	for n := range s.plan.Total {
		o := s.begin(n)
		at := written(&o) + s.about(time.Millisecond)
		switch n % 20 {
		case 3:
			s.fail(o, at, record.ConnectionReset, record.Wait, "read: connection reset by peer\x1b[31m\nsecond line")
		case 7:
			s.fail(o, at, record.Truncated, record.Transfer, "body ended after 500 of 1 000 bytes, \"early\"")
		case 11:
			s.fail(o, at, record.Protocol, record.Wait, "malformed status line \"\x00\x01<script>\"")
		case 13:
			s.fail(o, at, record.Other, record.Connect, "")
		default:
			s.reply(o, s.about(2*time.Millisecond), statuses[n%uint64(len(statuses))])
		}
	}
	d := s.document()
	d.Version = "=1+1"
	return d
}
