package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ratebench/attack/testserver"
)

// lines are the request lines and header fields, in order, of the only request
// that a server has read.
func lines(t *testing.T, s *testserver.Raw) []string {
	t.Helper()
	seen := s.Seen()
	if len(seen) != 1 {
		t.Fatalf("the server has read %d requests, want 1", len(seen))
	}
	return strings.Split(strings.TrimSuffix(string(seen[0].Head), "\r\n\r\n"), "\r\n")
}

// fieldsOf are the lines of the header fields called name.
func fieldsOf(lines []string, name string) (found []string) {
	for _, line := range lines[1:] {
		if before, _, ok := strings.Cut(line, ":"); ok && strings.EqualFold(before, name) {
			found = append(found, line)
		}
	}
	return found
}

// sentLines makes a run of one request to what url stands for, a %s for the
// server's host and port, and returns what went over the wire.
func sentLines(t *testing.T, engine, url string, options ...string) []string {
	t.Helper()
	server := rawServer(t, "")
	url = fmt.Sprintf(url, server.Addr())
	m := measure(t, append(options, "--engine", engine, "--rate", "100", "--total", "1", url)...)
	if m.Summary.Replies != 1 || m.Plan.URL != url {
		t.Errorf("%s: %d replies, the report shows %q", url, m.Summary.Replies, m.Plan.URL)
	}
	return lines(t, server)
}

// TestTargetsOnTheWire plays RC-053 and RC-055 to a server.
func TestTargetsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, engine := range bothEngines() {
		for url, target := range map[string]string{
			"http://%s/münchen": "/m%C3%BCnchen", "http://%s/a b": "/a%20b", "http://%s/a%%20b": "/a%20b",
			"http://%s/%%2e%%2e/x": "/%2e%2e/x", "http://%s/a%%2Fb": "/a%2Fb",
			"http://%s/x?q=1+2&u=%%E4": "/x?q=1+2&u=%E4", "http://%s/a//b": "/a//b",
			"http://%s/doc.html#/home": "/doc.html", "http://%s#x": "/", "http://%s?q": "/?q", "http://%s": "/",
		} {
			if got := sentLines(t, engine, url)[0]; got != "GET "+target+" HTTP/1.1" {
				t.Errorf("%s, %s: sent %q", engine, url, got)
			}
		}
	}
	refusedUnsent(t, "%zz", "--rate", "1", "URL%zz")
}

// refusedUnsent fails the test unless the command line, in which URL stands for
// a server, is refused with a message that holds part, and nothing reaches it.
func refusedUnsent(t *testing.T, part string, args ...string) {
	t.Helper()
	server := rawServer(t, "")
	for i, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "URL"); ok {
			args[i] = server.URL() + rest
		}
	}
	r := live(t, args...)
	if r.status != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, part) || server.Conns() > 0 {
		t.Errorf("%q: %+v, %d connections", args, r, server.Conns())
	}
}

// TestHeadersOnTheWire plays RC-049 and RC-058 to a server.
func TestHeadersOnTheWire(t *testing.T) {
	t.Parallel()
	for _, engine := range bothEngines() {
		for _, c := range []struct {
			options []string
			name    string
			want    string // the one line of that name
		}{
			{[]string{"-H", "Accept: text/html, application/json;q=0.9"}, "Accept", "Accept: text/html, application/json;q=0.9"},
			{[]string{"-H", "X: a,b,c"}, "X", "X: a,b,c"},
			{[]string{"-H", "X-Empty:"}, "X-Empty", "X-Empty: "},
			{[]string{"-H", "Host: www.example.test"}, "Host", "Host: www.example.test"},
			{[]string{"-H", "User-Agent: mine/1"}, "User-Agent", "User-Agent: mine/1"},
			{[]string{"-H", "Connection: close"}, "Connection", "Connection: close"},
			{[]string{"--body", "abc", "-H", "Content-Length: 3"}, "Content-Length", "Content-Length: 3"},
			{[]string{"--body", "abc"}, "Content-Length", "Content-Length: 3"},
		} {
			got := fieldsOf(sentLines(t, engine, "http://%s/", c.options...), c.name)
			if len(got) != 1 || strings.TrimRight(got[0], " ") != strings.TrimRight(c.want, " ") {
				t.Errorf("%s, %q: sent %q", engine, c.options, got)
			}
		}
		server := rawServer(t, "")
		measure(t, "--engine", engine, "--rate", "100", "--total", "1", server.URL())
		if got := fieldsOf(lines(t, server), "Host"); !slices.Equal(got, []string{"Host: " + server.Addr().String()}) {
			t.Errorf("%s: sent %q", engine, got)
		}
	}
	refusedUnsent(t, "NoColon", "--rate", "1", "-H", "NoColon", "URL")
	refusedUnsent(t, `\r\n`, "--rate", "1", "-H", "X: a\r\nEvil: b", "URL")
	refusedUnsent(t, "Content-Length", "--rate", "1", "--body", "abc", "-H", "Content-Length: 4", "URL")
}

// TestHugeTotal plays RC-056 to a server: a run for 292 years starts at once,
// in little memory, and can be ended.
func TestHugeTotal(t *testing.T) {
	t.Parallel()
	for _, engine := range bothEngines() {
		server, saved := rawServer(t, ""), filepath.Join(t.TempDir(), "r.json")
		p := launch(t, "--engine", engine, "--rate", "1", "--total", "9223372036854775807", "-o", saved, server.URL())
		atLeast(t, server, 2)
		status, _ := p.interrupt(t, syscall.SIGINT)
		d := readDocument(t, saved, result{status: status, stderr: p.stderr.String()})
		s := &d.Summary
		if status != 130 || s.Planned != math.MaxInt64 || s.Sent != uint64(server.Requests()) || s.Unsent != s.Planned-s.Sent || !(s.OfferedRate >= 0.9 && s.OfferedRate <= 2) {
			t.Errorf("%s: status %d, planned %d, sent %d, unsent %d, offered %v", engine, status, s.Planned, s.Sent, s.Unsent, s.OfferedRate)
		}
		if d.Client.RSSPeak > 128<<20 {
			t.Errorf("%s: %d bytes of memory", engine, d.Client.RSSPeak)
		}
		if !strings.Contains(p.stdout.String(), "1/s × 9 223 372 036 854 775 807") || strings.Contains(p.stdout.String(), "NaN") {
			t.Errorf("%s: %s", engine, p.stdout)
		}
	}
	refusedUnsent(t, "9223372036854775808", "--rate", "1", "--total", "9223372036854775808", "URL")
	refusedUnsent(t, "1e-9", "--rate", "1e-9", "--total", "10", "URL")
	refusedUnsent(t, "3000000000", "--rate", "3000000000", "URL")
}

// RC-050 and RC-064: what is refused reaches no server.
func TestRefusedBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refusedUnsent(t, "--rtae", "--rtae", "5", "URL")
	refusedUnsent(t, "nosuchcommand", "nosuchcommand", "URL")
	for _, path := range []string{"/no/such/dir/r.json", filepath.Join(dir, "r.json") + "/", dir, ""} {
		refusedUnsent(t, `"`+path+`"`, "--rate", "5", "URL", "-o", path)
		refusedUnsent(t, `"`+path+`"`, "--rate", "5", "URL", "--log", path)
	}
}
