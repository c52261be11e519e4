package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestRequestTarget(t *testing.T) {
	for _, c := range []struct{ url, target string }{
		// RC-053: escapes stay, blanks and what is not ASCII are escaped once.
		{"http://h/münchen", "/m%C3%BCnchen"},
		{"http://h/m\xfcnchen", "/m%FCnchen"},
		{"http://h/a b", "/a%20b"},
		{"http://h/a%20b", "/a%20b"},
		{"http://h/%2e%2e/x", "/%2e%2e/x"},
		{"http://h/../x", "/../x"},
		{"http://h/a%2Fb", "/a%2Fb"},
		{"http://h/a%2fb", "/a%2fb"},
		{"http://h/x?q=1+2&u=%E4", "/x?q=1+2&u=%E4"},
		{"http://h/a//b", "/a//b"},
		{"http://h//", "//"},
		{"http://h/?q=ü x", "/?q=%C3%BC%20x"},
		{"http://h/100%25", "/100%25"},
		{"http://h/a?b?c", "/a?b?c"},
		{"http://h/?", "/?"},
		{"http://h/a;b,c=d@e:f[g]|\"<>", "/a;b,c=d@e:f[g]|\"<>"},
		// RC-055: no fragment on the wire, always a path.
		{"http://h/doc.html#/home", "/doc.html"},
		{"http://h#x", "/"},
		{"http://h?q", "/?q"},
		{"http://h?q#x?y", "/?q"},
		{"http://h", "/"},
		{"http://h/a#%zz", "/a"},
		{"http://user:pass@h/a?x=http://b/@c", "/a?x=http://b/@c"},
	} {
		u, err := ParseURL(c.url)
		if err != nil {
			t.Error(err)
		} else if u.Target != c.target {
			t.Errorf("%q: the target is %q, want %q", c.url, u.Target, c.target)
		} else if u.Text != c.url {
			t.Errorf("%q: the text became %q", c.url, u.Text)
		}
	}
}

func TestServerAndAuthority(t *testing.T) {
	for _, c := range []struct {
		url       string
		server    Server
		authority string
	}{
		{"http://h/", Server{false, "h", 80}, "h"},
		{"http://h:80/", Server{false, "h", 80}, "h"},
		{"http://h:443/", Server{false, "h", 443}, "h:443"},
		{"https://h", Server{true, "h", 443}, "h"},
		{"https://h:443", Server{true, "h", 443}, "h"},
		{"https://h:80", Server{true, "h", 80}, "h:80"},
		{"HTTP://Example.test:8080", Server{false, "Example.test", 8080}, "Example.test:8080"},
		{"http://user:p%40ss@h:65535/", Server{false, "h", 65535}, "h:65535"},
		{"http://127.0.0.1:8080/", Server{false, "127.0.0.1", 8080}, "127.0.0.1:8080"},
		{"http://[::1]/", Server{false, "::1", 80}, "[::1]"},
		{"http://[::1]:8080/", Server{false, "::1", 8080}, "[::1]:8080"},
		{"http://[::ffff:127.0.0.1]/", Server{false, "::ffff:127.0.0.1", 80}, "[::ffff:127.0.0.1]"},
		// RC-100: the zone is used, and kept out of the Host field.
		{"http://[fe80::1%25eth0]:8080/", Server{false, "fe80::1%eth0", 8080}, "[fe80::1]:8080"},
		{"http://[fe80::1%eth0]:8080/", Server{false, "fe80::1%eth0", 8080}, "[fe80::1]:8080"},
		{"https://[fe80::1%3]/a%20b", Server{true, "fe80::1%3", 443}, "[fe80::1]"},
	} {
		u, err := ParseURL(c.url)
		if err != nil {
			t.Error(err)
		} else if u.Server != c.server || u.Authority != c.authority {
			t.Errorf("%s: server %+v, authority %q, want %+v, %q", c.url, u.Server, u.Authority, c.server, c.authority)
		}
	}
	if s := (Server{false, "fe80::1%eth0", 80}); s.String() != "[fe80::1%eth0]:80" || s.Name() != "fe80::1" {
		t.Errorf("server %s, name %s", s, s.Name())
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, c := range []struct{ url, says string }{
		{"", "want http://"},
		{"h", "want http://"},
		{"h:8080", "want http://"},
		{"/path", "want http://"},
		{"ftp://h/", "want http://"},
		{"http:/h", "host is missing"},
		{"http:h", "host is missing"},
		{"http://", "host is missing"},
		{"http:///path", "host is missing"},
		{"http://:8080/", "host is missing"},
		{"http://h:/", "port after ':' is missing"},
		{"http://h:0/", "port 0"},
		{"http://h:65536/", "port 65536"},
		{"http://h:http/", "invalid port"},
		{"http://h/%zz", `"%zz" is not a percent escape`},
		{"http://h/a%2", `"%2" is not a percent escape`},
		{"http://h/?q=%", `"%" is not a percent escape`},
		{"http://h/a\nb", `control character '\n'`},
		{"http://h/#a\x1b[31m", `control character '\x1b'`},
		{"http://h /", `invalid character " "`},
		{"http://münchen.test/", "xn--"},
		{"http://h!st/", "'!' cannot stand"},
		{"http://::1/", "invalid"},
		{"http://[::1/", "missing ']'"},
		{"http://[::g]/", ""},
		{"http://[fe80::1%]/", "zone"},
		{"http://[fe80::1%25a%20b]/", "zone"},
		{"http://[1:2]/", "invalid host"},
		{"http://[127.0.0.1%eth0]/", ""},
	} {
		u, err := ParseURL(c.url)
		if err == nil {
			t.Errorf("%q is taken for %+v", c.url, u)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.url)) {
			t.Errorf("%q: the error is %q, want it to name the URL and to say %q", c.url, err, c.says)
		}
	}
}

