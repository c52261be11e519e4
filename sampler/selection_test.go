package sampler

import (
	"strings"
	"testing"
)

func TestParseSelection(t *testing.T) {
	for text, want := range map[string]struct {
		Selection
		shown string // empty where it is text
	}{
		"nginx":                      {Selection{ByName, "nginx"}, ""},
		"name:nginx":                 {Selection{ByName, "nginx"}, "nginx"},
		"name:80":                    {Selection{ByName, "80"}, ""},
		"kworker:x":                  {Selection{ByName, "kworker:x"}, ""},
		"0701":                       {Selection{ByPID, "701"}, "701"},
		":080":                       {Selection{ByPort, "80"}, ":80"},
		"port:80":                    {Selection{ByPort, "80"}, ":80"},
		"pidfile:/run//a.pid":        {Selection{ByPIDFile, "/run/a.pid"}, "pidfile:/run/a.pid"},
		"unix:/run//a b":             {Selection{ByUnix, "/run/a b"}, "unix:/run/a b"},
		"unix:@a//b":                 {Selection{ByUnix, "@a//b"}, ""},
		"cgroup:/sys/fs/cgroup/a/b/": {Selection{ByCgroup, "a/b"}, "cgroup:a/b"},
		"unit:nginx":                 {Selection{ByUnit, "nginx"}, ""},
	} {
		if want.shown == "" {
			want.shown = text
		}
		got, err := ParseSelection(text)
		if err != nil || got != want.Selection || got.String() != want.shown {
			t.Errorf("%s: %v shown as %s, %v; want %v shown as %s", text, got, got, err, want.Selection, want.shown)
		}
	}
	for text, want := range map[string]string{
		"": "unix:PATH", " ": "want NAME", "unit:": "unit:NAME", ":0": "a port", "port:70000": "a port", "pid:x": "a process number", "4194305": "a process number from 1 to 4194304",
		"pidfile:a": "the absolute path of a pid file", "unix:a": "the absolute path of a socket, or @NAME", "unix:@": "@NAME", "unix:": "@NAME",
		"unix:/a\nb": "want NAME", "cgroup:/": "below its root",
	} {
		if s, err := ParseSelection(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, s, err, want)
		}
	}
}
