package record

import (
	"strings"
	"testing"
)

// aServer is one that nothing is held against, on the client's machine and cores.
func aServer() ServerUse {
	return ServerUse{
		Name: "nginx", Local: true, CPUs: []int{0, 1}, Available: 1, Cores: 0.5, CPU: 9, Precision: 0.01,
		Throttled: 0, Ended: Undefined(), Gap: Undefined(),
	}
}

func aHost() HostUse { return HostUse{Name: "bench@host", Steal: 0, Lost: Undefined()} }

// judged are the codes and texts of the findings on one server and host.
func judged(client *Client, servers []ServerUse, host HostUse) (codes, texts string) {
	v := Verdict{Status: Valid}
	JudgeServers(&v, client, servers, []HostUse{host})
	for _, f := range v.Findings {
		codes, texts = codes+" "+f.Code, texts+"\n"+f.Text
		if f.Status != Suspect {
			codes += "!"
		}
	}
	if (v.Status == Valid) != (len(v.Findings) == 0) {
		codes += " status " + string(v.Status)
	}
	return strings.TrimSpace(codes), strings.TrimSpace(texts)
}

// TestJudgeServers: each doubt at its limit, and none below it.
func TestJudgeServers(t *testing.T) {
	for _, c := range []struct {
		what        string
		change      func(*Client, *ServerUse, *HostUse)
		codes, text string
	}{
		{"nothing amiss", func(*Client, *ServerUse, *HostUse) {}, "", ""},
		{"half of the shared cores", func(c *Client, s *ServerUse, _ *HostUse) { c.Cores = 0.5 }, "", ""},
		{"more than half of them", func(c *Client, s *ServerUse, _ *HostUse) { c.Cores = 0.51 },
			"shared_cores", "client and server share cores: nginx 0.50 and the client 0.51 of 2"},
		{"one core in common, half of three busy", func(c *Client, s *ServerUse, _ *HostUse) { c.CPUs, c.Cores = []int{1, 2}, 1 }, "", ""},
		{"one core in common, more than half of three", func(c *Client, s *ServerUse, _ *HostUse) { c.CPUs, c.Cores = []int{1, 2}, 1.01 },
			"shared_cores", "client and server share cores: nginx 0.50 and the client 1.01 of 3"},
		{"a server bound to one of the client's eight", func(c *Client, s *ServerUse, _ *HostUse) {
			c.CPUs, c.Cores, s.CPUs, s.Cores = []int{0, 1, 2, 3, 4, 5, 6, 7}, 1.5, []int{0}, 0.2
		}, "", ""},
		{"a client bound to the server's one", func(c *Client, s *ServerUse, _ *HostUse) { c.CPUs, s.CPUs = []int{0}, []int{0} },
			"shared_cores", "nginx 0.50 and the client 0.03 of 1"},
		{"no core in common", func(c *Client, s *ServerUse, _ *HostUse) { c.CPUs, c.Cores = []int{2, 3}, 1.9 }, "", ""},
		{"cores of the server not known", func(c *Client, s *ServerUse, _ *HostUse) { s.CPUs, c.Cores = nil, 0.8 },
			"shared_cores", "nginx 0.50 and the client 0.80 of 2"},
		{"cores of the client not known", func(c *Client, s *ServerUse, _ *HostUse) { c.CPUs, c.Cores = nil, 1.5 }, "", ""},
		{"elsewhere", func(c *Client, s *ServerUse, _ *HostUse) { s.Local, c.Cores = false, 1.9 }, "", ""},
		{"nearly full", func(_ *Client, s *ServerUse, _ *HostUse) { s.Cores = 0.89 }, "", ""},
		{"full", func(_ *Client, s *ServerUse, _ *HostUse) { s.Cores = 0.98 },
			"server_full shared_cores", "server cores full (nginx 0.98 of 1)\nclient and server"},
		{"full quota of a half", func(_ *Client, s *ServerUse, _ *HostUse) { s.Available = 0.5 },
			"server_full", "(nginx 0.50 of 0.5)"},
		{"available cores not known", func(_ *Client, s *ServerUse, _ *HostUse) { s.Available = Undefined() }, "", ""},
		{"children nobody waits for", func(_ *Client, s *ServerUse, _ *HostUse) { s.Unwaited = true },
			"server_unwaited", "CPU of nginx is too low: it has children that end without being waited for; a cgroup counts them"},
		{"children nobody waits for, who used the most", func(_ *Client, s *ServerUse, _ *HostUse) { s.Unwaited, s.Precision = true, 1.5 },
			"server_unwaited", "CPU of nginx is too low: it has children that end without being waited for; a cgroup counts them"},
		{"the client in the server", func(_ *Client, s *ServerUse, _ *HostUse) { s.Client = true },
			"server_has_client", "CPU of nginx is too high: ratebench itself runs in it and is counted"},
		{"throttled now and then", func(_ *Client, s *ServerUse, _ *HostUse) { s.Throttled = 0.01 }, "", ""},
		{"throttled", func(_ *Client, s *ServerUse, _ *HostUse) { s.Throttled = 0.125 },
			"server_throttled", "nginx was held back by its CPU quota: 125 ms in each second, summed over cores"},
		{"just precise", func(_ *Client, s *ServerUse, _ *HostUse) { s.Precision = 0.1 }, "", ""},
		{"imprecise", func(_ *Client, s *ServerUse, _ *HostUse) { s.Precision = 0.25 },
			"server_precision", "CPU of nginx is known to ± 25 % only"},
		{"not known", func(_ *Client, s *ServerUse, _ *HostUse) { s.Cores, s.Precision = 1.2, 1 },
			"server_precision", "CPU of nginx is not known: it is less than what it may be wrong by"},
		{"a busy host by its servers", func(_ *Client, _ *ServerUse, h *HostUse) { h.All, h.Busy, h.Others = 2, 1.99, 0.39 }, "", ""},
		{"a host that others leave room", func(_ *Client, _ *ServerUse, h *HostUse) { h.All, h.Busy, h.Others = 2, 1.79, 1.6 }, "", ""},
		{"a host busy by others", func(_ *Client, _ *ServerUse, h *HostUse) { h.All, h.Busy, h.Others = 2, 1.99, 1.6 },
			"host_busy", "bench@host was busy 1.99 of 2 cores, 1.60 of it by neither the watched servers nor the client"},
		{"a busy host whose others are not known", func(_ *Client, _ *ServerUse, h *HostUse) { h.All, h.Busy, h.Others = 2, 1.99, Undefined() }, "", ""},
		{"idle", func(_ *Client, s *ServerUse, _ *HostUse) { s.CPU, s.Cores, s.Precision = 0, 0, Undefined() },
			"server_idle", "nginx used no CPU time that can be seen"},
		{"steal at the limit", func(_ *Client, _ *ServerUse, h *HostUse) { h.Steal = 0.02 }, "", ""},
		{"steal", func(_ *Client, _ *ServerUse, h *HostUse) { h.Steal = 0.031 },
			"server_steal", "the hypervisor took 3.1 % of the CPU time of bench@host"},
		{"drops", func(_ *Client, _ *ServerUse, h *HostUse) { h.Drops = 12 },
			"listen_drops", "bench@host dropped 12 connections before they were accepted"},
		{"overflows", func(_ *Client, _ *ServerUse, h *HostUse) { h.Drops, h.Overflows = 12, 11 },
			"listen_drops", "accepted (11 for a full queue)"},
		{"link lost", func(_ *Client, _ *ServerUse, h *HostUse) { h.Lost = 12.04 },
			"link_lost", "lost the link to bench@host after 12.0 s: server figures end there"},
		{"drops not known", func(_ *Client, _ *ServerUse, h *HostUse) { h.Drops, h.Overflows = Undefined(), Undefined() }, "", ""},
		{"readings of this machine fail", func(_ *Client, _ *ServerUse, h *HostUse) { h.Lost, h.Local = 12.04, true },
			"link_lost", "this machine's counters could not be read after 12.0 s"},
		{"ended", func(_ *Client, s *ServerUse, _ *HostUse) { s.Ended, s.Gap = 7.003, 1 },
			"server_ended", "nginx ended at 7.0 s or within 1.0 s after: its figures end there"},
		{"nothing known", func(_ *Client, s *ServerUse, _ *HostUse) {
			u := Undefined()
			*s = ServerUse{Name: "x", Local: true, Available: u, Cores: u, CPU: u, Precision: u, Throttled: u, Ended: u, Gap: u}
		}, "", ""},
	} {
		client, server, host := Client{Cores: 0.03, CPUs: []int{0, 1}}, aServer(), aHost()
		c.change(&client, &server, &host)
		codes, texts := judged(&client, []ServerUse{server}, host)
		if codes != c.codes || !strings.Contains(texts, c.text) {
			t.Errorf("%s: %q %q, want %q %q", c.what, codes, texts, c.codes, c.text)
		}
	}
}

