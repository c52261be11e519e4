package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// TestImpreciseFigure: CPU time that may be wrong by all of itself makes no ratio,
// fills no core, and is said to be unknown.
func TestImpreciseFigure(t *testing.T) {
	d := repliesOf(5, 20, 20, 20, 20, 20)
	d.Plan = loadRun(t, "steady").Plan
	g := nginxGroup()
	g.precision = 20 * time.Second
	g.user, g.system = 25*time.Millisecond, 22*time.Millisecond // 0.94 cores
	AddServers(d, []*sampler.Record{watchingHost("local", 2, g).watch(d, time.Millisecond, time.Hour)})
	s, u := &d.Server[0], record.Undefined()
	want(t, "nginx", map[string][2]record.Number{
		"per reply": {s.CPUPerReply, u}, "its precision": {s.CPUPerReplyPrecision, u}, "CPU": {s.CPU, 2.82}, "precision": {s.Precision, 20},
	})
	if codes := findingCodes(d); codes != "server_precision" {
		t.Errorf("findings %q: %+v", codes, d.Verdict.Findings)
	}
	if got := text(t, d); !strings.Contains(got, "3 s of CPU ± 20") || strings.Contains(got, "ms/reply") {
		t.Errorf("want the CPU time alone in\n%s", got)
	}
}

// TestLinkLostAtOnce: a moment of a run is no figure of it.
func TestLinkLostAtOnce(t *testing.T) {
	d := repliesOf(10, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100)
	w := watchingHost("bench@back", 2, nginxGroup()).watch(d, time.Millisecond, 500*time.Millisecond)
	w.Readings[1].Groups[0].CPU = 40 * time.Millisecond // in 41 ms
	w.Lost = &sampler.Loss{At: w.Readings[1].At, Why: "no answer for 5s"}
	AddServers(d, []*sampler.Record{w})
	s, h, u := &d.Server[0], &d.Hosts[0], record.Undefined()
	want(t, "lost", map[string][2]record.Number{"CPU": {s.CPU, u}, "cores": {s.Cores, u}, "from": {s.From, u}, "replies": {s.Replies, u}, "busy": {h.Busy, u}})
	if codes := findingCodes(d); codes != "link_lost" {
		t.Errorf("findings %q: %+v", codes, d.Verdict.Findings)
	}
}

// TestHostileCounters: what falls has not grown, what no machine has is not known,
// and the document fits its schema.
func TestHostileCounters(t *testing.T) {
	d := repliesOf(5, 100, 100, 100, 100, 100)
	w := watchingHost("bench@back", 2, nginxGroup(), phpGroup()).watch(d, time.Millisecond, time.Hour)
	for i := range w.Readings {
		r, fall := &w.Readings[i], -time.Duration(i)*time.Second
		r.Host.Busy, r.Host.Interrupts, r.Host.Steal = fall, fall, fall
		r.Host.Sent, r.Host.ListenDrops = uint64(9-i), uint64(i)*(math.MaxUint64/8)
		r.Groups[0].User, r.Groups[0].Throttled, r.Groups[0].RSS = fall, fall, math.MaxInt64
		r.Groups[1].CPU = time.Duration(i) * 2 * time.Hour
	}
	w.Cost.CPU = -time.Second
	AddServers(d, []*sampler.Record{w})
	s, mad, h, u := &d.Server[0], &d.Server[1], &d.Hosts[0], record.Undefined()
	want(t, "falling", map[string][2]record.Number{
		"busy": {h.Busy, 0}, "interrupts": {h.Interrupts, 0}, "steal": {h.Steal, 0}, "sampled steal": {h.Samples[1].Steal, 0},
		"sent": {h.Sent, 0}, "throttled": {s.Throttled, 0}, "sampled": {s.Samples[1].Throttled, 0}, "sampler": {h.SamplerCPU, 0},
	})
	want(t, "beyond sense", map[string][2]record.Number{
		"drops": {h.Drops, u}, "user": {s.CPUUser, u}, "RSS": {s.RSSPeak, u}, "sampled RSS": {s.Samples[1].RSS, u},
		"CPU": {mad.CPU, u}, "cores": {mad.Cores, u}, "per reply": {mad.CPUPerReply, u}, "sampled": {mad.Samples[1].Cores, u},
	})
	checkServers(t, s, mad, h)
	if checkSample(t, &Server{CPU: -1}) == nil {
		t.Error("negative CPU time passed the schema")
	}
}

