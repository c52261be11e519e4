package main

import "strings"

// habit is what an option of ab's or httperf's is called here. value says that
// it has one there.
type habit struct {
	name  string
	value bool
	hint  string
}

// habits are the options that people who come from ab and httperf try.
func habits() []habit {
	return []habit{
		{"n", true, "ab's: here --total N"},
		{"c", true, "ab's: here --concurrency N, a closed loop; --rate says when requests start, however many are open"},
		{"k", false, "ab's: here --keepalive"},
		{"t", true, "ab's: here --duration TIME"},
		{"num-conns", true, "httperf's: here --total N, which counts requests"},
		{"num-conn", true, "httperf's: here --total N, which counts requests"},
		{"num-calls", true, "httperf's: here --requests-per-connection N"},
		{"num-call", true, "httperf's: here --requests-per-connection N"},
		{"port", true, "httperf's: here a part of the URL, http://HOST:PORT/"},
		{"uri", true, "httperf's: here a part of the URL, http://HOST/PATH"},
		{"hog", false, "httperf's: here all local ports are used without it"},
		{"concurrency", true, "of a single run: it keeps N requests in flight, whatever the rate; the other commands offer rates"},
		{"ramp", true, "of a single run, in which the rate changes; the other commands offer one rate after the other"},
		{"log", true, "of a single run: the other commands keep no log of each request"},
		{"server", true, "of a run: sample takes the host as an argument, as in ratebench sample ssh://bench@web1"},
		{"wsess", true, "httperf's: there are no sessions here; --targets FILE sends several requests in turn"},
	}
}

// habitOf finds the habit that an unknown option, dashes and value included, stands for.
func habitOf(word string) (found habit, joined bool) {
	written, _, joined := strings.Cut(word, "=")
	name := strings.TrimLeft(written, "-")
	for _, h := range habits() {
		if name == h.name {
			return h, joined
		}
		// getopt(3) takes -n5 for -n 5.
		rest, is := strings.CutPrefix(name, h.name)
		if is && len(h.name) == 1 && h.value && strings.Trim(rest, "0123456789") == "" {
			return h, true
		}
	}
	return habit{}, false
}