// TestServersTogether: they fill the client's cores together, and every full one is
// named; what is part of another fills nothing beside it.
func TestServersTogether(t *testing.T) {
	front, back := aServer(), aServer()
	front.Cores, back.Name, back.Cores = 0.95, "php", 0.99
	codes, texts := judged(&Client{Cores: 0.03, CPUs: []int{0, 1}}, []ServerUse{front, back}, aHost())
	want := "server cores full (nginx 0.95 of 1, php 0.99 of 1)\nclient and server share cores: nginx 0.95, php 0.99 and the client 0.03 of 2"
	if codes != "server_full shared_cores" || texts != want {
		t.Errorf("%q %q, want %q", codes, texts, want)
	}
	front.Cores, back.Cores, back.Part = 0.8, 0.7, true
	if codes, texts := judged(&Client{Cores: 0.03, CPUs: []int{0, 1}}, []ServerUse{front, back}, aHost()); codes != "" {
		t.Errorf("a part counts beside its whole: %q %q", codes, texts)
	}
}

func TestUnwatched(t *testing.T) {
	v := Verdict{Status: Valid}
	v.Add(NotWatched("its processes are another user's"))
	if v.Status != Valid || v.Findings[0].Text != "server not watched: its processes are another user's" {
		t.Errorf("%+v", v)
	}
	if f := Unwatched("bench@tiny: host has no /proc"); f.Text != "bench@tiny: host has no /proc" || f.Code != "server_unwatched" || f.Status != Suspect {
		t.Errorf("%+v", f)
	}
}