func checkServers(t *testing.T, s, mad *Server, h *Host) {
	t.Helper()
	sample := &Sample{Schema: SampleSchema, Server: []Server{*s, *mad}, Hosts: []Host{*h}}
	var b bytes.Buffer
	if err := WriteSample(&b, sample); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes(), SampleSchema); err != nil {
		t.Error(err)
	}
}

func checkSample(t *testing.T, s *Server) error {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSample(&b, &Sample{Schema: SampleSchema, Server: []Server{*s}}); err != nil {
		t.Fatal(err)
	}
	return validate(b.Bytes(), SampleSchema)
}

// TestBusyByOthers: what keeps the host busy beside the servers and the client.
func TestBusyByOthers(t *testing.T) {
	d := repliesOf(5, 1000, 1000, 1000, 1000, 1000)
	d.Client.Cores, d.Client.CPUs = 0.05, []int{0, 1}
	part := nginxGroup()
	part.info.Within = "nginx"
	w := watchingHost("local", 2, nginxGroup(), part).watch(d, time.Millisecond, time.Hour)
	for i := range w.Readings {
		w.Readings[i].Host.Busy = w.Readings[i].At * 199 / 100
	}
	AddServers(d, []*sampler.Record{w})
	if f := d.Verdict.Findings; len(f) != 1 || f[0].Text != "this machine was busy 1.99 of 2 cores, 1.63 of it by neither the watched servers nor the client" {
		t.Errorf("%+v", f)
	}
}

// TestNotWatched: a quiet line that leaves the run valid.
func TestNotWatched(t *testing.T) {
	d := loadRun(t, "steady")
	NotWatched(d, "its processes are another user's")
	got := text(t, d)
	if !strings.Contains(got, "\nVALID\n") || !strings.Contains(got, "\nserver cpu   server not watched: its processes are another user's\n") {
		t.Errorf("want a quiet line in\n%s", got)
	}
}

// TestNamesAreText: names that are not UTF-8 read back as they are printed, and none
// has a control character in a CSV.
func TestNamesAreText(t *testing.T) {
	d := repliesOf(5, 100, 100, 100, 100, 100)
	g := nginxGroup()
	g.info.Name = "a\xff\nb"
	w := watchingHost("local", 2, g).watch(d, time.Millisecond, time.Hour)
	w.Notes, w.Lost, w.Host.Kernel = []string{"\xfe"}, &sampler.Loss{Why: "\xfd"}, "é\ufffd"
	AddServers(d, []*sampler.Record{w})
	Unwatched(d, "\xfc", "\xfb")
	written, err := json.Marshal([]any{d.Server[0].Name, d.Hosts[0].Notes, d.Hosts[0].Lost.Why, d.Hosts[0].Kernel, d.Server[1].Host})
	if want := `["a\\xff\nb",["\\xfe"],"\\xfd","é` + "\ufffd" + `","\\xfc"]`; string(written) != want || err != nil {
		t.Errorf("%s, want %s (%v)", written, want, err)
	}
	if names := serverNames(d); names != `a\xff\nb; \xfc` {
		t.Errorf("names %q", names)
	}
}

// TestLongNotes are broken, not cut.
func TestLongNotes(t *testing.T) {
	note := strings.Repeat("word ", 30) + "end"
	var b bytes.Buffer
	writeLine(&b, "server host", "short", note, "after")
	if got := strings.Join(strings.Fields(b.String()), " "); got != "server host short "+note+" after" {
		t.Errorf("%s", b.String())
	}
	for line := range strings.Lines(b.String()) {
		if n := width(strings.TrimSuffix(line, "\n")); n > pageWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestReadSample: what WriteSample wrote is read and printed as it was.
func TestReadSample(t *testing.T) {
	s := NewSample("v1", watchedHost())
	s.StartedAt = time.Unix(1_700_000_000, 0).UTC()
	var b bytes.Buffer
	if err := WriteSample(&b, s); err != nil {
		t.Fatal(err)
	}
	saved, err := ReadSaved("s", &b)
	if err != nil || saved.Sample == nil || saved.Kind() != "sample" {
		t.Fatalf("%+v, %v", saved, err)
	}
	if got := summaryOf(t, saved.Sample); got != summaryOf(t, s) {
		t.Errorf("%s", diff("summary", summaryOf(t, s), got))
	}
	if _, err := SampleFormat("csv"); err == nil || err.Error() != `format "csv": want text or json for a sample` {
		t.Error(err)
	}
	if _, err := SampleFormatOf("a.json"); err != nil {
		t.Error(err)
	}
}
