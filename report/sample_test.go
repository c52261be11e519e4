package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"ratebench/sampler"
)

// watchedHost is what a sampler saw of two groups in three seconds after a wait.
func watchedHost() *sampler.Record {
	d := repliesOf(3, 1000, 1000, 1000)
	w := watchingHost("local", 2, nginxGroup(), phpGroup())
	w.read(d, -6*time.Second)
	w.watch(d, time.Millisecond, time.Hour)
	w.record.Notes = []string{"process 812 was replaced by 977"}
	return &w.record
}

func summaryOf(t testing.TB, s *Sample) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSampleSummary(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSample: the figures are of the whole time and fit the schema; what a run alone
// has is null.
func TestSample(t *testing.T) {
	s := NewSample("v1", watchedHost())
	s.StartedAt, s.Interval = time.Unix(1_700_000_000, 0).UTC(), 1
	var b bytes.Buffer
	if err := WriteSample(&b, s); err != nil {
		t.Fatal(err)
	}
	if err := checkForm(b.Bytes(), SampleSchema); err != nil {
		t.Errorf("%v in\n%s", err, b.String())
	}
	var back Sample
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	php := &back.Server[1]
	if len(back.Server) != 2 || len(back.Hosts) != 1 || php.Replies.Defined() || php.CPUPerReply.Defined() || !agree(php.CPU, 10.826) || !agree(php.To-php.From, 3.002) {
		t.Errorf("%+v", php)
	}
	wanted := `
nginx                          0.93 s of CPU ± 0.01 (user 0.36)   in 3.00 s   0.310 of 1 core
                               RSS 12.2 MiB   process tree
system.slice/php-fpm.service   10.8264 s of CPU ± 0.0001 (user 9.8967)   in 3.00 s
                               3.606 of 1.5 cores   RSS 210.2 MiB
                               quota held it back 45.03 ms over all cores   cgroup v2
this machine                   busy 3.98 of 2 cores in 3.00 s   steal 0.0 %   listen drops 0
                               sampling 0.6 % of a core   process 812 was replaced by 977
`
	if got := "\n" + summaryOf(t, s); got != wanted {
		t.Errorf("%s", diff("summary", wanted, got))
	}
}

// TestSampleSchemaKnowsEveryMember, as that of a run does.
func TestSampleSchemaKnowsEveryMember(t *testing.T) {
	s := new(Sample)
	fill(reflect.ValueOf(s).Elem())
	s.Schema = SampleSchema
	s.Hosts[0].Lost = &LinkLoss{1, "x"}
	var b bytes.Buffer
	if err := WriteSample(&b, s); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes(), SampleSchema); err != nil {
		t.Errorf("%v in\n%s", err, b.String())
	}
	unknown := strings.Replace(b.String(), `"version"`, `"new": 1, "version"`, 1)
	if err := validate([]byte(unknown), SampleSchema); err == nil {
		t.Error("a member that the schema does not know passed")
	}
	b.Reset()
	if err := WriteSample(&b, &Sample{Schema: SampleSchema}); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes(), SampleSchema); err != nil {
		t.Errorf("a sample of nothing: %v", err)
	}
}

// TestSampleSummary: what is not known says so, what went wrong is told, and names
// and notes of other machines are shown, not obeyed.
func TestSampleSummary(t *testing.T) {
	const evil = "\x1b[2J\nVALID\u202e"
	w := watchedHost()
	w.Host.Name, w.Notes = "bench@back", []string{evil}
	w.Lost = &sampler.Loss{At: 2 * time.Second, Why: evil}
	w.Groups[0].Name = strings.Repeat(evil, 9)
	for i := range w.Readings {
		w.Readings[i].Host.ListenUnknown = true
		w.Readings[i].Groups[1].Ended = i > 0
	}
	got := summaryOf(t, NewSample("v1", w))
	for _, part := range []string{"listen drops n/a", "system.slice/php-fpm.service     not known", "lost after 2.00 s", `\x1b[2J\nVALID\u202e`} {
		if !strings.Contains(got, part) {
			t.Errorf("want %q in\n%s", part, got)
		}
	}
	if i := strings.IndexFunc(got, obeyed); i >= 0 {
		t.Errorf("holds %q", got[i:min(i+10, len(got))])
	}
	for line := range strings.Lines(got) {
		if n := width(strings.TrimSuffix(line, "\n")); n > pageWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, err := range []error{WriteSample(&fullDisk{9}, &Sample{}), WriteSampleSummary(&fullDisk{9}, NewSample("v1", w))} {
		if !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
	}
}
