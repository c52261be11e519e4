package main

import (
	"reflect"
	"strings"
	"sync"
	"testing"
)

const url = "http://127.0.0.1:8080/"

// Cases RC-049, RC-050, RC-052, RC-053 and RC-056 are among these.
func TestWrongCommandLinesAreRefused(t *testing.T) {
	for _, c := range []struct {
		args  string // separated by blanks
		lines []string
	}{
		{"", []string{"a URL is missing, as in: ratebench --rate 300 --total 40000 http://127.0.0.1:8080/", "ratebench --help lists the options"}},
		{"--rtae 5 URL", []string{"unknown option --rtae (did you mean --rate?)"}},
		{"--rtae=5 URL", []string{"unknown option --rtae (did you mean --rate?)"}},
		{"URL --rate 5 --hlep", []string{"unknown option --hlep (did you mean --help?)"}},
		{"--rate 5 URL --nonsense=nginx --nonesuch p99<1s",
			[]string{"unknown option --nonsense", "unknown option --nonesuch"}},
		{"--rate 5 URL -XPOST", []string{"unknown option -XPOST"}},
		{"--version --bogus", []string{"unknown option --bogus"}},
		{"--bogus --version --quiet=x", []string{"unknown option --bogus", "--quiet=x: takes no value"}},
		{"--rate 5 URL --\x1b[2J", []string{`unknown option "--\x1b[2J"`}},
		{"nosuchcommand", []string{`unknown command "nosuchcommand"; a URL begins with http:// or https://`}},
		{"help", []string{`unknown command "help" (did you mean --help?)`}},
		{"version", []string{`unknown command "version" (did you mean --version?)`}},
		{"--rate 5 --targets=", []string{"--targets: its value is empty"}},
		{"srve --workers 3", []string{"unknown option --workers", `unknown command "srve" (did you mean serve?)`}},
		{"reprot URL", []string{`unknown command "reprot" (did you mean report?)`}},
		{"--rate 5 serve", []string{"command serve: has to come first"}},
		{"serve URL", []string{`surplus argument "http://127.0.0.1:8080/": serve takes options only`}},
		{"--rate 5 URL http://a:secret@b/ http://c/",
			[]string{`surplus argument "http://***@b/": a run has one URL`, `surplus argument "http://c/": a run has one URL`}},
		{"URL --rate", []string{"--rate: its value is missing"}},
		{"--rate 5 --targets", []string{"--targets: its value is missing"}},
		{"--total --rate 5 URL", []string{"--total: its value is missing"}},
		{"-H -X GET --rate 5 URL", []string{"-H: its value is missing"}},
		{"--rate 5 --rate 6 URL", []string{"--rate: given twice"}},
		{"-X GET --method=PUT --rate 5 URL", []string{"--method: given twice"}},
		{"--quiet=yes --rate 5 URL", []string{"--quiet=yes: takes no value"}},
		{"--rate 5", []string{"a URL or --targets is missing"}},
		{"URL", []string{"--rate is missing: how many requests a second?"}},
		{"--rate x --total 0 --timeout -1s URL", []string{
			`--rate "x" is not a rate: want 300, 0.5, 2.5/s or 30/m`,
			`--total "0": want a whole number from 1 to 9223372036854775807`,
			"--timeout -1s: must be above 0 and at most 1h0m0s"}},
	} {
		e := &engine{}
		r := command(t, e, words(c.args)...)
		if why := refusal(e, r, c.lines...); why != "" {
			t.Errorf("%q: %s", c.args, why)
		}
	}
}

func words(text string) []string {
	return strings.Fields(strings.ReplaceAll(text, "URL", url))
}

func TestOptionsStandAnywhere(t *testing.T) {
	want := planned(t, "--rate", "300", "--total", "40", "-H", "A: b", "--keepalive", url)
	for _, args := range []string{
		"URL --rate 300 --total 40 -H A:b --keepalive",
		"--rate 300 URL --total 40 --keepalive -H A:b",
		"--keepalive URL --total=40 --rate=300 --header=A:b",
		"-rate 300 -total=40 --keepalive --H A:b URL",
		"--rate 300 --total 40 -H A:b --keepalive -- URL",
	} {
		if got := planned(t, words(args)...); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", args, got, want)
		}
	}
	if other := planned(t, words("URL --rate 300 --total 41 -H A:b --keepalive")...); reflect.DeepEqual(other, want) {
		t.Error("another total makes the same plan")
	}
}

func TestValuesMayBeginWithADash(t *testing.T) {
	p := planned(t, "--rate", "5", "--body", "-1s", "-H", "X: --rate", "--method", "-", url)
	if string(p.Body) != "-1s" || p.Header[0].Value != "--rate" || p.Method != "-" {
		t.Errorf("body %q, header %v, method %q", p.Body, p.Header, p.Method)
	}
	if p := planned(t, "--rate", "5", "--body=--rate", url); string(p.Body) != "--rate" {
		t.Errorf("body %q", p.Body)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"rate", "rate", 0}, {"rtae", "rate", 1}, {"rat", "rate", 1},
		{"total", "totl", 1}, {"rate", "mate", 1}, {"swep", "sweep", 1}, {"rate", "body", 4}, {"ab", "ba", 1},
	} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if edits(c.a, c.b) != edits(c.b, c.a) {
			t.Errorf("edits(%q, %q) depends on the order", c.a, c.b)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"rate", "total", "timeout", "keepalive", "X"}
	for word, want := range map[string]string{
		"rtae": "rate", "keep-alive": "keepalive", "Rate": "rate", "timout": "timeout",
		"process": "", "x": "", "n5": "", "": "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// Command lines of one process share nothing: cli's own --help would be one
// variable for all of them. Run with -race.
func TestCommandLinesSideBySide(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for _, args := range [][]string{with(), {"--help"}, {"serve", "--help"}, {"report", "-h"}} {
				if r := command(t, &engine{}, args...); r.status != exitDone {
					t.Errorf("%q: %+v", args, r)
				}
			}
		})
	}
	group.Wait()
}
