package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// A fakeServer answers all requests of a trial after about the same time.
type fakeServer struct {
	name     string
	response time.Duration
	cpu      float64 // s for each reply
	lost     float64 // share of requests that time out
}

// trial is a run of a fake server whose figures stray by about a per cent.
func (f *fakeServer) trial(l *CompareLoad, r *rand.Rand) *Document {
	rate := l.Rate.String()
	if l.Concurrency > 0 {
		rate = "500"
	}
	s := newSimulation(rate, l.Total)
	s.plan.RequestsPerConnection = l.RequestsPerConnection
	stray := math.Exp(0.01 * r.NormFloat64())
	for n := range s.plan.Total {
		o := s.begin(n)
		if float64(n) < f.lost*float64(s.plan.Total) && l.Overload {
			s.fail(o, o.Due+s.plan.Timeout.Std(), record.ClientTimeout, record.Wait, "timed out")
			continue
		}
		s.reply(o, time.Duration(float64(f.response)*stray), 200)
	}
	d := s.document()
	server := noServer("local")
	server.Name, server.Source = f.name, "process times"
	server.CPUPerReply, server.CPUPerReplyPrecision = record.Number(f.cpu*math.Exp(0.01*r.NormFloat64())), 0.00001
	d.Server, d.Hosts = []Server{server}, []Host{}
	d.Environment.Server.Software = f.name + "/1.0"
	d.Verdict = record.Verdict{Status: record.Valid, Findings: []record.Finding{}}
	return d
}

// pythonSuite is like the comparison of four ways to run a Python application.
func pythonSuite() *Comparison {
	c := &Comparison{Schema: CompareSchema, StartedAt: time.Date(2026, 11, 30, 18, 12, 2, 0, time.UTC), Version: "1.0.0"}
	c.Suite = CompareSuite{
		Name: "Four ways to run a Python application", About: "One page, no database.\nTested on one machine.", Baseline: "paste",
		Rank: "cpu_per_reply", Repeat: 6, Seed: 3, Quick: true, SHA256: strings.Repeat("1a2b3c4d", 8),
	}
	c.Loads = []CompareLoad{
		{Name: "100/s", Total: 100, RequestsPerConnection: 1},
		{Name: "400/s", Total: 200, RequestsPerConnection: 1, Overload: true},
		{Name: "ab -n 100 -c 10", Concurrency: 10, Total: 100},
	}
	c.Loads[0].Rate, _ = plan.ParseRate("100")
	c.Loads[1].Rate, _ = plan.ParseRate("400")
	for _, name := range []string{"paste", "nginx proxy to two Paste servers", "nginx FastCGI", "lighttpd SCGI"} {
		c.Servers = append(c.Servers, CompareServer{Name: name, URL: "http://127.0.0.1:18301/"})
	}
	c.Servers = append(c.Servers, CompareServer{Name: "cherokee SCGI", Missing: "not in Debian since 2013"})
	return c
}

func fakes() []fakeServer {
	ms := func(f float64) time.Duration { return time.Duration(f * 1e6) }
	return []fakeServer{
		{"paste", ms(4.3), 0.00583, 0.33}, {"nginx proxy to two Paste servers", ms(4.9), 0.00525, 0.38},
		{"nginx FastCGI", ms(4.3), 0.00523, 0.3}, {"lighttpd SCGI", ms(5.0), 0.00506, 0.6},
	}
}

// comparison fills a comparison with trials of fakes, in order of blocks.
func comparison(c *Comparison, fakes []fakeServer) *Comparison {
	r := rand.New(rand.NewPCG(c.Suite.Seed, 0))
	for block := 1; block <= c.Suite.Repeat; block++ {
		for i := range fakes {
			for k := range c.Loads {
				t := CompareTrial{Block: block, Place: len(c.Trials) + 1, Server: fakes[i].name, Load: c.Loads[k].Name, Seed: uint64(block)}
				c.AddTrial(t, fakes[i].trial(&c.Loads[k], r))
			}
		}
	}
	AddResults(c)
	return c
}

