package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ratebench/attack/plan"
)

// target resolves a request as the command line would; the error says why not.
func target(method, url string, header []string, body string) (*plan.Target, error) {
	p := plan.Plan{URL: url, Method: method, Body: []byte(body)}
	for _, text := range header {
		f, err := plan.ParseField(text)
		if err != nil {
			return nil, err
		}
		p.Header = append(p.Header, f)
	}
	if err := p.Resolve(); err != nil {
		return nil, err
	}
	return &p.Targets[0], nil
}

func encoded(t *testing.T, method, url string, header []string, body string) string {
	t.Helper()
	made, err := target(method, url, header, body)
	if err != nil {
		t.Fatal(err)
	}
	return string(AppendRequest(nil, made))
}

func TestRequestIsEncodedByteForByte(t *testing.T) {
	const url, host, agent = "http://127.0.0.1:8080/", "Host: 127.0.0.1:8080\r\n", "User-Agent: ratebench\r\n"
	for _, c := range []struct {
		rule, method string
		header       []string
		body, want   string
	}{
		{"a plain GET has two fields", "GET", nil, "",
			"GET / HTTP/1.1\r\n" + host + agent + "\r\n"},
		{"RC-049: values keep commas, order and spelling", "GET",
			[]string{"accept: text/html, application/json;q=0.9", "X: a,b,c", "X-Empty:", "X: second"}, "",
			"GET / HTTP/1.1\r\n" + host + agent + "accept: text/html, application/json;q=0.9\r\nX: a,b,c\r\nX-Empty:\r\nX: second\r\n\r\n"},
		{"RC-058: an own Host replaces the URL's", "GET", []string{"Host: www.example.test"}, "",
			"GET / HTTP/1.1\r\n" + agent + "Host: www.example.test\r\n\r\n"},
		{"RC-058: an own User-Agent in any case replaces ours", "GET", []string{"user-agent: x/1"}, "",
			"GET / HTTP/1.1\r\n" + host + "user-agent: x/1\r\n\r\n"},
		{"RC-058: an own Content-Length is not doubled", "POST", []string{"Content-Length: 2"}, "ok",
			"POST / HTTP/1.1\r\n" + host + agent + "Content-Length: 2\r\n\r\nok"},
		{"RC-058: an own Connection is sent", "GET", []string{"Connection: close"}, "",
			"GET / HTTP/1.1\r\n" + host + agent + "Connection: close\r\n\r\n"},
		{"a body has a length with any method", "DELETE", nil, "a\r\n\x00b",
			"DELETE / HTTP/1.1\r\n" + host + agent + "Content-Length: 5\r\n\r\na\r\n\x00b"},
		{"a POST without body says so", "POST", nil, "",
			"POST / HTTP/1.1\r\n" + host + agent + "Content-Length: 0\r\n\r\n"},
		{"a HEAD without body has no length", "HEAD", nil, "",
			"HEAD / HTTP/1.1\r\n" + host + agent + "\r\n"},
	} {
		if got := encoded(t, c.method, url, c.header, c.body); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.rule, got, c.want)
		}
	}
}

func TestRequestsThatCannotBeSentAreRefused(t *testing.T) {
	for rule, header := range map[string]string{
		"RC-049: no colon":              "NoColon",
		"RC-049: a line break":          "X: a\r\nY: b",
		"RC-058: a conflicting length":  "Content-Length: 3",
		"a coding that is not sent":     "Transfer-Encoding: chunked",
		"a name that is not a name":     "X Y: z",
		"RC-058: an impossible Host CR": "Host: a\rb",
	} {
		if made, err := target("POST", "http://h/", []string{header}, "ok"); err == nil {
			t.Errorf("%s: %q is encoded as %q", rule, header, AppendRequest(nil, made))
		}
	}
}

func TestRequestTargetIsTheURLsByteForByte(t *testing.T) {
	for url, want := range map[string]string{ // RC-053 and RC-055
		"/münchen": "/m%C3%BCnchen", "/a b": "/a%20b", "/a%20b": "/a%20b", "/%2e%2e/x": "/%2e%2e/x", "/../x": "/../x",
		"/a%2Fb": "/a%2Fb", "/x?q=1+2&u=%E4": "/x?q=1+2&u=%E4", "/a//b": "/a//b", "//a": "//a", "/%25": "/%25",
		"/doc.html#/home": "/doc.html", "#x": "/", "?q": "/?q", "": "/", "/?a?b#c?d": "/?a?b",
	} {
		line, _, _ := strings.Cut(encoded(t, "GET", "http://127.0.0.1:80"+url, nil, ""), "\r\n")
		if line != "GET "+want+" HTTP/1.1" {
			t.Errorf("%q: request line %q, want target %q", url, line, want)
		}
	}
	if made, err := target("GET", "http://127.0.0.1/%zz", nil, ""); err == nil {
		t.Errorf("/%%zz is encoded as %q", AppendRequest(nil, made))
	}
}

