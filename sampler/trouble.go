package sampler

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"sync"
)

// tail keeps the end of what is written to it, so that a host that never stops
// complaining fills no memory. The zero value is ready.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostTail = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-mostTail):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-mostTail):]...)
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// notStarted says why a program could not be started.
func notStarted(program string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed here: another host is reached by it", program)
	}
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err // that of fork/exec names the program again
	}
	return fmt.Errorf("starting %s, to reach another host: %w", plain(program), err)
}

// What ssh says, of which versions since 7 agree in what is sought here.
var (
	deniedText  = regexp.MustCompile(`(?m)^(\S+@\S+): Permission denied \(([^)]*)\)`)
	tooManyText = regexp.MustCompile(`Too many authentication failures`)
	keyFileText = regexp.MustCompile(`(?mi)^.*(Identity file .* not accessible.*|Load key .*|Permissions .* are too open.*)$`)
	changedText = regexp.MustCompile(`IDENTIFICATION HAS CHANGED`)
	unknownText = regexp.MustCompile(`Host key verification failed|host key is known for`)
	noNameText  = regexp.MustCompile(`Could not resolve hostname [^:]*: (.*)`)
	noRouteText = regexp.MustCompile(`connect to host .* port \d+: (.*)`)
	silentText  = regexp.MustCompile(`(?m)(Connection timed out during banner exchange)|^(?:kex_exchange_identification|ssh_exchange_identification): (.*)`)
)

// trouble makes one line of how ssh ended and what it said, the last thing it did
// if it is none of the usual.
func (l *link) trouble(status error) error {
	said := l.said.String()
	switch {
	case changedText.MatchString(said):
		return fmt.Errorf("the host key has changed: someone may be listening in, or the host was set up anew; see ssh %s", l.target())
	case unknownText.MatchString(said):
		return fmt.Errorf("the host key is not known: check its fingerprint and add it, for example with ssh %s", l.target())
	case deniedText.MatchString(said), tooManyText.MatchString(said):
		return l.denied(said)
	}
	for _, reason := range []*regexp.Regexp{noNameText, noRouteText, silentText} {
		if m := reason.FindStringSubmatch(said); m != nil {
			return fmt.Errorf("not reached: %s", plain(strings.Join(m[1:], "")))
		}
	}
	return l.ending(said, status)
}

// target is the host as arguments to ssh.
func (l *link) target() string {
	text := l.host.Name
	if l.host.User != "" {
		text = l.host.User + "@" + text
	}
	if l.host.Port != 0 {
		text = fmt.Sprintf("-p %d %s", l.host.Port, text)
	}
	return text
}

// denied says who was refused by which methods, and what was wrong with the key's
// file if anything was.
func (l *link) denied(said string) error {
	how := "authentication failed"
	if m := deniedText.FindStringSubmatch(said); m != nil {
		how += " for " + m[1] + " (" + m[2] + ")"
	}
	if tooManyText.MatchString(said) {
		how = "authentication failed: too many keys were tried; name the one to use"
	}
	if file := keyFileText.FindString(said); file != "" {
		how += ": " + strings.TrimPrefix(file, "Warning: ")
	} else if key := l.lockedKey(); key != "" {
		return fmt.Errorf("%s: %s has a passphrase, so it needs an agent that holds it (ssh-add)", plain(how), plain(key))
	}
	return errors.New(plain(how))
}

// ending is of ssh or, if that passes on the status of another, of the loop.
func (l *link) ending(said string, status error) error {
	what := "ssh ended"
	if exit, ok := errors.AsType[*exec.ExitError](status); ok {
		what = "ssh ended with " + exit.String()
		switch {
		case exit.ExitCode() == 127:
			what = "no sh was found"
		case l.greeted && exit.ExitCode() == 255 && said == "": // ssh has no other word for a signal
			what = "the sampler there was ended, as it is when it hears nothing for some seconds"
		}
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		what += ", saying " + oneLine(last)
	}
	if len(l.printed) > 0 {
		what += "; it printed " + oneLine(string(l.printed)) + " and nothing of the sampler's"
	}
	return errors.New(what)
}

// plain is text from elsewhere as part of a line: short, and what a terminal would
// obey escaped.
func plain(text string) string { return strings.Trim(oneLine(text), `"`) }
