package report

import (
	"strings"
	"testing"

	"ratebench/attack/record"
)

// TestWithPrecision: every number to the digit that the precision reaches, and a
// precision is never rounded down.
func TestWithPrecision(t *testing.T) {
	u := float64(record.Undefined())
	for want, c := range map[string][3]float64{
		"5.10 ms/reply ± 0.02 (user 3.12)":       {0.0051, 0.00002, 0.00312},
		"5.10 ms/reply ± 0.03":                   {0.0051, 0.000021, u},
		"0.3100 ms/reply ± 0.0006 (user 0.1200)": {0.00031, 0.0000006, 0.00012},
		"1.2346 ms/reply ± 0.0001":               {0.00123456, 1e-9, u}, // no more digits than these
		"12 ms/reply ± 4":                        {0.0123, 0.0034, u},
		"1 234 ms/reply ± 21":                    {1.234, 0.0204, u},
		"1.235 ms/reply":                         {0.0012346, 0, u},
		"0.4 ms/reply ± 0.1 (user 0.2)":          {0.00042, 0.0001, 0.0002},
	} {
		if got := withPrecision(c[0], c[1], c[2], 1e3, "ms/reply"); got != want {
			t.Errorf("%v: %q, want %q", c, got, want)
		}
	}
}

func TestServerItems(t *testing.T) {
	base := loadRun(t, "local-nginx").Server[0]
	for want, change := range map[string]func(*Server){
		"2 × nginx   0.062 of 1 core   0.310 ms/reply ± 0.006 (user 0.120)   RSS 12.2 MiB": func(*Server) {},
		"nginx   0.062 of 0.5 cores   0.310 ms/reply ± 0.006 (user 0.120)":                 func(s *Server) { s.Processes, s.Available, s.RSSPeak = 1, 0.5, record.Undefined() },
		"2 × nginx on bench@host   0.062 cores   0.310 ms/reply ± 0.006   RSS 12.2 MiB": func(s *Server) {
			s.Host, s.Available, s.CPUUser = "bench@host", record.Undefined(), record.Undefined()
		},
		"nginx: not known":                                        func(s *Server) { s.CPU, s.Processes = record.Undefined(), record.Undefined() },
		"this machine: not known":                                 func(s *Server) { *s = noServer("local") },
		"0.000 of 1 core   0 ms/reply ± 5":                        func(s *Server) { s.CPU, s.CPUUser, s.Cores, s.CPUPerReply, s.CPUPerReplyPrecision = 0, 0, 0, 0, 0.005 },
		"2 × nginx, part of web   0.062 of 1 core":                func(s *Server) { s.Within = "web" },
		"RSS 12.2 MiB   quota held it back 1.50 s over all cores": func(s *Server) { s.Throttled = 1.5 },
	} {
		s := base
		change(&s)
		if got := strings.Join(serverItems(&s), itemGap); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHostItems: a host that is well has no line.
func TestHostItems(t *testing.T) {
	for want, h := range map[string]Host{
		"": {Cores: 2, Busy: 1.79, Steal: 0.009, Interrupts: 0.04, SamplerCPU: 0.001},
		"steal 1.0 % of 2 cores   interrupts 0.050 cores   sampling 0.2 % of a core": {Cores: 2, Steal: 0.01, Interrupts: 0.05, SamplerCPU: 0.002},
		"busy 1.95 of 2 cores":                {Cores: 2, Busy: 1.95},
		"listen drops 1 234":                  {Cores: 2, HostCounts: HostCounts{Drops: 1234}},
		"lost after 7.00 s   end of the link": {Cores: 2, Lost: &LinkLoss{7, "end of the link"}},
		"a   b   2 notes more":                {Cores: 2, Notes: []string{"a", "b", "c", "d"}},
	} {
		if got := strings.Join(hostItems(&h), itemGap); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	u := record.Undefined()
	if items := hostItems(&Host{Busy: u, Steal: u, Interrupts: u, SamplerCPU: u, HostCounts: noCounts()}); len(items) > 0 {
		t.Errorf("nothing known: %q", items)
	}
}

// TestServerTextsAreShown: names and reasons of other machines are no commands.
func TestServerTextsAreShown(t *testing.T) {
	const evil = "\x1b[2J\nVALID\u202e"
	d := loadRun(t, "two-hosts")
	d.Server[0].Name, d.Server[0].Host, d.Server[0].Source = evil, evil, evil
	d.Server[1] = noServer(evil)
	d.Hosts[0].Name, d.Hosts[0].Notes = evil, []string{evil}
	d.Hosts[1].Lost.Why = strings.Repeat(evil, 100)
	got := text(t, d)
	if i := strings.IndexFunc(got, obeyed); i >= 0 {
		t.Errorf("holds %q", got[i:min(i+10, len(got))])
	}
	for line := range strings.Lines(got) {
		if w := width(strings.TrimSuffix(line, "\n")); w > pageWidth {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// TestReasonsThatSayNoMore than their class are left out.
func TestReasonsThatSayNoMore(t *testing.T) {
	d := loadRun(t, "overload")
	d.Summary.Reasons["client_timeout"] = "timed out"
	if got := text(t, d); strings.Contains(got, "timed out") {
		t.Errorf("the class is told twice in\n%s", got)
	}
	d.Summary.Reasons["client_timeout"] = "timed out before it could be started"
	if got := text(t, d); !strings.Contains(got, "client-timo: timed out before it could be started\n") {
		t.Errorf("the reason is missing in\n%s", got)
	}
}
