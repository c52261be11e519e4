package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ratebench/attack/record"
)

// Columns of nginx's log as nginxConfig has it.
const (
	logURI = iota
	logConnection
	logMethod
	logStatus
	logContent
	logBodyLength // that the request announced
	logAcceptEncoding
	logProtocol
	logHost
)

// nginxConfig serves plain text, a large file, refusals and an upstream that
// says how long a request's body was. A port of its own speaks TLS.
const nginxConfig = `daemon off; worker_processes 1; pid DIR/pid; error_log stderr error;
events { worker_connections 4096; }
http {
	log_format columns '$request_uri $connection $request_method $status $body_bytes_sent $http_content_length. "$http_accept_encoding" $server_protocol $host';
	access_log DIR/log columns;
	client_body_temp_path DIR/t1; proxy_temp_path DIR/t2; fastcgi_temp_path DIR/t3; uwsgi_temp_path DIR/t4; scgi_temp_path DIR/t5;
	client_max_body_size 8m;
	keepalive_requests 100;
	gzip on; gzip_min_length 1; gzip_types *;
	limit_conn_zone $server_addr zone=few:1m; limit_conn_status 503;
	server {
		listen 127.0.0.1:PORT backlog=4096;
		listen unix:DIR/socket;
		TLS
		root DIR;
		location / { return 200 "hello\n"; }
		location ~ /file$ { try_files /text.txt =404; }
		location ~ /large$ { sendfile on; try_files /large.bin =404; }
		location ~ /refused$ { return 503; }
		location ~ /limited$ { limit_conn few 2; limit_rate 10k; try_files /text.txt =404; }
		location ~ /impatient$ { keepalive_timeout 50ms; return 200 "hello\n"; }
		location ~ /body$ { proxy_pass http://unix:DIR/upstream:/upstream$uri; }
	}
	server {
		listen unix:DIR/upstream;
		location / { return 200 "$content_length\n"; }
	}
}
`

const (
	textSize  = 20_000
	largeSize = 10 << 20
)

// startNginx starts nginx; pair, if not empty, are the files of its certificate and key.
func startNginx(t *testing.T, pair ...string) *daemon {
	t.Helper()
	return startDaemon(t, "nginx", func(d *daemon) []string {
		tls := ""
		if len(pair) > 0 {
			tls = fmt.Sprintf("listen 127.0.0.1:%d ssl http2; ssl_certificate %s; ssl_certificate_key %s;", d.tlsPort, pair[0], pair[1])
		}
		d.put(t, "text.txt", strings.Repeat("a line of twenty b.\n", textSize/20))
		config := strings.NewReplacer("DIR", d.dir, "PORT", strconv.Itoa(d.port), "TLS", tls).Replace(nginxConfig)
		if os.Geteuid() == 0 { // the workers may do what the test may
			config = "user root;\n" + config
		}
		large, err := os.Create(d.path("large.bin"))
		if err != nil {
			t.Fatal(err)
		}
		defer large.Close()
		if err := large.Truncate(largeSize); err != nil {
			t.Fatal(err)
		}
		return []string{"-p", d.dir, "-c", d.put(t, "nginx.conf", config)}
	})
}

// allAnswered says what is wrong with a run in which every one of n requests
// should have been answered with status and size bytes, empty if nothing is.
func allAnswered(m measured, n uint64, status string, size uint64) string {
	s := &m.Summary
	switch {
	case m.status != exitDone:
		return fmt.Sprintf("exit status %d: %s", m.status, m.stderr)
	case s.Planned != n, s.Sent != n, s.Replies != n, s.Errors.Total != 0, s.Status[status] != n:
		return fmt.Sprintf("planned %d, sent %d, replies %d, errors %d, statuses %v", s.Planned, s.Sent, s.Replies, s.Errors.Total, s.Status)
	case s.Bytes.Content != n*size:
		return fmt.Sprintf("%d bytes of content, want %d × %d", s.Bytes.Content, n, size)
	}
	return ""
}

