package main

import (
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// with is a command line of options beside the necessary ones.
func with(options ...string) []string {
	return append([]string{"--rate", "300", url}, options...)
}

func TestDefaults(t *testing.T) {
	p := planned(t, with()...)
	if p.Duration != plan.DefaultDuration || p.Total != 0 {
		t.Errorf("duration %v, total %d: want 10s and no total", p.Duration, p.Total)
	}
	if p.Seed != 1 || p.Method != "GET" || p.RequestsPerConnection != 1 || p.Timeout != plan.DefaultTimeout {
		t.Errorf("%+v", p)
	}
	if p := planned(t, with("--total", "40000")...); p.Duration != 0 || p.Total != 40000 {
		t.Errorf("duration %v, total %d: want 40000 and no duration", p.Duration, p.Total)
	}
}

// RC-052: a bare number is a number of seconds.
func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Second, "5s": 5 * time.Second, "500ms": 500 * time.Millisecond,
		"0.5": 500 * time.Millisecond, "1h": time.Hour, "5m30s": 330 * time.Second,
	} {
		if p := planned(t, with("--timeout", text)...); p.Timeout.Std() != want {
			t.Errorf("--timeout %s is %v, want %v", text, p.Timeout, want)
		}
	}
	for _, option := range []string{"--timeout", "--deadline", "--duration", "--warmup"} {
		refused(t, "\""+option+" 5 s\"", with(option, "5 s"), option, "5 s")
		refused(t, option, with(option, "-1s"), option, "-1s")
		if option != "--warmup" {
			refused(t, option, with(option, "0"), option, "above 0")
		}
	}
	refused(t, "beyond the histograms", with("--timeout", "1e9"), "--timeout")
}

// refused fails the test unless args are refused in one line that holds all of parts.
func refused(t *testing.T, what string, args []string, parts ...string) {
	t.Helper()
	e := &engine{}
	r := command(t, e, args...)
	line := strings.TrimSuffix(strings.TrimPrefix(r.stderr, "ratebench: "), "\n")
	if why := refusal(e, r, line); why != "" || strings.Contains(line, "\n") {
		t.Errorf("%s: %s %q", what, why, line)
	}
	for _, part := range parts {
		if !strings.Contains(line, part) {
			t.Errorf("%s: %q does not hold %q", what, line, part)
		}
	}
}

// RC-056.
func TestCounts(t *testing.T) {
	p := planned(t, "--rate", "1", "--total", "9223372036854775807", url)
	if p.Total != math.MaxInt64 || p.Window() <= 0 {
		t.Errorf("total %d, window %v", p.Total, p.Window())
	}
	for _, total := range []string{"0", "-1", "9223372036854775808", "1e6", "1.5", "", "0x10"} {
		refused(t, "--total "+total, with("--total="+total), "--total", `"`+total+`"`)
	}
	refused(t, "rate too low", []string{"--rate", "1e-9", "--total", "10", url}, "--rate", "1e-9")
	refused(t, "rate too high", []string{"--rate", "3000000000", url}, "--rate", "3000000000")
	refused(t, "seed", with("--seed", "-1"), "--seed", "-1")
	refused(t, "connections", with("--max-connections", "0"), "--max-connections 0")
	refused(t, "connections", with("--max-connections", "many"), "--max-connections", "many")
	refused(t, "calls", with("--requests-per-connection", "-1"), "--requests-per-connection -1")
}

// RC-049: a header's value is kept as it is, commas and all.
func TestHeaders(t *testing.T) {
	p := planned(t, with("-H", "Accept: text/html, application/json;q=0.9", "--header", "X: a,b,c", "-H", "X-Empty:")...)
	want := []plan.Field{{Name: "Accept", Value: "text/html, application/json;q=0.9"}, {Name: "X", Value: "a,b,c"}, {Name: "X-Empty", Value: ""}}
	if !reflect.DeepEqual(p.Header, want) {
		t.Errorf("%q, want %q", p.Header, want)
	}
	refused(t, "no colon", with("-H", "NoColon"), `"NoColon"`)
	refused(t, "line break", with("-H", "X: a\r\nEvil: b"), `\r\n`)
	refused(t, "two hosts", with("-H", "Host: a", "-H", "Host: b"), "Host")
	refused(t, "wrong length", with("--body", "abc", "-H", "Content-Length: 4"), "Content-Length")
}

func TestMethodAndBody(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "body")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options      []string
		method, body string
	}{
		{nil, "GET", ""},
		{[]string{"-X", "DELETE"}, "DELETE", ""},
		{[]string{"--body", "a,b"}, "POST", "a,b"},
		{[]string{"--body", ""}, "POST", ""},
		{[]string{"--body", "x", "-X", "PUT"}, "PUT", "x"},
		{[]string{"--body-file", file}, "POST", "from a file\n"},
	} {
		p := planned(t, with(c.options...)...)
		if p.Method != c.method || string(p.Body) != c.body {
			t.Errorf("%q: %s %q, want %s %q", c.options, p.Method, p.Body, c.method, c.body)
		}
	}
	refused(t, "both", with("--body", "x", "--body-file", file), "--body and --body-file")
	refused(t, "missing", with("--body-file", filepath.Join(dir, "none")), "none", "no such file")
	refused(t, "directory", with("--body-file", dir), dir)
	refused(t, "method", with("-X", "A B"), `"A B"`)
}

func TestFilesAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readFile(file, 5); err != nil || string(got) != "12345" {
		t.Errorf("5 bytes of 5: %q, %v", got, err)
	}
	for path, limit := range map[string]int64{file: 4, "/dev/zero": 1000} {
		if _, err := readFile(path, limit); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s beyond %d bytes: %v", path, limit, err)
		}
	}
}