// shows says whether text holds any part of a secret that is longer than a letter.
func shows(text, secret string) bool {
	for i := range len(secret) - 1 {
		if strings.Contains(text, secret[i:i+2]) {
			return true
		}
	}
	return false
}

func TestShows(t *testing.T) {
	if !shows("a 8Q b", "7J8Q") || shows("a 7 b 8", "7J8Q") {
		t.Error("shows cannot tell a secret")
	}
}

func TestUserinfoIsMasked(t *testing.T) {
	const secret = "Q7J8Q" // no two letters of it occur in a message
	for _, text := range []string{
		"http://u:Q7J8Q@h/", "https://Q7J8Q@h/a?b#c", "http://Q7J8Q:Q7J8Q@h", "http://u:Q7J8Q@h/@x",
		// Faulty ones must not show it in the error.
		"http://u:Q7J8Q@h:99999/", "http://u:Q7J8Q@/", "http://u:Q7J8Q@h/%zz", "ftp://u:Q7J8Q@h/",
		"http://u:%Q7J8Q@h/", "http://u:Q7J8Q/@h/", "http://u:99999/Q7J8Q@h/", "http://u:Q7J8Q#@h/", "http://u:Q7J8Q^@h/",
		"http://u:Q7J8Q @h/", "http://u:Q7J8Q\n@h/", "http:/u:Q7J8Q@h/", "u:Q7J8Q@h", "Q7J8Q://x@h", "http://[Q7J8Q@h/", "http://u:Q7J8Q@h!st/",
	} {
		u, err := ParseURL(text)
		said := u.String() + fmt.Sprintf("%v %s", u, u)
		if err != nil {
			said = err.Error()
		}
		if shows(said, secret) {
			t.Errorf("%q shows its password: %s", text, said)
		}
		masked := (&Plan{URL: text}).Masked()
		document, _ := json.Marshal(masked)
		if err == nil && shows(string(document), secret) {
			t.Errorf("%q: the document shows the password: %s", text, document)
		}
	}
	if u, _ := ParseURL("http://u:p@h/a@b?c@d"); u.String() != "http://***@h/a@b?c@d" {
		t.Errorf("masked as %s", u)
	}
	if u, _ := ParseURL("http://h/a@b"); u.String() != "http://h/a@b" {
		t.Errorf("masked as %s", u)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, text := range []string{"http://h/", "https://u:p@h:8443/a%20b?q#f", "http://[fe80::1%25eth0]:8080/", "http://[fe80::1%eth0]/ü", "http:/x", "h:80", "http://h?%41"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseURL(text)
		if err != nil {
			return
		}
		if !strings.HasPrefix(u.Target, "/") || strings.ContainsAny(u.Target, " #\r\n") {
			t.Fatalf("%q: the target is %q", text, u.Target)
		}
		if u.Authority == "" || strings.ContainsAny(u.Authority, " %@/\r\n") || u.Server.Port == 0 {
			t.Fatalf("%q: server %+v, authority %q", text, u.Server, u.Authority)
		}
		scheme := "http://"
		if u.Server.TLS {
			scheme = "https://"
		}
		again, err := ParseURL(scheme + u.Authority + u.Target)
		if err != nil {
			t.Fatalf("%q: what is sent does not read back: %v", text, err)
		}
		if again.Target != u.Target || again.Authority != u.Authority || again.Server.Port != u.Server.Port {
			t.Fatalf("%q: sent as %+v, read back as %+v", text, u, again)
		}
		if masked, err := ParseURL(u.String()); u.user == nil && (err != nil || masked.Target != u.Target) {
			t.Fatalf("%q is shown as %q", text, u.String())
		}
	})
}

func ExampleParseURL() {
	u, err := ParseURL("https://user:secret@[fe80::1%25eth0]:8443/a b?x=%2F#top")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(u)
	fmt.Println("connect to", u.Server)
	fmt.Println("Host:", u.Authority)
	fmt.Println("GET", u.Target)
	// Output:
	// https://***@[fe80::1%25eth0]:8443/a b?x=%2F#top
	// connect to [fe80::1%eth0]:8443
	// Host: [fe80::1]:8443
	// GET /a%20b?x=%2F
}