func TestAppendRequestAppends(t *testing.T) {
	made, err := target("GET", "http://h/", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(AppendRequest([]byte("before "), made)), "before "+string(AppendRequest(nil, made)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzAppendRequest reads back with net/http what was encoded.
func FuzzAppendRequest(f *testing.F) {
	f.Add("GET", "http://127.0.0.1:8080/a%2Fb//c?q=1+2&u=%E4#x", "Accept: text/html, application/json;q=0.9\nX-Empty:", "")
	f.Add("POST", "https://user:pw@[fe80::1%25eth0]:8443", "Host: www.example.test\nUser-Agent: x\nConnection: close", "body\r\n\r\n")
	f.Add("M-SEARCH", "http://h/ä b", "Content-Length: 2\nx: \xe4\tb\nX: 2\nTrailer: Y\nPragma: no-cache", "\x00\n")
	f.Fuzz(func(t *testing.T, method, url, header, body string) {
		var lines []string
		if header != "" {
			lines = strings.Split(header, "\n")
		}
		made, err := target(method, url, lines, body)
		if err != nil {
			return // what cannot be planned is not sent
		}
		request := AppendRequest(nil, made)
		reader := bufio.NewReader(bytes.NewReader(request))
		got, err := http.ReadRequest(reader)
		if err != nil {
			t.Fatalf("%q: %v", request, err)
		}
		if problem := unlike(made, got); problem != "" {
			t.Errorf("%q: %s", request, problem)
		}
		if n := reader.Buffered(); n > 0 {
			t.Errorf("%q: %d bytes are left", request, n)
		}
	})
}

// unlike says in what a request that was read differs from the target sent.
func unlike(sent *plan.Target, got *http.Request) string {
	body, err := io.ReadAll(got.Body)
	switch {
	case got.Method != sent.Method:
		return "method " + got.Method
	case got.RequestURI != sent.URL.Target:
		return "target " + got.RequestURI
	case got.Proto != "HTTP/1.1":
		return "version " + got.Proto
	case err != nil:
		return err.Error()
	case !bytes.Equal(body, sent.Body):
		return "body " + strconv.Quote(string(body))
	}
	want := http.Header{}
	for _, f := range sent.Header {
		name := textproto.CanonicalMIMEHeaderKey(f.Name)
		want[name] = append(want[name], f.Value)
	}
	host, own := want["Host"]
	if !own {
		host = []string{sent.URL.Authority}
	}
	delete(want, "Host")
	if got.Host != host[0] {
		return "host " + got.Host
	}
	return unlikeFields(want, sent, got.Header)
}

func unlikeFields(want http.Header, sent *plan.Target, got http.Header) string {
	if want["User-Agent"] == nil {
		want["User-Agent"] = []string{UserAgent}
	}
	if want["Content-Length"] == nil && needsLength(sent) {
		want["Content-Length"] = []string{strconv.Itoa(len(sent.Body))}
	}
	if want["Pragma"] != nil && want["Pragma"][0] == "no-cache" && want["Cache-Control"] == nil {
		want["Cache-Control"] = []string{"no-cache"} // net/http's own addition (RFC 7234 section 5.4)
	}
	for name := range want {
		if !slices.Equal(want[name], got[name]) {
			return "field " + name + ": " + strings.Join(got[name], "|")
		}
	}
	if len(got) != len(want) {
		return "fields of its own: " + strconv.Itoa(len(got)-len(want))
	}
	return ""
}

func TestUnlikeSeesEveryDifference(t *testing.T) {
	const right = "POST /a HTTP/1.1\r\nHost: h\r\nUser-Agent: ratebench\r\nX: 1\r\nContent-Length: 2\r\n\r\nok"
	made, err := target("POST", "http://h/a", []string{"X: 1"}, "ok")
	if err != nil {
		t.Fatal(err)
	}
	for old, wrong := range map[string]string{
		"": "", "POST": "PUT", "/a": "/b", "1.1\r": "1.0\r", "Host: h": "Host: i", "ratebench": "x", "X: 1": "X: 2",
		"X: 1\r\n": "", "X: 1\r": "X: 1\r\nY: 2\r", "ok": "OK", "Length: 2": "Length: 3",
	} {
		got, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.Replace(right, old, wrong, 1))))
		if err != nil {
			t.Fatal(err)
		}
		if problem := unlike(made, got); (problem == "") != (old == "") {
			t.Errorf("%q for %q: %q", wrong, old, problem)
		}
	}
}