func TestTargets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "targets")
	if err := os.WriteFile(file, []byte("GET http://127.0.0.1:8080/a\n\nGET http://127.0.0.1:8080/b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := planned(t, "--rate", "1", "--targets", file); len(p.Targets) != 2 || p.TargetsFile != file {
		t.Errorf("%d targets of %s", len(p.Targets), p.TargetsFile)
	}
	refused(t, "URL too", with("--targets", file), "--targets")
	refused(t, "method too", []string{"--rate", "1", "--targets", file, "-X", "PUT"}, "PUT", file)
	refused(t, "missing", []string{"--rate", "1", "--targets", file + "x"}, file+"x", "no such file")
}

func TestConnections(t *testing.T) {
	socket := unixSocket(t)
	p := planned(t, with("--keepalive", "--source", "127.0.0.2, ::1", "-6", "--unix-socket", socket, "--engine", "vegeta", "--http2")...)
	want := []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("::1")}
	if p.RequestsPerConnection != 0 || !reflect.DeepEqual(p.Sources, want) || p.Family != 6 ||
		p.UnixSocket != socket || p.Engine != "vegeta" || !p.HTTP2 {
		t.Errorf("%+v", p)
	}
	planned(t, with("--keepalive", "--requests-per-connection", "0")...)
	refused(t, "keepalive", with("--keepalive", "--requests-per-connection", "3"), "--keepalive and --requests-per-connection 3")
	refused(t, "families", with("-4", "-6"), "-4 and -6")
	refused(t, "source", with("--source", "localhost"), "--source", "localhost")
	refused(t, "engine", with("--engine", "fast"), "--engine", "fast")
	refused(t, "socket", with("--unix-socket", ""), "--unix-socket")
	refused(t, "no socket", with("--unix-socket", socket+"x"), "--unix-socket", socket+"x", "no such file")
	refused(t, "a directory", with("--unix-socket", "/tmp"), "--unix-socket", "/tmp", "not a socket")
	refused(t, "arrivals", with("--arrivals", "normal"), "--arrivals", "normal")
	refused(t, "statuses", with("--expect", "2xx,3yy"), "--expect", "3yy")
	refused(t, "deadline", with("--timeout", "1", "--deadline", "2"), "--deadline 2s", "--timeout 1s")
}

// unixSocket is one that somebody listens on.
func unixSocket(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(daemonDir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path
}

// An address of the other family needs no look-up to be found out.
func TestFamilies(t *testing.T) {
	refused(t, "6", with("-6"), "-6", "127.0.0.1 is not an IPv6 address")
	refused(t, "4", []string{"--rate", "1", "-4", "http://[::1]:8080/"}, "-4", "::1 is not an IPv4 address")
	planned(t, with("-4")...)
	planned(t, "--rate", "1", "-6", "http://[::1]/")
	planned(t, "--rate", "1", "-6", "http://localhost/")
}

// Every status that is none is named, as all faults are.
func TestStatuses(t *testing.T) {
	e := &engine{}
	r := command(t, e, with("--expect", "2yy,200,abc,300-200")...)
	if why := refusal(e, r, `--expect "2yy" is not a status: want 200, 2xx or 200-299`, `--expect "abc" is not a status: want 200, 2xx or 200-299`,
		`--expect "300-200": the range runs backwards`); why != "" {
		t.Error(why)
	}
	if p := planned(t, with("--expect", "2xx, 304")...); !p.Expect.Has(304) || p.Expect.Has(301) {
		t.Errorf("expects %v", p.Expect)
	}
}

func TestTLSFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.pem")
	refused(t, "ca", with("--ca", missing), "--ca", missing)
	good := filepath.Join(t.TempDir(), "good.pem")
	put(t, good, "no PEM")
	refused(t, "cert", with("--cert", missing, "--key", good), "--cert", missing, "no such file")
	refused(t, "key", with("--cert", good, "--key", missing), "--key", missing, "no such file")
	refused(t, "no PEM", with("--cert", good, "--key", good), "--cert", good, "PEM")
	refused(t, "endless", with("--ca", "/dev/zero"), "--ca", "/dev/zero", "larger than")
	refused(t, "endless", with("--cert", "/dev/zero", "--key", good), "--cert", "/dev/zero", "larger than")
	refused(t, "no key", with("--cert", missing), "--cert and --key")
}

// RC-053 and what else is wrong with a URL.
func TestURLs(t *testing.T) {
	for _, bad := range []string{"127.0.0.1:8080", "localhost:8080/", "ftp://a/", "http://", "http://a:0/", "http://a/%zz", "http://a b/", "-x"} {
		args := []string{"--rate", "1", "--", bad}
		refused(t, bad, args, bad)
	}
	refused(t, "no scheme", []string{"--rate", "1", "127.0.0.1:8080"}, `URL "127.0.0.1:8080": want http:// or https:// before it, as in http://127.0.0.1:8080`)
	refused(t, "no scheme, password", []string{"--rate", "1", "me:secret@a.test/x"}, "http://***@a.test/x")
	if p := planned(t, "--rate", "1", url+"münchen?q=a b"); p.URL != url+"münchen?q=a b" {
		t.Errorf("the URL became %q", p.URL)
	}
	refused(t, "password", []string{"--rate", "1", "http://me:secret@a:x/"}, "***")
	e := &engine{}
	if r := command(t, e, "--rate", "1", "http://me:secret@a:x/"); strings.Contains(r.stderr, "secret") {
		t.Errorf("the password is shown: %s", r.stderr)
	}
}
