package suite

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	probeTime = 5 * time.Second
	// leavesWithin is what a guard takes, and a little more.
	leavesWithin = stopWithin + time.Second
	// maxProbe bounds the body that is looked at.
	maxProbe = 64 << 20
)

// payloadError is a reply that came, and with the right status, but with another
// body: to wait will not mend it.
type payloadError struct{ error }

func (e payloadError) Unwrap() error { return e.error }

// probe sends a plain request on a connection of its own and says what is wrong
// with the reply, nil if nothing is. It follows no redirect and asks for no
// compression, as an attack does not either.
func probe(ctx context.Context, url string, want Expect) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	defer transport.CloseIdleConnections()
	reply, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxProbe))
	if err != nil {
		return fmt.Errorf("reading the reply: %w", err)
	}
	return want.check(reply.StatusCode, body)
}

func (e Expect) check(status int, body []byte) error {
	switch {
	case e.Status != 0 && status != e.Status:
		return fmt.Errorf("status %d, want %d", status, e.Status)
	case e.Status == 0 && (status < 200 || status > 399):
		return fmt.Errorf("status %d, want 200 to 399", status)
	case e.Bytes != nil && int64(len(body)) != *e.Bytes:
		return payloadError{fmt.Errorf("wrong payload: %d bytes, want %d: it begins %s", len(body), *e.Bytes, quoted(string(body)))}
	case !strings.Contains(string(body), e.Contains):
		return payloadError{fmt.Errorf("wrong payload: it does not contain %s: it begins %s", quoted(e.Contains), quoted(string(body)))}
	}
	return nil
}

// portFree says who is at a URL's port before its server is started: that one would
// answer in its place. A server of a comparison that was killed may be on its way out.
func portFree(ctx context.Context, text string) error {
	host, port, err := addressOf(text)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(host, port)
	for end := time.Now().Add(leavesWithin); taken(ctx, address); time.Sleep(50 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(end) {
			return inUse(port)
		}
	}
	return nil
}

// addressOf is where the server of a URL listens.
func addressOf(text string) (host, port string, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", "", err
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname(), port, nil
}

func taken(ctx context.Context, address string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

func inUse(port string) error {
	number, _ := net.LookupPort("tcp", port)
	who := holder(number)
	if who == "" {
		who = "another process"
	}
	return fmt.Errorf("port %s is in use already, by %s: end it first", port, who)
}

// foreign says that another process answers in the server's place: one that the start
// command did not bring up, or that has left the process group of it.
func (r *Running) foreign() error {
	_, port, err := addressOf(r.server.URL)
	if err != nil || r.cmd == nil || !r.server.Host.Local() {
		return err
	}
	number, _ := net.LookupPort("tcp", port)
	if !heldByOthers(number, r.PID()) {
		return nil
	}
	return fmt.Errorf("port %s is held by %s, which is not of the process group that start began: "+
		"let it stay in the foreground, by exec and without setsid", port, holder(number))
}

// system is where Debian keeps daemons, which a user's PATH leaves out.
const system = "/usr/local/sbin:/usr/sbin:/sbin"

func searchPath() string { return os.Getenv("PATH") + ":" + system }

// Lacks says why a server cannot be run on this machine, empty if it can.
func (s *Server) Lacks() string {
	if s.Missing != "" {
		return s.Missing
	}
	var absent []string
	for _, need := range s.Needs {
		if !present(need) {
			absent = append(absent, need)
		}
	}
	if len(absent) == 0 {
		return ""
	}
	return "not installed here: needs " + strings.Join(absent, ", ")
}

func present(need string) bool {
	if filepath.IsAbs(need) {
		_, err := os.Stat(need)
		return err == nil
	}
	for dir := range strings.SplitSeq(searchPath(), ":") {
		if dir == "" {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(dir, need)); err == nil {
			return true
		}
	}
	return false
}