// invalid makes the trial of a block INVALID, as a busy client does.
func (c *Comparison) invalid(block int, server, load string) {
	for _, t := range c.trialsOf(load, server) {
		if t.Block == block {
			t.Run.Verdict.Add(record.Finding{Code: "send_lag", Text: "late", Value: 1, Limit: 0.1, Status: record.Invalid})
		}
	}
	AddResults(c)
}

// python is a comparison with all that can be the matter with one.
func python() *Comparison {
	c := comparison(pythonSuite(), fakes())
	c.invalid(2, "nginx FastCGI", "400/s")
	for i := range c.Trials {
		if t := &c.Trials[i]; t.Block == 1 && t.Load == "100/s" {
			t.Run.Verdict.Add(record.Finding{Code: "few_samples", Text: "few", Value: 1, Limit: 2, Status: record.Suspect})
		}
	}
	AddResults(c)
	return c
}

func compareGolden(t *testing.T, name string, print func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := print(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, name, b.Bytes())
	return b.Bytes()
}

func TestCompareGoldens(t *testing.T) {
	c := python()
	for _, f := range compareFormats() {
		if f.name == "png" || f.name == "pdf" || f.name == "json" || f.name == "svg" || f.name == "html" {
			continue
		}
		text := compareGolden(t, "compare"+f.ending, func(w io.Writer) error { return f.write(w, c) })
		if f.name != "text" {
			continue
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if width(line) > compareWidth {
				t.Errorf("%d columns wide: %s", width(line), line)
			}
		}
	}
	aa := pythonSuite()
	aa.Suite.AA, aa.Suite.Baseline, aa.Suite.Repeat = true, "A", 10
	aa.Servers = []CompareServer{{Name: "A"}, {Name: "B"}}
	comparison(aa, []fakeServer{{"A", 4e6, 0.005, 0}, {"B", 4e6, 0.005, 0}})
	compareGolden(t, "compare_aa.txt", func(w io.Writer) error { return WriteCompareText(w, aa) })
}

// The page says what the text does, and has a plot of each load.
func TestComparePage(t *testing.T) {
	var b bytes.Buffer
	if err := paged(comparePage)(&b, python()); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.page.txt", []byte(words(t, b.String())))
	if n := strings.Count(b.String(), "<svg"); n != 2*(4+4+4) {
		t.Errorf("%d plots, want 4 a load, once wide and once narrow", n)
	}
	for _, bad := range []string{"http-equiv=\"refresh", "<script", "src="} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// Pictures are made, and the same comparison makes the same.
func TestComparePictures(t *testing.T) {
	c := python()
	for _, f := range compareFormats() {
		var first, again bytes.Buffer
		if err := f.write(&first, c); err != nil || first.Len() == 0 {
			t.Errorf("%s: %d bytes, %v", f.name, first.Len(), err)
		}
		if err := f.write(&again, c); err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("%s: not the same again (%v)", f.name, err)
		}
	}
}

