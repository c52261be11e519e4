package report

import (
	"math"
	"testing"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// twoServers are a server of 10 ms a reply and one of 20, each off by 0.3 ms for its
// CPU time and by 0.4 ms for the replies.
func twoServers() *Document {
	each := Server{Name: "front", Host: "local", Source: sampler.SourceTree, CPU: 1, Precision: 0.03, Cores: 0.5, Replies: 100,
		CPUPerReply: 0.01, CPUPerReplyPrecision: 0.0005}
	other := each
	other.Name, other.CPU, other.CPUPerReply = "back", 2, 0.02
	return &Document{Server: []Server{each, other}}
}

// TestPrecisionOfSum: errors of CPU times add up by their squares, those of the
// replies that all are divided by as they are.
func TestPrecisionOfSum(t *testing.T) {
	d := twoServers()
	cpu, within := CPUPerReply(d)
	want(t, "two", map[string][2]record.Number{
		"CPU": {cpu, 0.03}, "precision": {within, record.Number(math.Sqrt(2*0.0003*0.0003 + 0.0008*0.0008))},
	})
	d.Server = d.Server[:1]
	_, within = CPUPerReply(d)
	want(t, "one", map[string][2]record.Number{"precision": {within, 0.0005}})
	d.Server[0].CPUPerReplyPrecision = 0.0003 * (1 - 1e-12) // its replies are exact
	_, within = CPUPerReply(d)
	want(t, "exact replies", map[string][2]record.Number{"precision": {within, 0.0003}})
}

// TestPartsCountOnce: processes that two selections name are in sums once.
func TestPartsCountOnce(t *testing.T) {
	d := twoServers()
	d.Server[1].Within = "front"
	cpu, within := CPUPerReply(d)
	want(t, "a part", map[string][2]record.Number{"CPU": {cpu, 0.01}, "precision": {within, 0.0005}, "cores": {serverCores(d), 0.5}})
	if names := serverNames(d); names != "front" {
		t.Errorf("sums of %q", names)
	}
	run := repliesOf(3, 100, 100, 100)
	part := nginxGroup()
	part.info.Name, part.info.Within = "worker", "nginx"
	AddServers(run, []*sampler.Record{watchingHost("local", 2, nginxGroup(), part).watch(run, time.Millisecond, time.Hour)})
	if s := run.Server; len(s) != 2 || s[0].Within != "" || s[1].Within != "nginx" {
		t.Errorf("%d servers: %+v", len(s), s)
	}
	want(t, "a second", map[string][2]record.Number{"cores": {run.Intervals[1].ServerCPU, 0.031}})
}

// TestOneHostTwice: a server that is watched by two ways counts once, and is none of
// the host's others either way; one of another identity, or of none, counts.
func TestOneHostTwice(t *testing.T) {
	for identities, wantCores := range map[[2]string]record.Number{{"a", "a"}: 0.031, {"a", "b"}: 0.062, {"", ""}: 0.062} {
		run := repliesOf(3, 100, 100, 100)
		var watched []*sampler.Record
		for i, host := range []string{"local", "web1"} {
			one := nginxGroup()
			one.info.Identity = identities[i]
			watched = append(watched, watchingHost(host, 2, one).watch(run, time.Millisecond, time.Hour))
		}
		AddServers(run, watched)
		want(t, identities[0]+identities[1], map[string][2]record.Number{
			"cores":  {run.Intervals[1].ServerCPU, wantCores},
			"others": {run.Hosts[1].others(&run.Client, run.Server[1:]), run.Hosts[1].Busy - run.Server[1].Cores},
		})
		if watched[1].Groups[0].Within != "" {
			t.Error("the record was changed")
		}
	}
}

// TestSumsThatAreNotKnown: of nothing, and of figures that are not all known.
func TestSumsThatAreNotKnown(t *testing.T) {
	u := record.Undefined()
	half := twoServers()
	half.Server[1] = noServer("bench@tiny")
	for what, d := range map[string]*Document{"none": {}, "half": half} {
		cpu, within := CPUPerReply(d)
		want(t, what, map[string][2]record.Number{"CPU": {cpu, u}, "precision": {within, u}, "cores": {serverCores(d), u}})
	}
}
