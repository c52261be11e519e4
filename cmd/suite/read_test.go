package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

const whole = `name: Four ways
about: |
  Two lines
  of text.
baseline: paste
rank: response_p99
repeat: 8
seed: 3
warmup: 2s
timeout: 4
expect: {status: 200, bytes: 5, contains: "ell"}
quick: {repeat: 6, warmup: 200ms}
servers:
  - name: gone
    missing: no such program
  - name: paste
    url: http://127.0.0.1:18301/
    start: exec python3 paste.py 18301
    needs: [python3, /bin/sh]
    process: [":18301", "nginx"]
  - name: other
    url: http://127.0.0.1:18302/
    expect: {status: 201}
loads:
  - name: 100/s
    rate: 100
    total: 10000
    quick: {total: 60, rate: 200}
  - name: ab -n 1000 -c 10
    concurrency: 10
    total: 1000
    requests_per_connection: 0
  - name: flood
    rate: 0.5/s
    duration: 1m
    overload: true
    deadline: 1s
    arrivals: poisson
`

func TestParse(t *testing.T) {
	s, err := Parse("x.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	paste, flood := s.Servers[1], s.Loads[2]
	switch {
	case s.Name != "Four ways", s.About != "Two lines\nof text.", s.Baseline != "paste", s.Rank != "response_p99", s.Repeat != 8, s.Seed != 3:
		t.Errorf("%+v", s)
	case s.Warmup != plan.Seconds(2*time.Second), s.Timeout != plan.Seconds(4*time.Second), len(s.SHA256) != 64:
		t.Errorf("%+v", s)
	case len(s.Servers) != 3, s.Servers[0].Missing == "", len(paste.Needs) != 2, len(paste.Process) != 2, *paste.Expect.Bytes != 5:
		t.Errorf("%+v", s.Servers)
	case s.Servers[2].Expect.Status != 201, s.Servers[2].Expect.Bytes != nil:
		t.Errorf("its own expectation does not replace the suite's: %+v", s.Servers[2].Expect)
	case s.Loads[0].Rate.PerSecond() != 100, s.Loads[0].RequestsPerConnection != 1, s.Loads[1].Concurrency != 10, s.Loads[1].RequestsPerConnection != 0:
		t.Errorf("%+v", s.Loads)
	case !flood.Overload, flood.Duration != plan.Seconds(time.Minute), flood.Deadline != plan.Seconds(time.Second), flood.Arrivals != plan.Poisson:
		t.Errorf("%+v", flood)
	}
	q := s.Quick()
	if q.Repeat != 6 || q.Warmup != plan.Seconds(200*time.Millisecond) || q.Loads[0].Total != 60 || q.Loads[0].Rate.PerSecond() != 200 || q.Loads[1].Total != 1000 || !q.IsQuick {
		t.Errorf("quick: %+v", q)
	}
	if s.Repeat != 8 || s.Loads[0].Total != 10000 {
		t.Error("quick changed the suite that it was made of")
	}
	aa := s.AA()
	if len(aa.Servers) != 2 || aa.Servers[0].Name != "A" || aa.Servers[1].Name != "B" || aa.Servers[1].Start != paste.Start || aa.Baseline != "A" {
		t.Errorf("A/A: %+v", aa.Servers)
	}
}

// The first server that is run is the baseline unless the suite says otherwise.
func TestDefaults(t *testing.T) {
	s, err := Parse("x", []byte("name: n\nservers: [{name: gone, missing: why}, {name: a, url: 'http://h/'}]\nloads: [{name: l, rate: 1, total: 1}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Baseline != "a" || s.Rank != "cpu_per_reply" || s.Repeat != 10 || s.Seed != 1 || s.Timeout != plan.DefaultTimeout || s.Warmup != 0 {
		t.Errorf("%+v", s)
	}
}

// unlike says how the lines of err differ from want, which is parts that each line
// in turn has to begin with; empty if they do not.
func unlike(err error, want ...string) string {
	if err == nil {
		return "is taken"
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		return "is refused otherwise:\n" + err.Error()
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			return "says " + lines[i] + ", want " + want[i]
		}
	}
	return ""
}

// with is the whole suite with one text in place of another, which must be there.
func replaced(t *testing.T, pairs ...string) string {
	t.Helper()
	text := whole
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in the suite", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"few blocks":      {replaced(t, "repeat: 8", "repeat: 5"), []string{"x:7:9: repeat 5: want 6 to 1000"}},
		"few quick":       {replaced(t, "repeat: 6", "repeat: 2"), []string{"x:12:17: repeat 2"}},
		"unknown key":     {replaced(t, "seed: 3", "sead: 3"), []string{`x:8:1: suite: unknown key "sead": want about, `}},
		"unknown deep":    {replaced(t, "overload: true", "overlaod: true"), []string{`x:36:5: load: unknown key "overlaod"`}},
		"unknown in flow": {replaced(t, "{total: 60,", "{totl: 60,"), []string{`x:28:13: quick: unknown key "totl"`}},
		"duplicate":       {replaced(t, "seed: 3", "repeat: 9"), []string{"x:8:1: suite: repeat is given twice, before on line 7"}},
		"baseline":        {replaced(t, "baseline: paste", "baseline: past"), []string{`x:5:11: baseline "past": is no server's name`}},
		"missing base":    {replaced(t, "baseline: paste", "baseline: gone"), []string{`x:5:11: baseline "gone": is missing`}},
		"same server":     {replaced(t, "name: other", "name: paste"), []string{`x:21:11: name "paste": is another server's too`}},
		"same load":       {replaced(t, "name: flood", "name: 100/s"), []string{`x:33:11: name "100/s": is another load's too`}},
		"both loops":      {replaced(t, "    concurrency: 10\n", "    concurrency: 10\n    rate: 5\n"), []string{"x:30:18: load \"ab -n 1000 -c 10\": has a rate"}},
		"no loop":         {replaced(t, "    concurrency: 10\n", ""), []string{"x:29:5: load \"ab -n 1000 -c 10\": want rate or concurrency"}},
		"no end":          {replaced(t, "    duration: 1m\n", ""), []string{"x:33:5: load \"flood\": want total or duration"}},
		"zero":            {replaced(t, "total: 1000\n", "total: 0\n"), []string{"x:31:12: total 0: must be above 0"}},
		"types": {replaced(t, "repeat: 8", "repeat: [8]", "seed: 3", "seed: x", "overload: true", "overload: 1", "rate: 100", "rate: fast", "name: other", "name: {a: b}"),
			[]string{"x:7:9: repeat: want a whole number, not a list", `x:8:7: seed: "x": want a whole number`, `x:21:11: name: want a text, not a mapping`, "x:26:11: rate: \"fast\" is not a rate", `x:36:15: overload: want true or false, not "1"`}},
		"no list":      {"name: n\nservers: 1\nloads: []\n", []string{"x:2:10: servers: want a list", "x:3:8: loads: there is none"}},
		"only missing": {"name: n\nservers: [{name: a, missing: b}]\nloads: [{name: l, rate: 1, total: 1}]\n", []string{"x:2:10: servers: every one of them is missing"}},
		"quick loop":   {replaced(t, "rate: 200}", "concurrency: 2}"), []string{"x:28:37: quick: a concurrency cannot replace a rate"}},
		"url":          {replaced(t, "http://127.0.0.1:18302/", "127.0.0.1:18302"), []string{"x:22:10: url: "}},
		"password":     {replaced(t, "http://127.0.0.1:18302/", "http://u:p@127.0.0.1/"), []string{"x:22:10: url: must not hold a user or password"}},
		"process":      {replaced(t, `[":18301"`, `[":x"`), []string{`x:20:15: process: ":x"`}},
		"twice":        {replaced(t, `"nginx"`, `":18301"`), []string{"x:20:14: process :18301: is given twice"}},
		"needs":        {replaced(t, "/bin/sh", "./sh"), []string{`x:19:12: needs "./sh"`}},
		"stop alone":   {replaced(t, "    expect: {status: 201}", "    stop: x"), []string{"x:23:11: stop: goes with start"}},
		"control":      {replaced(t, "name: other", `name: "a\e[2J"`), []string{`x:21:11: name "a\x1b[2J": holds what cannot be printed`}},
		"long name":    {replaced(t, "name: other", "name: "+strings.Repeat("x", 61)), []string{`x:21:11: name "xxx`}},
		"status":       {replaced(t, "status: 201", "status: 20"), []string{"x:23:22: status 20: want 100 to 599"}},
		"deadline":     {replaced(t, "deadline: 1s", "deadline: 9s"), []string{"x:37:15: deadline 9s"}},
		"negative":     {replaced(t, "warmup: 2s", "warmup: -2s"), []string{"x:9:9: warmup"}},
		"priority":     {replaced(t, "rank: response_p99", "priority: low"), []string{`x:6:11: priority "low": want auto, normal, high`}},
		"concurrency":  {replaced(t, "concurrency: 10\n", "concurrency: 20000\n"), []string{`x:29:5: load "ab -n 1000 -c 10": --concurrency 20000: is more than --max-connections 10000`}},
		"rank":         {replaced(t, "rank: response_p99", "rank: speed"), []string{`x:6:7: rank "speed": want cpu_per_reply, `}},
		"anchors":      {replaced(t, "seed: 3", "seed: &a 3"), []string{"x:8:7: seed: want a whole number, not below 0, not an anchor"}},
		"merge":        {replaced(t, "expect: {status: 201}", "<<: {status: 201}"), []string{"x:23:5: server: keys cannot be merged"}},
		"tabs":         {"name: x\nservers:\n\t- name: a\n", []string{"x:3:1: no YAML: found character '\\t' that cannot start any token: YAML is indented with blanks"}},
		"cut":          {"a: [1\nb: 2\n", []string{"x:2:1: no YAML: "}},
		"two":          {"a: 1\n---\nb: 2\n", []string{"x:1:1: want one YAML document, found 2"}},
		"empty":        {"", []string{"x:1:1: want one YAML document, found 0"}},
		"a list":       {"- 1\n", []string{"x:1:1: suite: want a mapping"}},
		"not UTF-8":    {"name: \xff\n", []string{"x: is not UTF-8"}},
		"long":         {strings.Repeat("#\n", maxFile), []string{"x: longer than 65536 bytes"}},
	} {
		_, err := Parse("x", []byte(c.text))
		if why := unlike(err, c.want...); why != "" {
			t.Errorf("%s %s", name, why)
		}
	}
}

