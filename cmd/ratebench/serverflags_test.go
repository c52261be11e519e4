package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/sampler"
)

// watchingOf reads the options of a run that must be accepted.
func watchingOf(t *testing.T, options ...string) watching {
	t.Helper()
	var w watching
	program := (&app{}).program()
	line := readArguments(program, with(options...))
	program.Action = func(c *cli.Context) error {
		s, err := readOptions(c, line)
		if err == nil {
			w = s.watching
		}
		return err
	}
	if err := program.Run(append([]string{"ratebench"}, line.args...)); err != nil || line.faults != nil {
		t.Fatalf("%q: %v %v", options, err, line.faults)
	}
	return w
}

func TestServerOptions(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	put(t, key, "a key")
	w := watchingOf(t, "--server", "local", "--server=ssh://bench@[::1]:2222", "--process", "nginx", "--process", ":8080",
		"--process=cgroup:/a/b", "--process", "unix:/run//s", "--sample-interval", "0.5", "--identity", key, "--ssh", `ssh -F "a b" -o 'X Y=z'`)
	want := watching{
		hosts: []sampler.Host{{}, {User: "bench", Name: "::1", Port: 2222}},
		selections: []sampler.Selection{
			{Kind: sampler.ByName, Value: "nginx"}, {Kind: sampler.ByPort, Value: "8080"}, {Kind: sampler.ByCgroup, Value: "a/b"}, {Kind: sampler.ByUnix, Value: "/run/s"},
		},
		interval: 500 * time.Millisecond,
		ssh:      sampler.SSH{Command: []string{"ssh", "-F", "a b", "-o", "X Y=z"}, Identity: key},
	}
	if !reflect.DeepEqual(w, want) {
		t.Errorf("%+v\nwant\n%+v", w, want)
	}
	if other := watchingOf(t, "--server", "none"); !other.off || len(other.hosts) > 0 || reflect.DeepEqual(other, want) {
		t.Errorf("%+v", other)
	}
	if none := watchingOf(t); !reflect.DeepEqual(none, watching{}) {
		t.Errorf("without options %+v", none)
	}
}

func TestWrongServerOptionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		args  []string
		lines []string
	}{
		{[]string{"--server", "none", "--server", "local"}, []string{"--server none and --server local exclude each other"}},
		{[]string{"--server", "none", "--server", "ssh://b@h:1"}, []string{"--server none and --server ssh://b@h:1 exclude each other"}},
		{[]string{"--server", "none", "--process", "nginx"}, []string{"--server none and --process nginx exclude each other"}},
		{[]string{"--server", "local", "--server", "local"}, []string{"--server local: given twice"}},
		{[]string{"--process", ":80", "--process", ":080"}, []string{"--process :080: given twice"}},
		{[]string{"--server", "www.example.org"}, []string{
			`--server "www.example.org": want local, none or ssh://[USER@]HOST[:PORT]; the server to load is named by the URL: http://www.example.org/`}},
		{[]string{"--server", "bench@host"}, []string{`--server "bench@host": want local, none or ssh://[USER@]HOST[:PORT], as in ssh://bench@host`}},
		{[]string{"--server", "me:secret@host"}, []string{`--server "***@host": want local, none or ssh://[USER@]HOST[:PORT]`}},
		{[]string{"--server", "http://host/"}, []string{`--server "http://host/": want local or ssh://[USER@]HOST[:PORT]`}},
		{[]string{"--server", ""}, []string{`--server "": want local or ssh://[USER@]HOST[:PORT]`}},
		{[]string{"--server", "ssh://-oX/"}, []string{`--server "ssh://-oX/": "-oX" would be an option to ssh`}},
		{[]string{"--process", ":0", "--process", "pidfile:x", "--sample-interval", "10ms"}, []string{
			`--process ":0": want a port from 1 to 65535`, `--process "pidfile:x": want the absolute path of a pid file`,
			"--sample-interval 10ms: want 100ms or more"}},
		{[]string{"--sample-interval", "0"}, []string{"--sample-interval 0: must be above 0"}},
		{[]string{"--ssh", "ssh 'x"}, []string{`--ssh "ssh 'x": the closing ' is missing`}},
		{[]string{"--ssh", " "}, []string{`--ssh " ": want a command`}},
		{[]string{"--identity", "/nonexistent/key"}, []string{`--identity "/nonexistent/key": no such file or directory`}},
	} {
		e := &engine{}
		r := command(t, e, with(c.args...)...)
		if why := refusal(e, r, c.lines...); why != "" {
			t.Errorf("%q: %s", c.args, why)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"ssh": {"ssh"}, "  ssh\t-4 ": {"ssh", "-4"}, `ssh -F "a  b"`: {"ssh", "-F", "a  b"}, `a'b c'd ''`: {"a" + "b c" + "d", ""},
		`'it"s'`: {`it"s`}, `a\ b`: {`a\`, "b"},
	} {
		if got, err := splitWords(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "''", `"" x`, "'", `ssh "`, `ssh 'a"`} {
		if got, err := splitWords(text); err == nil {
			t.Errorf("%s: passes for %q", text, got)
		}
	}
}

// People come from ab and httperf with their fingers' habits.
func TestHabits(t *testing.T) {
	for args, want := range map[string]string{
		"-n 100 --rate 5 URL": "unknown option -n (ab's: here --total N)", "-n100 --rate 5 URL": "unknown option -n100 (ab's: here --total N)",
		"-k --rate 5 URL": "unknown option -k (ab's: here --keepalive)", "-c 5 --rate 5 URL": "unknown option -c (ab's",
		"-t 10 --rate 5 URL": "--duration TIME", "--num-conns=9 --rate 5 URL": "--total N", "--num-conn 9 --rate 5 URL": "--total N",
		"--num-calls 9 --rate 5 URL": "--requests-per-connection N", "--port 80 --rate 5 URL": "a part of the URL, http://HOST:PORT/",
		"--uri /x --rate 5 URL": "http://HOST/PATH", "--hog --rate 5 URL": "unknown option --hog (httperf's", "--wsess=1,2,3 --rate 5 URL": "--targets FILE",
	} {
		refused(t, args, words(args), want)
	}
	for _, word := range []string{"-x", "-5", "--n5x", "--rate", "-nx", "--portal"} {
		if h, _ := habitOf(word); h.hint != "" {
			t.Errorf("%s passes for %+v", word, h)
		}
	}
}
