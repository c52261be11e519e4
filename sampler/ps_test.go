package sampler

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// freePort is one that nobody listened at a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func me(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// eventually waits for what takes an unknown time, and fails when that is over.
func eventually(t *testing.T, atMost time.Duration, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(atMost); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", atMost, what)
		}
	}
}

// psLine is a line of ps.
type psLine struct{ pid, parent, session int }

// psAll is all that run.
func psAll() []psLine {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var all []psLine
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		rest := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		p := psLine{}
		p.pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(f)))
		p.parent, _ = strconv.Atoi(rest[1])
		p.session, _ = strconv.Atoi(rest[3])
		if rest[0] != "Z" {
			all = append(all, p)
		}
	}
	return all
}

// descendants are the processes below one, their children behind them.
func descendants(of int) []int {
	var found []int
	all := psAll()
	for queue := []int{of}; len(queue) > 0; queue = queue[1:] {
		for _, p := range all {
			if p.parent == queue[0] {
				found = append(found, p.pid)
				queue = append(queue, p.pid)
			}
		}
	}
	return found
}

// leftOf are the processes of the sessions that began with a command line in which
// the text stands.
func leftOf(sessions map[int]bool) int {
	n := 0
	for _, p := range psAll() {
		if sessions[p.session] {
			n++
		}
	}
	return n
}

// sessionsOf are those in which a process has the text in its command line.
func sessionsOf(text string) map[int]bool {
	found := map[int]bool{}
	for _, p := range psAll() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if strings.Contains(string(line), text) {
			found[p.session] = true
		}
	}
	return found
}

// wantOneLine is for messages: one line of reasonable length, without control
// characters.
func wantOneLine(t *testing.T, err error) {
	t.Helper()
	if fault := notOneLine(err.Error()); fault != "" {
		t.Errorf("%q %s", err, fault)
	}
}

func notOneLine(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		return fmt.Sprintf("has a control character at %d", i)
	}
	if len(text) > 500 || text == "" {
		return fmt.Sprintf("has %d bytes", len(text))
	}
	return ""
}

func TestNotOneLine(t *testing.T) {
	for text, bad := range map[string]bool{"a line": false, "two\nlines": true, "\x1b[2J": true, "": true, strings.Repeat("x", 600): true} {
		if (notOneLine(text) != "") != bad {
			t.Errorf("notOneLine(%q) = %q", text, notOneLine(text))
		}
	}
}