type textError string

func (e textError) Error() string { return string(e) }

func TestUnlikeTellsADifference(t *testing.T) {
	err := textError("a b\nc d")
	if why := unlike(err, "a", "c"); why != "" {
		t.Error(why)
	}
	if unlike(nil, "a") == "" || unlike(err, "a") == "" || unlike(err, "a", "x") == "" || unlike(err, "a", "c", "e") == "" {
		t.Error("another error passes")
	}
}

// What unfolds to much more than it is, and what nests deep, is refused in the time
// that its size allows.
func TestBombs(t *testing.T) {
	lol := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 10; i++ {
		n, before := string(rune('0'+i)), string(rune('0'+i-1))
		lol += "a" + n + ": &a" + n + " [" + strings.Repeat("*a"+before+",", 9) + "*a" + before + "]\n"
	}
	for name, text := range map[string]string{
		"billion laughs": lol, "brackets": strings.Repeat("[", 8000), "braces": strings.Repeat("{a: ", 2000), "dashes": strings.Repeat("- ", 8000),
		"self": "a: &a [*a]\n",
	} {
		began := time.Now()
		if _, err := Parse("x", []byte(text)); err == nil {
			t.Errorf("%s: is taken", name)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.ReplaceAll(whole, "\n", "\r\n"))
	s, err := Read(path)
	if err != nil || s.Directory != dir {
		t.Errorf("%v: %+v", err, s)
	}
	write(replaced(t, "seed: 3", "directory: nowhere"))
	if _, err = Read(path); unlike(err, path+":8:12: directory ") != "" {
		t.Error(err)
	}
	write(strings.Repeat("# ten MB!\n", 1<<20))
	if _, err = Read(path); unlike(err, path+": longer than") != "" {
		t.Error(err)
	}
	if _, err = Read(filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// Every suite that comes with ratebench can be run.
func TestSuitesInTestdata(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/suites/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no suites: %v", err)
	}
	for _, path := range paths {
		s, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, made := range []*Suite{s, s.Quick(), s.AA()} {
			if err := made.Validate(); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, trial := range made.Trials() {
				if made.Servers[trial.Server].Missing == "" && made.Plan(trial).Validate() != nil {
					t.Errorf("%s: %v", path, made.Plan(trial).Validate())
				}
			}
		}
		if !slices.ContainsFunc(s.Servers, func(v Server) bool { return v.Missing == "" }) {
			t.Errorf("%s: nothing to run", path)
		}
	}
}
