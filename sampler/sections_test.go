package sampler

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// numbers are those of a stat file behind the state.
var numbers = strings.TrimSpace(strings.Repeat("7 ", 49))

func statLine(pid int, name string) string {
	return fmt.Sprintf("%d (%s) S %s\n", pid, name, numbers)
}

// A name cannot make a record of its own or hide another's (proc_pid_stat(5)).
func TestStats(t *testing.T) {
	names := []string{"init", "a b", ") S 1\n2 (x", "(((", ")))", "\n\n", "3 (y) S 1 1 1\n", "", ") S 1 1 1 1 1", "kworker/u16:3-events_unbound_and_more_of_a_name_that_is_long"}
	var text, want strings.Builder
	for i, name := range names {
		text.WriteString(statLine(i+1, name))
		want.WriteString(statLine(i+1, name))
		if i == 4 {
			text.WriteString("no record\n7 no record\n(8) S 1\n")
		}
	}
	text.WriteString("99 (unfinished) S 1 1")
	var got strings.Builder
	next := int32(1)
	for pid, record := range stats([]byte(text.String())) {
		if pid != next {
			t.Errorf("process %d, want %d", pid, next)
		}
		next++
		got.Write(record)
	}
	if got.String() != want.String() {
		t.Errorf("got  %q\nwant %q", got.String(), want.String())
	}
	for pid, record := range stats([]byte(text.String())) {
		if pid != 1 || string(record) != statLine(1, "init") {
			t.Errorf("first is %d: %q", pid, record)
		}
		break
	}
}

func TestStatuses(t *testing.T) {
	text := "Name:\ta\\nName:\nPid:\t5\nVmRSS:\t1 kB\nName:\tnone\nPid:\tx\nName:\tb\nTgid:\t6\nPid:\t6\n"
	got := maps.Collect(statuses([]byte(text)))
	if len(got) != 2 || string(got[5]) != "Name:\ta\\nName:\nPid:\t5\nVmRSS:\t1 kB\n" || string(got[6]) != "Name:\tb\nTgid:\t6\nPid:\t6\n" {
		t.Errorf("%q", got)
	}
}

func TestOwners(t *testing.T) {
	text := "/proc/5/fd:\ntotal 0\n" +
		"lrwx------ 1 0 0 64 Nov 30 21:00 3 -> socket:[77]\n" +
		"lrwx------ 1 0 0 64 Nov 30 21:00 4 -> socket:[77]\n" +
		"lr-x------ 1 0 0 64 Nov 30 21:00 5 -> pipe:[78]\n" +
		"lr-x------ 1 0 0 64 Nov 30 21:00 6 -> socket:[x]\n" +
		"\n/proc/self/fd:\nlrwx------ 1 0 0 64 Nov 30 21:00 3 -> socket:[79]\n" +
		"/proc/6/fd:\nlrwx------    1 1000     1000            64 Nov 30 21:00 3 -> socket:[77]\n"
	got := owners([]byte(text))
	if len(got) != 1 || !slices.Equal(got[77], []int32{5, 6}) {
		t.Errorf("%v, want 77 to be of 5 and 6", got)
	}
}

func TestSections(t *testing.T) {
	s := &sections{[]byte("a\nSEP\nSEP\nno endSEP\nrest"), []byte("SEP\n")}
	for _, want := range []string{"a\n", "", "no end"} {
		if got, err := s.next(); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if got, err := s.next(); err == nil {
		t.Errorf("%q without a separator behind it", got)
	}
}

func TestSpentBy(t *testing.T) {
	line := "5 (a) b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 " + numbers + "\n"
	if got := spentBy([]byte(line)).Milliseconds(); got != 1270 {
		t.Errorf("%d ms, want 1270", got)
	}
}

// anAnswer is a whole one with all that can be asked for.
func anAnswer(sep string) string {
	return "1.50 2.5\n" + strings.Repeat("x\n"+sep, 6) + statLine(1, "init") + statLine(2, "a\nb") + sep + "Name:\ta\nPid:\t1\n" + sep +
		strings.Repeat("y\n"+sep, 5) + "/proc/1/fd:\nlrwx 3 -> socket:[4]\n" + sep +
		strings.Repeat("Name:\ta\nPid:\t1\n"+sep+"a\x00b"+sep+"0::/\n"+sep, 3)
}

// An answer that is cut off is an error, as is one in which a file is missing.
func TestAnswerCutOff(t *testing.T) {
	const sep = "SEP\n"
	l := newTestLayout(t)
	want := wanted{find: true, sockets: true, files: []string{"/a"}}
	read := func(text string) error {
		r := &remote{link: &link{}, layout: l, separator: []byte(sep), loop: []int32{1}}
		return r.lay(t.Context(), &view{}, want, exchange{}, []byte(text))
	}
	whole := anAnswer(sep)
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	process := len(whole) - len("Name:\ta\nPid:\t1\n"+sep+"a\x00b"+sep+"0::/\n"+sep)
	for n := range whole {
		oneLess := n == process || n == 2*process-len(whole) || n == 3*process-2*len(whole)
		if err := read(whole[:n]); (err == nil) != oneLess {
			t.Errorf("cut to %d bytes of %d: error %v, want one: %v", n, len(whole), err, !oneLess)
		}
	}
	if err := read(strings.Repeat(sep, 30)); err == nil {
		t.Error("an answer without an uptime was taken")
	}
}

// Nothing that a host sends makes us panic or read outside of it.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(anAnswer("SEP\n")))
	f.Add([]byte(statLine(1, ") S  1  1") + "1 (a) S" + strings.Repeat(" ", 40) + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for s := (&sections{text, []byte("SEP\n")}); ; {
			if _, err := s.next(); err != nil {
				break
			}
		}
		for pid, record := range stats(text) {
			if pid < 1 || !bytes.Contains(text, record) || spentBy(record) < 0 && !bytes.Contains(record, []byte("-")) && len(record) < 200 {
				t.Errorf("%d: %q", pid, record)
			}
		}
		for pid := range statuses(text) {
			if pid < 1 {
				t.Errorf("status of %d", pid)
			}
		}
		for _, pids := range owners(text) {
			if len(pids) == 0 || slices.Min(pids) < 1 {
				t.Errorf("owners %v", pids)
			}
		}
	})
}
