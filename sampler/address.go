package sampler

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Host names the host to watch. The zero value is this machine.
type Host struct {
	User string // empty leaves it to ssh
	Name string // as ssh is to be told: a name, an address or an alias of ssh_config(5); empty is this machine
	Port uint16 // 0 leaves it to ssh
}

// Local says whether h is this machine.
func (h Host) Local() bool { return h.Name == "" }

// String is local or user@name:port.
func (h Host) String() string {
	if h.Local() {
		return "local"
	}
	text := h.Name
	if h.Port != 0 {
		text = net.JoinHostPort(h.Name, strconv.Itoa(int(h.Port)))
	}
	if h.User != "" {
		text = h.User + "@" + text
	}
	return text
}

// ParseHost reads local or ssh://[USER@]HOST[:PORT].
func ParseHost(text string) (Host, error) {
	if text == "local" {
		return Host{}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ssh" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return Host{}, fmt.Errorf("%q: want local or ssh://[USER@]HOST[:PORT]", masked(text))
	}
	h := Host{Name: u.Hostname(), User: u.User.Username()}
	if _, secret := u.User.Password(); secret {
		return Host{}, fmt.Errorf("%q: a password has no place here: ssh uses keys", u.Redacted())
	}
	if option := firstOption(h.Name, h.User); option != "" {
		return Host{}, fmt.Errorf("%q: %q would be an option to ssh", text, option)
	}
	if strings.ContainsFunc(h.User+h.Name, unprintable) {
		return Host{}, fmt.Errorf("%q: want no blanks or control characters in it", text)
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return Host{}, fmt.Errorf("%q: want a port from 1 to 65535", text)
		}
		h.Port = uint16(port)
	}
	return h, nil
}

// firstOption is the first of texts that a program would take for an option.
func firstOption(texts ...string) string {
	for _, t := range texts {
		if strings.HasPrefix(t, "-") {
			return t
		}
	}
	return ""
}

func unprintable(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

// masked is text without what looks like a password: what stands between a colon and
// the last @.
func masked(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	from := strings.Index(text[:at], "//") + 1 // 0 without a scheme
	colon := strings.IndexByte(text[from:at], ':')
	if colon < 0 {
		return text
	}
	return text[:from+colon+1] + "xxxxx" + text[at:]
}

// ofHost names the host in each of the faults that err joins, which are lines.
func ofHost(host Host, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("watching %s: %w", host, err)
	}
	var faults []error
	for _, fault := range joined.Unwrap() {
		faults = append(faults, ofHost(host, fault))
	}
	return errors.Join(faults...)
}
