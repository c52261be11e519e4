package main

import (
	"strconv"
	"strings"
	"testing"
)

func TestNginxRefuses(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/refused"
		m := measure(t, "--engine", engine, "--rate", "200", "--total", "100", nginx.url(uri))
		if m.status != exitDone || m.Summary.Replies != 100 || m.Summary.Status["503"] != 100 || m.Summary.Goodput.Count != 0 {
			t.Errorf("%s: status %d, replies %v, good %d", engine, m.status, m.Summary.Status, m.Summary.Goodput.Count)
		}
		if lines := nginx.logged(t, "log", uri, 100); !only(lines, logStatus, "503", 100) {
			t.Errorf("%s: nginx answered %v", engine, column(lines, logStatus))
		}
	}
}

// Of requests that take a second or two each, 50 a second, nginx serves two at a time.
func TestNginxLimitsConnections(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/limited"
		m := measure(t, "--engine", engine, "--rate", "50", "--total", "50", nginx.url(uri))
		s := &m.Summary
		if m.status != exitDone || s.Status["200"]+s.Status["503"] != 50 || s.Status["200"] < 2 || s.Status["503"] < 2 {
			t.Errorf("%s: status %d, replies %v", engine, m.status, s.Status)
		}
		served := column(nginx.logged(t, "log", uri, 50), logStatus)
		for code, n := range s.Status {
			if uint64(served[code]) != n {
				t.Errorf("%s: nginx answered %v, the client counts %v", engine, served, s.Status)
			}
		}
	}
}

func TestNginxSendsALargeFile(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/large"
		m := measure(t, "--engine", engine, "--keepalive", "--rate", "20", "--total", "20", "--timeout", "30", nginx.url(uri))
		if why := allAnswered(m, 20, "200", largeSize); why != "" {
			t.Errorf("%s: %s", engine, why)
		}
		if lines := nginx.logged(t, "log", uri, 20); !only(lines, logContent, strconv.Itoa(largeSize), 20) {
			t.Errorf("%s: nginx sent %v", engine, column(lines, logContent))
		}
	}
}

// A server that would compress is not asked to.
func TestNginxIsNotAskedForGzip(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/file"
		m := measure(t, "--engine", engine, "--rate", "200", "--total", "50", nginx.url(uri))
		if why := allAnswered(m, 50, "200", textSize); why != "" {
			t.Errorf("%s: %s", engine, why)
		}
		if lines := nginx.logged(t, "log", uri, 50); !only(lines, logAcceptEncoding, `"-"`, 50) {
			t.Errorf("%s: asked for %v", engine, column(lines, logAcceptEncoding))
		}
		m = measure(t, "--engine", engine, "--rate", "200", "--total", "50", "-H", "Accept-Encoding: gzip", nginx.url("/zip"+uri))
		s := &m.Summary
		if why := allAnswered(m, 50, "200", s.Bytes.Content/50); why != "" || s.Bytes.Content == 0 || s.Bytes.Content > 50*textSize/10 {
			t.Errorf("%s: asked for, %d bytes in 50 bodies: %s", engine, s.Bytes.Content, why)
		}
	}
}

// A reply to HEAD has the length of a body and none.
func TestNginxAnswersHead(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/file"
		m := measure(t, "--engine", engine, "--keepalive", "-X", "HEAD", "--rate", "200", "--total", "100", nginx.url(uri))
		if why := allAnswered(m, 100, "200", 0); why != "" {
			t.Errorf("%s: %s", engine, why)
		}
		lines := nginx.logged(t, "log", uri, 100)
		if !only(lines, logMethod, "HEAD", 100) || uint64(len(column(lines, logConnection))) != m.Summary.Connections.Opened {
			t.Errorf("%s: nginx saw %v on %d connections, the client opened %d", engine, column(lines, logMethod),
				len(column(lines, logConnection)), m.Summary.Connections.Opened)
		}
	}
}

// The upstream gets the whole body before it answers, and says its length.
func TestNginxTakesABody(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	body := nginx.put(t, "body", strings.Repeat("x", 100_000))
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/body"
		m := measure(t, "--engine", engine, "--keepalive", "--body-file", body, "--rate", "100", "--total", "50", nginx.url(uri))
		if why := allAnswered(m, 50, "200", uint64(len("100000\n"))); why != "" {
			t.Errorf("%s: %s", engine, why)
		}
		lines := nginx.logged(t, "log", "/upstream"+uri, 50)
		if !only(lines, logBodyLength, "100000.", 50) || !only(lines, logMethod, "POST", 50) {
			t.Errorf("%s: the upstream got %v by %v", engine, column(lines, logBodyLength), column(lines, logMethod))
		}
		if m.Summary.Bytes.Sent < 50*100_000 {
			t.Errorf("%s: %d bytes sent", engine, m.Summary.Bytes.Sent)
		}
	}
}

func TestNginxOnASocket(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		for _, kept := range []string{"0", "1"} {
			uri := "/" + engine + "/socket/" + kept
			m := measure(t, "--engine", engine, "--requests-per-connection", kept, "--unix-socket", nginx.path("socket"),
				"--rate", "200", "--total", "60", "http://site.test"+uri)
			if why := allAnswered(m, 60, "200", 6); why != "" {
				t.Errorf("%s: %s", engine, why)
			}
			if lines := nginx.logged(t, "log", uri, 60); !only(lines, logHost, "site.test", 60) {
				t.Errorf("%s: asked for %v", engine, column(lines, logHost))
			}
		}
	}
	r := live(t, "--rate", "1", "--total", "1", "--unix-socket", nginx.path("none"), "http://site.test/")
	if r.status != exitUsage || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("no socket: %+v", r)
	}
}
