package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ratebench/sampler"
)

// A line is what passed between two readings over the time that passed. Drops are
// those of no line if one of its readings does not know them.
func TestSampleTable(t *testing.T) {
	var out bytes.Buffer
	table := &sampleTable{w: &out, again: 2, groups: []sampler.GroupInfo{{Name: "nginx"}, {Name: "system.slice/php8.2-fpm.service"}}}
	for i := range 4 {
		n := time.Duration(i)
		group := sampler.GroupCounters{CPU: n * time.Second, User: n * time.Second / 4, System: n * 3 * time.Second / 4, RSS: 3 << 20, Processes: 2, Threads: 4}
		host := sampler.HostCounters{Busy: 3 * n * time.Second, ListenDrops: uint64(i) * 8}
		if i == 2 {
			host.ListenDrops, host.ListenUnknown = 0, true
		}
		err := table.add(sampler.Reading{At: 2 * n * time.Second, Host: host, Groups: []sampler.GroupCounters{group, group}})
		if err != nil {
			t.Fatal(err)
		}
	}
	const first, second = "2.0 nginx 0.50 0.12 0.38 3.0 MiB 2 4 1.50 4", "2.0 …lice/php8.2-fpm.service 0.50 0.12 0.38 3.0 MiB 2 4"
	lines := strings.Split(out.String(), "\n")
	got := make([]string, len(lines))
	for i, line := range lines {
		got[i] = strings.Join(strings.Fields(line), " ")
		if len([]rune(line)) > 100 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
	if len(lines) != 10 || lines[0] != lines[3] || lines[0] != lines[6] || got[1] != first || got[2] != second ||
		!strings.HasSuffix(got[4], " 1.50 –") || !strings.HasSuffix(got[7], " 1.50 –") {
		t.Errorf("\n%s", out.String())
	}
	var none *sampleTable
	if err := none.add(sampler.Reading{}); err != nil {
		t.Error(err)
	}
	table.w = closed{}
	if err := table.add(sampler.Reading{At: time.Hour, Groups: make([]sampler.GroupCounters, 2)}); err == nil {
		t.Error("a table that cannot be written is no error")
	}
}

func TestFitted(t *testing.T) {
	for name, want := range map[string]string{
		"nginx":                                  "nginx",
		"sleep (18905)":                          "sleep (18905)",
		"a-server-of-ours (123456)":              "a-server-of-ou… (123456)",
		"(sd-pam) of somebody (:18941)":          "(sd-pam) of so… (:18941)",
		"nginx (unix:/var/run/nginx/front.sock)": "…r/run/nginx/front.sock)",
		"(root@host.example.org:2222)":           "…@host.example.org:2222)",
		"a\x1b[2J\u202eb":                        `a\x1b[2J\u202eb`,
	} {
		if got := fitted(name); got != want || len([]rune(got)) > nameWidth {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
