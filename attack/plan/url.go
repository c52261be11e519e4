package plan

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// URL is what a request is sent to, split into what the connection needs and
// what the request line carries.
type URL struct {
	Text      string // as given
	Server    Server
	Authority string // value of the Host field: the host without zone, the port only if it is not the scheme's
	Target    string // request target: path and query, escapes as given, without fragment
	user      *url.Userinfo
}

// Server is where connections go: they are kept apart by it.
type Server struct {
	TLS  bool
	Host string // name, or IP address without brackets, with its zone if any
	Port uint16
}

// String is the server as host:port, IPv6 in brackets.
func (s Server) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port))) }

// Name is the host without its zone, as certificates and the Host field have it.
func (s Server) Name() string {
	host, _, _ := strings.Cut(s.Host, "%")
	return host
}

// IP is the server's address if its host is an IP address, zone included.
func (s Server) IP() (ip netip.Addr, ok bool) {
	ip, err := netip.ParseAddr(s.Host)
	return ip, err == nil
}

// String is the URL as given, its user name and password replaced by ***.
func (u URL) String() string { return maskUserinfo(u.Text) }

// ParseURL reads an http:// or https:// URL. Percent escapes stay byte for byte
// as they are; blanks and bytes outside ASCII are escaped once; a broken escape
// is refused. Errors name the URL, its password masked.
func ParseURL(text string) (URL, error) {
	u, err := parseURL(text)
	if err == nil {
		return u, nil
	}
	if u.user == nil && strings.Contains(text, "@") {
		// Where a password begins and ends is not known here, so that any
		// closer word might quote a part of it.
		err = errors.New("want http://HOST… or https://HOST…, a user name or password before @ with its special characters as percent escapes")
	}
	return URL{}, fmt.Errorf("URL %q: %w", maskFaulty(text), err)
}

// parseURL is ParseURL with bare errors. With an error it returns only the
// userinfo, if that could be told from the rest.
func parseURL(text string) (URL, error) {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return URL{}, fmt.Errorf("holds the control character %q", []rune(text[i:])[0])
	}
	u, err := url.Parse(escapeZone(withoutQuery(text)))
	if err != nil {
		return URL{}, cause(err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return URL{user: u.User}, errors.New("want http://HOST… or https://HOST…")
	}
	server, err := serverOf(u)
	if err != nil {
		return URL{user: u.User}, err
	}
	target, err := requestTarget(text)
	if err != nil {
		return URL{user: u.User}, err
	}
	return URL{Text: text, Server: server, Authority: authority(server), Target: target, user: u.User}, nil
}

// cause is url.Parse's complaint without the URL, whose password must not be shown.
func cause(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

func serverOf(u *url.URL) (Server, error) {
	s := Server{TLS: u.Scheme == "https", Host: u.Hostname(), Port: 80}
	if s.TLS {
		s.Port = 443
	}
	if s.Host == "" {
		return Server{}, errors.New("the host is missing")
	}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Server{}, fmt.Errorf("port %s: want 1 to 65535", port)
		}
		s.Port = uint16(n)
	}
	if strings.HasSuffix(u.Host, ":") {
		return Server{}, errors.New("the port after ':' is missing")
	}
	return s, s.validateHost()
}

func (s Server) validateHost() error {
	if strings.Contains(s.Host, ":") {
		ip, err := netip.ParseAddr(s.Host)
		if err != nil {
			return fmt.Errorf("%q is not an IPv6 address", s.Host)
		}
		if strings.ContainsFunc(ip.Zone(), notInZone) {
			return fmt.Errorf("zone %q: want an interface's name or number", ip.Zone())
		}
		return nil
	}
	for _, r := range s.Host {
		if notInHostName(r) {
			return fmt.Errorf("host %q: %q cannot stand in a host name (write international names in their xn-- form)", s.Host, r)
		}
	}
	return nil
}

// notInZone tells what no interface's name holds on Linux (dev_valid_name in net/core/dev.c).
func notInZone(r rune) bool { return r == '/' || unicode.IsSpace(r) || unicode.IsControl(r) }

// notInHostName tells what neither a DNS name nor an IPv4 address may hold.
func notInHostName(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
		return false
	}
	return true
}

func authority(s Server) string {
	host := s.Name()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if s.TLS && s.Port == 443 || !s.TLS && s.Port == 80 {
		return host
	}
	return host + ":" + strconv.Itoa(int(s.Port))
}

// requestTarget cuts the path and query out of the URL's text and escapes what
// may not stand in a request line (RFC 9112 section 3.2).
func requestTarget(text string) (string, error) {
	text, _, _ = strings.Cut(text, "#")
	_, text, _ = strings.Cut(text, "://")
	if i := strings.IndexAny(text, "/?"); i >= 0 {
		text = text[i:]
	} else {
		text = ""
	}
	if !strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%' && !isEscape(text[i:]):
			return "", fmt.Errorf("%q is not a percent escape", text[i:min(i+3, len(text))])
		case c == ' ' || c > 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

func isEscape(s string) bool {
	return len(s) >= 3 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// withoutQuery is the URL up to its path: net/url shall judge scheme and
// authority only, the rest is requestTarget's.
func withoutQuery(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return scheme + "://" + rest
}

// escapeZone writes the zone of [fe80::1%eth0] as RFC 6874 wants it, %25eth0.
func escapeZone(text string) string {
	open, end := strings.Index(text, "["), strings.Index(text, "]")
	if open < 0 || end < open {
		return text
	}
	percent := strings.Index(text[open:end], "%")
	if percent < 0 || strings.HasPrefix(text[open+percent:], "%25") {
		return text
	}
	return text[:open+percent] + "%25" + text[open+percent+1:]
}

func (u URL) basicAuth() string {
	if u.user == nil {
		return ""
	}
	password, _ := u.user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(u.user.Username()+":"+password))
}