// What is written is read again, with the same results.
func TestCompareJSON(t *testing.T) {
	c := python()
	c.AddTrial(CompareTrial{Block: 6, Place: 99, Server: "paste", Load: "100/s", Failure: "did not start"}, nil)
	AddResults(c)
	var b, again bytes.Buffer
	if err := WriteCompareJSON(&b, c); err != nil {
		t.Fatal(err)
	}
	saved, err := ReadSaved("c.json", bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if saved.Kind() != "comparison" {
		t.Errorf("kind %q", saved.Kind())
	}
	if err := WriteCompareJSON(&again, saved.Comparison); err != nil {
		t.Fatal(err)
	}
	if d := diff("c.json", b.String(), again.String()); d != "" {
		t.Error(d)
	}
	for old, bad := range map[string]string{
		`"server": "paste"`: `"server": "haste"`, `"repeat": 6`: `"repeat": 5`, `"failure": "did not start"`: `"failure": ""`,
		`"rank": "cpu_per_reply"`: `"rank": "beauty"`, `"aa": false`: `"AA": false`, `compare/v1`: `compare/v2`,
	} {
		_, err := ReadSaved("c.json", strings.NewReader(strings.Replace(b.String(), old, bad, 1)))
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "c.json:") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	for _, n := range []int{0, 1, len(b.Bytes()) / 2} { // RC-116
		if _, err := ReadSaved("c.json", bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("cut after %d bytes: no error", n)
		}
	}
}

// results finds one by its names.
func resultOf(t *testing.T, c *Comparison, load, server, metric string) *CompareResult {
	t.Helper()
	r := c.result(load, server, metric)
	if r == nil {
		t.Fatalf("no result of %s %s %s", load, server, metric)
	}
	return r
}

// An INVALID trial is in no figure and takes its block from the pair; with five pairs
// left nothing is claimed, however clear it looks.
func TestCompareInvalid(t *testing.T) {
	c := python()
	r := resultOf(t, c, "400/s", "nginx FastCGI", "cpu_per_reply")
	if r.N != 5 || r.Invalid != 1 || r.Pairs != 5 || r.P.Defined() || r.Differs || r.Low.Defined() {
		t.Errorf("with five pairs: %+v", r)
	}
	if text := c.effectCell(r); text != fewPairs {
		t.Error(text)
	}
	if r := resultOf(t, c, "100/s", "nginx FastCGI", "cpu_per_reply"); r.N != 6 || !r.Differs || r.Suspect != 1 {
		t.Errorf("with six: %+v", r)
	}
	for reason, spoil := range map[string]func(*CompareTrial){
		"INVALID":     func(t *CompareTrial) { t.Run.Verdict.Status = record.Invalid },
		"interrupted": func(t *CompareTrial) { t.Run.Interrupted = true },
		"not made":    func(t *CompareTrial) { t.Run = nil },
		"":            func(t *CompareTrial) { t.Run.Verdict.Status = record.Suspect },
	} {
		trial := c.Trials[len(c.Trials)-1]
		run := *trial.Run
		trial.Run = &run
		if spoil(&trial); trial.lost() != reason {
			t.Errorf("%q, want %q", trial.lost(), reason)
		}
	}
}

// Zeroes, censored values and unknown ones make no NaN in the document and no claim
// that is false (RC-110).
func TestCompareUndefined(t *testing.T) {
	c := python()
	if r := resultOf(t, c, "100/s", "lighttpd SCGI", "errors"); r.Median != 0 || r.Ratio.Defined() || r.Difference != 0 || r.Differs {
		t.Errorf("no errors on either side: %+v", r)
	}
	errors := resultOf(t, c, "400/s", "lighttpd SCGI", "errors")
	if errors.Ratio.Defined() || !(errors.Difference > 0.26 && errors.Difference < 0.28) || !errors.Differs {
		t.Errorf("60 %% of errors against 33 %%: %+v", errors)
	}
	p50 := resultOf(t, c, "400/s", "lighttpd SCGI", "response_p50")
	if p50.Censored != 6 || p50.N != 6 || p50.Ratio.Defined() || c.medianCell(p50) != "> 5 s" || p50.Differs {
		t.Errorf("p50 among timeouts: %+v %s", p50, c.medianCell(p50))
	}
	for i := range c.Trials {
		for k := range c.Trials[i].Run.Server {
			c.Trials[i].Run.Server[k].CPUPerReply = record.Undefined()
		}
	}
	AddResults(c)
	cpu := resultOf(t, c, "100/s", "lighttpd SCGI", "cpu_per_reply")
	if cpu.N != 0 || cpu.Group != 0 || cpu.Differs || c.effectCell(cpu) != "n/a" || c.medianCell(cpu) != "n/a" {
		t.Errorf("CPU that is not known: %+v", cpu)
	}
	for _, f := range compareFormats() {
		var b bytes.Buffer
		if err := f.write(&b, c); err != nil || strings.Contains(b.String(), "NaN") && f.name != "png" && f.name != "pdf" {
			t.Errorf("%s: NaN or %v", f.name, err)
		}
	}
}

// With nothing, or one server, or a baseline that has no trials, every format is
// written.
func TestCompareLittle(t *testing.T) {
	empty := pythonSuite()
	AddResults(empty)
	alone := pythonSuite()
	alone.Servers = alone.Servers[2:3]
	comparison(alone, fakes()[2:3])
	for name, c := range map[string]*Comparison{"empty": empty, "alone": alone} {
		for _, f := range compareFormats() {
			var b bytes.Buffer
			if err := f.write(&b, c); err != nil {
				t.Errorf("%s as %s: %v", name, f.name, err)
			}
		}
	}
	if r := resultOf(t, alone, "100/s", "nginx FastCGI", "cpu_per_reply"); r.Pairs != 0 || r.Differs || r.Group != 1 {
		t.Errorf("without a baseline: %+v", r)
	}
}

// Hostile names are shown, not obeyed.
func TestCompareHostile(t *testing.T) {
	c := pythonSuite()
	f := fakes()[:1]
	f[0].name = "<script>\x1b[31m|`x`"
	c.Suite.Name, c.Suite.Baseline, c.Servers[0].Name = f[0].name, f[0].name, f[0].name
	comparison(c, f)
	for _, format := range []string{"text", "markdown", "html", "svg"} {
		write, err := CompareFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, c); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\x1b") || format != "text" && strings.Contains(b.String(), "<script>") && !strings.Contains(b.String(), "\\<script") {
			t.Errorf("%s obeys", format)
		}
	}
}