func TestAllAnsweredTellsADifference(t *testing.T) {
	good := func() (m measured) { m.Summary = answered().Summary; m.Summary.Bytes.Content = 30; return m }
	if why := allAnswered(good(), 10, "200", 3); why != "" {
		t.Error(why)
	}
	for name, spoil := range map[string]func(*measured){
		"status":  func(m *measured) { m.status = exitFailed },
		"sent":    func(m *measured) { m.Summary.Sent-- },
		"replies": func(m *measured) { m.Summary.Replies-- },
		"errors":  func(m *measured) { m.Summary.Errors.Total++ },
		"code":    func(m *measured) { m.Summary.Status = map[string]uint64{"503": 10} },
		"content": func(m *measured) { m.Summary.Bytes.Content++ },
	} {
		m := good()
		if spoil(&m); allAnswered(m, 10, "200", 3) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}

// The main job, scaled down: 3000 requests at 300/s, a connection each.
func TestMainJob(t *testing.T) {
	for _, engine := range bothEngines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			nginx := startNginx(t)
			m := measure(t, "--engine", engine, "--rate", "300", "--total", "3000", nginx.url("/main"))
			if why := allAnswered(m, 3000, "200", 6); why != "" {
				t.Fatal(why)
			}
			lines := nginx.logged(t, "log", "/main", 3000)
			if !only(lines, logStatus, "200", 3000) || len(column(lines, logConnection)) != 3000 || m.Summary.Connections.Opened != 3000 {
				t.Errorf("nginx has %d lines of %d connections, the client opened %d", len(lines), len(column(lines, logConnection)), m.Summary.Connections.Opened)
			}
			if why := rateMissed(m, 300, 10); why != "" {
				t.Error(why)
			}
		})
	}
}

// rateMissed says why the text of a run does not show this rate as offered, and
// as sent too unless the last request started late, which may stretch the
// window by no more than the lag that is reported.
func rateMissed(m measured, rate, window float64) string {
	if !strings.Contains(m.stdout, fmt.Sprintf("offered %.1f ", rate)) {
		return "the offered rate is not shown:\n" + m.stdout
	}
	least := rate * window / (window + float64(m.Summary.Time.SendLag.Max))
	if sent := float64(m.Summary.SentRate); sent < least-0.05 || sent > rate+0.05 {
		return fmt.Sprintf("sent %.3f/s, want %.3f to %.3f", sent, least, rate)
	}
	if m.Summary.Time.SendLag.Max < 1e-3 && !strings.Contains(m.stdout, fmt.Sprintf("sent %.1f ", rate)) {
		return "the sent rate is not shown:\n" + m.stdout
	}
	return ""
}

func TestRateMissedTellsADifference(t *testing.T) {
	run := func(sent, lag record.Number, text string) (m measured) {
		m.Summary.SentRate, m.Summary.Time.SendLag.Max, m.stdout = sent, lag, text
		return m
	}
	good := "rate /s      offered 300.0   sent 300.0   replies 300.0"
	for _, m := range []measured{run(300, 1e-4, good), run(299.7, 0.02, "offered 300.0   sent 299.7   ")} {
		if why := rateMissed(m, 300, 10); why != "" {
			t.Error(why)
		}
	}
	for name, m := range map[string]measured{
		"other rate": run(300, 1e-4, "offered 30.0   sent 300.0   "),
		"too few":    run(299, 1e-4, good),
		"too many":   run(301, 1e-4, good),
		"not shown":  run(300, 1e-4, "offered 300.0   sent 3   "),
	} {
		if rateMissed(m, 300, 10) == "" {
			t.Errorf("%s: passes", name)
		}
	}
}

// nginx ends a connection after 100 requests and says so before: none is lost.
func TestNginxKeepsConnections(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/kept"
		m := measure(t, "--engine", engine, "--keepalive", "--rate", "1000", "--total", "1000", nginx.url(uri))
		if why := allAnswered(m, 1000, "200", 6); why != "" {
			t.Errorf("%s: %s", engine, why)
		}
		lines := nginx.logged(t, "log", uri, 1000)
		used := column(lines, logConnection)
		if !only(lines, logStatus, "200", 1000) || len(used) < 10 || uint64(len(used)) != m.Summary.Connections.Opened {
			t.Errorf("%s: nginx has %d lines of %d connections, the client opened %d", engine, len(lines), len(used), m.Summary.Connections.Opened)
		}
	}
}

// nginx closes a connection about when the next request goes out on it. What
// it did not answer is told as such, and nothing is sent twice.
func TestNginxClosesIdleConnections(t *testing.T) {
	t.Parallel()
	nginx := startNginx(t)
	for _, engine := range bothEngines() {
		uri := "/" + engine + "/impatient"
		m := measure(t, "--engine", engine, "--keepalive", "--rate", "20", "--total", "30", nginx.url(uri))
		s := &m.Summary
		lines := nginx.logged(t, "log", uri, int(s.Replies))
		if uint64(len(lines)) != s.Replies || s.Replies+s.Errors.Stale != 30 || s.Sent != 30 {
			t.Errorf("%s: nginx has %d lines; %d sent, %d replies, errors %+v", engine, len(lines), s.Sent, s.Replies, s.Errors)
		}
	}
}
