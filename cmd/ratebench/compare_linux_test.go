package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/cmd/suite"
	"ratebench/report"
)

// compared is a suite of two servers on free ports, in a folder of its own, and
// where its trials and its document go.
type compared struct {
	suite, trials, saved string
	ports                []int
}

// newCompared writes a suite of "ratebench serve" servers. extra is what comes
// after them, more servers first.
func newCompared(t *testing.T, extra string) *compared {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &compared{suite: filepath.Join(dir, "s.yaml"), trials: filepath.Join(dir, "trials"), saved: filepath.Join(dir, "r.json")}
	var b strings.Builder
	b.WriteString("name: two\nseed: 5\nrepeat: 6\ntimeout: 2s\nquick: {repeat: 6}\nexpect: {status: 200, bytes: 128}\nservers:\n")
	for _, name := range []string{"one", "../two"} {
		port := freePort(t)
		c.ports = append(c.ports, port)
		fmt.Fprintf(&b, "  - name: %s\n    url: http://127.0.0.1:%d/\n    start: exec env RATEBENCH_TEST_MAIN=1 '%s' serve --listen 127.0.0.1:%d --workers 0\n", name, port, self, port)
	}
	b.WriteString(extra)
	b.WriteString("loads:\n  - {name: 100/s, rate: 100, total: 5}\n  - {name: over, rate: 200, total: 10, overload: true}\n")
	if err := os.WriteFile(c.suite, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *compared) args(more ...string) []string {
	return append([]string{"compare", "--quick", "--trials", c.trials, "-o", c.saved, c.suite}, more...)
}

func (c *compared) document(t *testing.T, r result) *report.Comparison {
	t.Helper()
	text, err := os.ReadFile(c.saved)
	if err != nil {
		t.Fatalf("%v; status %d, %s", err, r.status, r.stderr)
	}
	d := new(report.Comparison)
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// files are how many trials are saved.
func (c *compared) files() int {
	found, _ := filepath.Glob(filepath.Join(c.trials, "0*.json"))
	return len(found)
}

// quiet says whether nobody listens on the suite's ports, within a while.
func (c *compared) quiet() bool {
	return await(20*time.Second, func() bool {
		return !slices.ContainsFunc(c.ports, func(port int) bool {
			conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	})
}

// lost are the trials that could not be made.
func lost(d *report.Comparison) []report.CompareTrial {
	made := func(t report.CompareTrial) bool { return t.Run != nil }
	return slices.DeleteFunc(slices.Clone(d.Trials), made)
}

// skeleton is a comparison but for what time and chance make of it, a line each.
func skeleton(d *report.Comparison) []string {
	lines := []string{fmt.Sprintf("%+v %v %q", d.Suite, d.Interrupted, d.Failure)}
	for _, t := range d.Trials {
		if t.Run == nil {
			lines = append(lines, "lost: "+t.Failure)
			continue
		}
		s := &t.Run.Summary
		lines = append(lines, fmt.Sprintf("block %d place %d %s at %s seed %d planned %d replies %d watched %d",
			t.Block, t.Place, t.Server, t.Load, t.Seed, s.Planned, s.Replies, len(t.Run.Server)))
	}
	return lines
}

// deviates is the first line in which two comparisons differ, empty if none does.
func deviates(got, want *report.Comparison) string {
	return differs(strings.Join(skeleton(got), "\n"), strings.Join(skeleton(want), "\n"))
}

// TestCompareSuite runs a suite whole, and again with a part of the trials gone.
func TestCompareSuite(t *testing.T) {
	t.Parallel()
	c := newCompared(t, "")
	r := live(t, c.args()...)
	d := c.document(t, r)
	if r.status != exitDone && r.status != exitInvalid || len(d.Trials) != 24 {
		t.Fatalf("status %d, %s, %d trials", r.status, r.stderr, len(d.Trials))
	}
	s, err := suite.Read(c.suite)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range s.Quick().Trials() {
		got := d.Trials[i]
		if got.Block != want.Block || got.Place != want.Place || got.Server != s.Servers[want.Server].Name || got.Load != s.Loads[want.Load].Name || got.Seed != want.Seed {
			t.Errorf("trial %d is %+v, want %+v", i+1, got, want)
		}
		if got.Run.Summary.Replies != got.Run.Summary.Planned || len(got.Run.Server) != 1 || len(got.Run.Intervals)+len(got.Run.Histograms) != 0 {
			t.Errorf("trial %d: %d of %d replies, %d servers", i+1, got.Run.Summary.Replies, got.Run.Summary.Planned, len(got.Run.Server))
		}
	}
	if !c.quiet() {
		t.Error("a server is left")
	}
	if again := live(t, c.args()...); again.status != exitUsage || !strings.Contains(again.stderr, "--resume goes on") {
		t.Errorf("the folder is taken again: %d, %s", again.status, again.stderr)
	}
	removed, _ := filepath.Glob(filepath.Join(c.trials, "0*5-*.json"))
	for _, path := range removed {
		os.Remove(path)
	}
	again := live(t, c.args("--resume")...)
	if why := deviates(c.document(t, again), d); len(removed) < 2 || why != "" {
		t.Errorf("after %d trials were made again:\n%s", len(removed), why)
	}
	if err := os.WriteFile(removed[0], []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := live(t, c.args("--resume")...); r.status != exitFailed || !strings.Contains(r.stderr, "without that file, --resume makes the trial again") {
		t.Errorf("a damaged trial: status %d, %s", r.status, r.stderr)
	}
}

func TestDeviatesTellsADifference(t *testing.T) {
	of := func(change func(*report.Comparison)) *report.Comparison {
		d := &report.Comparison{Trials: []report.CompareTrial{{Block: 1, Server: "a", Run: &report.Document{}}, {Block: 2, Server: "b", Run: &report.Document{}}}}
		change(d)
		return d
	}
	same := of(func(*report.Comparison) {})
	if why := deviates(same, of(func(*report.Comparison) {})); why != "" {
		t.Error(why)
	}
	for name, change := range map[string]func(*report.Comparison){
		"fewer": func(d *report.Comparison) { d.Trials = d.Trials[1:] }, "order": func(d *report.Comparison) { slices.Reverse(d.Trials) },
		"seed": func(d *report.Comparison) { d.Trials[1].Seed++ }, "replies": func(d *report.Comparison) { d.Trials[0].Run.Summary.Replies++ },
		"cut": func(d *report.Comparison) { d.Interrupted = true }, "suite": func(d *report.Comparison) { d.Suite.Seed++ },
	} {
		if deviates(of(change), same) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}

// A comparison that is killed, and then interrupted, leaves no server behind, and
// goes on to the document that it would have made at once.
func TestCompareGoesOn(t *testing.T) {
	t.Parallel()
	c := newCompared(t, "")
	want := c.document(t, live(t, c.args()...))
	dir := t.TempDir()
	c.trials, c.saved = filepath.Join(dir, "trials"), filepath.Join(dir, "r.json")
	c.cut(t, syscall.SIGKILL, 5, c.args()...)
	if _, err := os.Stat(c.saved); err == nil {
		t.Error("a document is there before its time")
	}
	r := c.cut(t, syscall.SIGINT, 11, c.args("--resume")...)
	d := c.document(t, r)
	if r.status != 130 || !d.Interrupted || len(d.Trials) != c.files() || len(d.Trials) >= 24 || !strings.Contains(r.stderr, "--resume goes on") {
		t.Errorf("status %d, %d trials of %d files, %s", r.status, len(d.Trials), c.files(), r.stderr)
	}
	r = live(t, c.args("--resume")...)
	if why := deviates(c.document(t, r), want); why != "" {
		t.Errorf("%s\n%s", why, r.stderr)
	}
}

// cut ends a comparison as soon as so many trials are saved.
func (c *compared) cut(t *testing.T, signal syscall.Signal, trials int, args ...string) result {
	t.Helper()
	p := launch(t, args...)
	if !await(liveLimit, func() bool { return c.files() >= trials }) {
		t.Fatalf("%d trials: %s", c.files(), p.stderr)
	}
	status, _ := p.interrupt(t, signal)
	if !c.quiet() {
		t.Fatalf("%v: a server is left", signal)
	}
	return result{status, p.stdout.String(), p.stderr.String()}
}

// A server that cannot be had is told, and the others go on; after two blocks
// without it nobody tries again.
func TestCompareWithoutAServer(t *testing.T) {
	t.Parallel()
	c := newCompared(t, "  - {name: bad, url: 'http://127.0.0.1:1/', start: 'echo x >>starts; echo no luck >&2; exit 3'}\n"+
		"  - {name: gone, missing: not in Debian}\n  - {name: absent, url: 'http://127.0.0.1:1/', start: x, needs: [nosuchprogram]}\n")
	r := live(t, c.args()...)
	d := c.document(t, r)
	if r.status != exitFailed || !strings.Contains(r.stderr, "not all could be made: bad (12)") || len(d.Trials) != 36 || len(lost(d)) != 12 {
		t.Fatalf("status %d, %s, %d trials, %d lost", r.status, r.stderr, len(d.Trials), len(lost(d)))
	}
	if lost := lost(d)[3]; lost.Block != 2 || lost.Server != "bad" || !strings.Contains(lost.Failure, `it says "no luck"`) {
		t.Errorf("%+v", lost)
	}
	for i, want := range []string{"", "", "could not be run: it ended before it was ready (exit status 3)", "not in Debian", "not installed here: needs nosuchprogram"} {
		if got := d.Servers[i].Missing; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: missing %q, want %q", d.Servers[i].Name, got, want)
		}
	}
	if starts := textOf(t, filepath.Join(filepath.Dir(c.suite), "starts")); starts != "x\nx\n" {
		t.Errorf("it was started so often: %q", starts)
	}
}

// A server that ends in a trial takes it along, and the others of its block: that trial
// takes a second, the server lives for less.
func TestCompareServerEnds(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	self, _ := os.Executable()
	c := newCompared(t, fmt.Sprintf("  - name: brief\n    url: http://127.0.0.1:%d/\n    start: exec timeout -s KILL 0.6 env RATEBENCH_TEST_MAIN=1 '%s' serve --listen 127.0.0.1:%d\n", port, self, port))
	text := strings.Replace(textOf(t, c.suite), "total: 5}", "total: 100}", 1)
	if err := os.WriteFile(c.suite, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := live(t, c.args()...)
	d := c.document(t, r)
	counts := map[string]int{}
	for _, trial := range d.Trials {
		if trial.Run != nil {
			counts[trial.Server]++
		}
	}
	ended := func(t report.CompareTrial) bool { return strings.Contains(t.Failure, "it ended") }
	if r.status != exitFailed || counts["one"] != 12 || counts["brief"] != 0 || len(lost(d)) != 12 || !slices.ContainsFunc(lost(d), ended) {
		t.Errorf("status %d, %s: %v, %d lost: %+v", r.status, r.stderr, counts, len(lost(d)), lost(d))
	}
}

func TestCompareNothingRuns(t *testing.T) {
	t.Parallel()
	c := newCompared(t, "")
	taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", c.ports[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	text := textOf(t, c.suite)
	second := strings.LastIndex(text, "    start: ")
	text = text[:second] + "    needs: [nosuchprogram]\n" + text[second:]
	if err := os.WriteFile(c.suite, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := live(t, c.args()...)
	want := fmt.Sprintf("ratebench: nothing could be run\nratebench: one: port %d is in use already, by ratebench.test (pid %d): end it first\n"+
		"ratebench: ../two: not installed here: needs nosuchprogram\n", c.ports[0], os.Getpid())
	if r.status != exitFailed || r.stderr != want || r.stdout != "" {
		t.Errorf("status %d, %s, want %s", r.status, r.stderr, want)
	}
	if _, err := os.Stat(c.saved); err == nil {
		t.Error("an empty document is left")
	}
}

func TestCompareAA(t *testing.T) {
	t.Parallel()
	c := newCompared(t, "")
	r := live(t, c.args("--aa")...)
	d := c.document(t, r)
	if len(d.Servers) != 2 || d.Servers[0].Name != "A" || d.Servers[1].Name != "B" || d.Servers[0].URL != d.Servers[1].URL || !d.Suite.AA || len(d.Trials) != 24 {
		t.Errorf("status %d, %s: %+v, %+v, %d trials", r.status, r.stderr, d.Suite, d.Servers, len(d.Trials))
	}
}

// Trials that the client spoilt are kept as they are; a pair without any other is
// worth an exit status.
func TestCompareInvalid(t *testing.T) {
	dir := t.TempDir()
	server := rawServer(t, "")
	path := filepath.Join(dir, "s.yaml")
	text := "name: n\nrepeat: 6\nquick: {repeat: 6}\nservers: [{name: a, url: '" + server.URL() + "'}]\nloads: [{name: l, rate: 100, total: 200}, {name: m, rate: 500, total: 1000}]\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(dir, "r.json")
	w := &worker{capacity: 1000, client: 300}
	r := against(t, context.Background(), w, "compare", "--quick", "--trials", filepath.Join(dir, "t"), "-o", saved, path)
	if want := "ratebench: every trial INVALID of a at m\n"; r.status != exitInvalid || r.stderr != want {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	d := (&compared{saved: saved}).document(t, r)
	invalid := 0
	for _, trial := range d.Trials {
		if trial.Run.Verdict.Status == record.Invalid {
			invalid++
		}
	}
	if len(w.plans) != 12 || len(d.Trials) != 12 || invalid != 6 {
		t.Errorf("%d runs, %d trials, %d of them INVALID", len(w.plans), len(d.Trials), invalid)
	}
	if seed := w.plans[0].Seed; seed != w.plans[1].Seed || seed == w.plans[2].Seed {
		t.Error("seeds are not the blocks'")
	}
}

func TestCompareUsage(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("name: n\nrepeat: 5\nservers: [{name: a, url: 'http://h/'}]\nloads: [{name: l, rate: 1, total: 1, x: 1}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"none":    {nil, []string{"a suite is missing"}},
		"faults":  {[]string{bad, "--repeat", "3"}, []string{`--repeat "3": want a whole number from 6 to 1000`, bad + ":2:9: repeat 5", bad + `:4:38: load: unknown key "x"`}},
		"absent":  {[]string{filepath.Join(dir, "no.yaml")}, []string{"suite "}},
		"two":     {[]string{bad, bad}, []string{"surplus argument"}},
		"one run": {[]string{filepath.Join("..", "..", "testdata", "runs", "steady.json")}, []string{"a comparison takes two runs or more"}},
		"options": {[]string{"a.json", "--quick", "--aa"}, []string{"--quick goes with a suite", "--aa goes with a suite", "\"a.json\": no such file"}},
	} {
		e := &engine{}
		r := command(t, e, append([]string{"compare"}, c.args...)...)
		lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
		if r.status != exitUsage || len(e.plans) != 0 || len(lines) != len(c.want) {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], "ratebench: "+want) {
				t.Errorf("%s: %s, want %s", name, lines[i], want)
			}
		}
	}
}