func TestCompareFormats(t *testing.T) {
	if _, err := CompareFormat("hdr"); err == nil || !strings.Contains(err.Error(), "markdown") {
		t.Error(err)
	}
	if _, err := CompareFormatOf(filepath.Join("x", "y.MD")); err != nil {
		t.Error(err)
	}
	if _, err := CompareFormatOf("y"); err == nil {
		t.Error("no error for a file without an ending")
	}
}

func TestRatioText(t *testing.T) {
	for f, want := range map[float64]string{
		0.93: "0.93", 1.004: "1.004", 0.997: "0.997", 1: "1.000", 1.02: "1.02", 12.34: "12.3", 345: "345", 0.0123: "0.012", math.NaN(): "n/a",
	} {
		if got := ratioText(record.Number(f)); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}

// One run each tells nothing; six of each do.
func TestCompareSaved(t *testing.T) {
	load := &pythonSuite().Loads[0]
	r := rand.New(rand.NewPCG(5, 5))
	runs := func(n int) (all []*Document, names []string) {
		for i := range n {
			for k, f := range fakes()[:2] {
				d := f.trial(load, r)
				d.Plan.URL = fmt.Sprintf("http://127.0.0.1:%d/", 8080+k)
				all, names = append(all, d), append(names, fmt.Sprintf("%c-%d.json", 'a'+k, i+1))
			}
		}
		return all, names
	}
	for _, n := range []int{1, 6} {
		name := map[int]string{1: "compare_two.txt", 6: "compare_twelve.txt"}[n]
		all, names := runs(n)
		c, err := CompareSaved(all, names)
		if err != nil || len(c.Sides) != 2 {
			t.Fatalf("%d sides, %v", len(c.Sides), err)
		}
		compareGolden(t, name, func(w io.Writer) error { return WriteSavedText(w, c) })
		for _, d := range all {
			d.Plan.URL = "http://127.0.0.1:8080/"
		}
		if c, _ = CompareSaved(all, names); len(c.Sides) != 2 {
			t.Errorf("%d sides of one plan by name, want 2", len(c.Sides))
		}
	}
	all, _ := runs(1)
	for _, names := range [][]string{{"a"}, nil} {
		if _, err := CompareSaved(all, names); err == nil {
			t.Errorf("%d names for two runs: no error", len(names))
		}
	}
	if _, err := CompareSaved(all[:1], []string{"a"}); err == nil {
		t.Error("one run: no error")
	}
}
