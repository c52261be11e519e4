package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

func text(t testing.TB, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTextFitsScreen: a clean run is 24 lines, and no line is wider than the page.
func TestTextFitsScreen(t *testing.T) {
	if n := strings.Count(text(t, loadRun(t, "steady")), "\n"); n > 24 {
		t.Errorf("a clean run takes %d lines", n)
	}
	for _, name := range runNames() {
		for line := range strings.Lines(text(t, loadRun(t, name))) {
			if w := width(strings.TrimSuffix(line, "\n")); w > pageWidth {
				t.Errorf("%s: %d columns: %s", name, w, line)
			}
		}
	}
}

func TestTextSays(t *testing.T) {
	for name, phrases := range map[string][]string{
		"steady":      {"\nVALID\n", "1 000/s × 12 000", "the same: no errors"},
		"overload":    {"SUSPECT  not steady: in flight grows 100/s", "goodput 99.80 (16.6 % within 1 s)", "client-timo 3 006 (connect 430, wait 2 576)", "  > 5 s  > 5 s", "16.7 % got no reply"},
		"one-request": {"min n/a max n/a stddev n/a, 0 samples", "~0.281", "~ too few samples"},
		"all-refused": {"errors       connrefused 500\nstatus       none\n", "failed"},
		"interrupted": {"engine, interrupted\n", "× 40 000", "SUSPECT  interrupted after", "aborted 2", "unsent 38 740", "kept connections"},
		"hostile":     {"999 × 125", "000 × 50", `\x1b[2J\nVALID`, "failed"},
	} {
		got := text(t, loadRun(t, name))
		for _, phrase := range phrases {
			if !strings.Contains(got, phrase) {
				t.Errorf("%s: want %q in\n%s", name, phrase, got)
			}
		}
	}
	if strings.Contains(text(t, loadRun(t, "steady")), "~") {
		t.Error("steady: a percentile of enough samples is marked")
	}
}

// TestTextObeysNothing: no character of a hostile document reaches the terminal
// as a command, whatever member it stands in.
func TestTextObeysNothing(t *testing.T) {
	const evil = "\x1b[2J\r\nVALID\u202e\u2028\x00\u009b31m\xff"
	d := loadRun(t, "hostile")
	lines := strings.Count(text(t, d), "\n")
	d.Version, d.Plan.Method, d.Plan.URL, d.Plan.Engine, d.Plan.Arrivals = evil, evil, evil, evil, evil
	d.Environment.Server = ServerHost{Address: []string{evil, evil}, Software: evil, Protocol: evil}
	d.Verdict.Findings = []record.Finding{{Text: evil}}
	d.Summary.Reasons = map[string]string{"truncated": evil, "protocol": evil, "connection_reset": evil}
	got := text(t, d)
	if n := strings.Count(got, "\n"); n > lines+1 { // the address list may take a line more
		t.Errorf("%d lines, were %d: a line break was obeyed", n, lines)
	}
	if i := strings.IndexFunc(got, obeyed); i >= 0 {
		t.Errorf("holds %q", got[i:min(i+10, len(got))])
	}
	if strings.IndexFunc(evil, obeyed) < 0 {
		t.Error("obeyed finds nothing in the evil text")
	}
}

func obeyed(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == unicode.ReplacementChar)
}

func TestResponseAll(t *testing.T) {
	d := loadRun(t, "overload")
	d.Plan.Timeout = plan.Seconds(500*time.Millisecond + 500*time.Microsecond)
	if got := text(t, d); !strings.Contains(got, "> 500 ms  > 500 ms") || !strings.Contains(got, "timeout 500.5 ms") {
		t.Errorf("timeout 500.5 ms: want the bound rounded down and the timeout exact in\n%s", got)
	}
	d.Summary.Errors.ClientTimeout-- // one request failed in another way
	d.Summary.Errors.Other++
	if got := text(t, d); strings.Contains(got, "> 500 ms") || !strings.Contains(got, "failed  failed") {
		t.Errorf("failures of several kinds: want failed in\n%s", got)
	}
}

func TestHead(t *testing.T) {
	d := loadRun(t, "steady")
	d.Plan.URL, d.Plan.TargetsFile = "", "list.txt"
	d.Plan.RequestsPerConnection, d.Plan.Warmup = 10, plan.Seconds(5*time.Second)
	got, _, _ := strings.Cut(text(t, d), "\nVALID")
	want := "requests of list.txt\n1 000/s × 12 000, uniform, 10 a connection, timeout 5 s, epoll engine, after 5 s of warm-up"
	if got != want {
		t.Errorf("head %q, want %q", got, want)
	}
}

// Of HTTP/2 only the bytes of content are known.
func TestBytesOfHTTP2(t *testing.T) {
	d := loadRun(t, "steady")
	if got := text(t, d); !strings.Contains(got, "of headers") {
		t.Errorf("HTTP/1: no bytes of headers in\n%s", got)
	}
	d.Plan.HTTP2 = true
	got := text(t, d)
	if strings.Contains(got, "of headers") || !strings.Contains(got, "\nbytes        received 11.7 MiB of content\n") {
		t.Errorf("HTTP/2: want content only in\n%s", got)
	}
}

func TestUnits(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	u := record.Undefined()
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1 000", 40000: "40 000", 1<<64 - 1: "18 446 744 073 709 551 615"} {
		check(count(n), want)
	}
	check(fixed(-123456.78, 1), "-123 456.8")
	check(fixed(-100, 0), "-100")
	for n, want := range map[record.Number]string{0: "0.00", 0.5: "0.500", 0.9996: "1.00", 1: "1.00", 99.994: "99.99", 99.996: "100.0", 300: "300.0", 123456: "123 456.0"} {
		check(figure(n), want)
	}
	check(figure(u), "n/a")
	for n, want := range map[record.Number]string{0: "0.000", 0.0000005: "0.001", 0.0003: "0.300", 0.0099996: "10.00", 0.0999960: "100.0", 0.99996: "1 000", 2.7024: "2 702", 3600: "3 600 000"} {
		check(millis(n), want)
	}
	check(millis(u), "–")
	for d, want := range map[time.Duration]string{0: "0 s", 5 * time.Second: "5 s", 1500 * time.Millisecond: "1.5 s", 250 * time.Millisecond: "250 ms", 500500 * time.Microsecond: "500.5 ms", 20 * time.Microsecond: "20 µs", 7: "7 ns", time.Hour: "3 600 s"} {
		check(span(d), want)
	}
	for d, want := range map[time.Duration]string{5 * time.Second: "> 5 s", 500500 * time.Microsecond: "> 500 ms", 500999 * time.Microsecond: "> 500 ms", 1999 * time.Millisecond: "> 1.99 s", 999: "> 999 ns"} {
		check(beyond(d), want)
	}
	for n, want := range map[record.Number]string{0: "0.0 %", 1: "100.0 %", 0.99999: "> 99.9 %", 0.0001: "< 0.1 %", 0.335: "33.5 %"} {
		check(percent(n), want)
	}
	check(percent(u), "n/a")
	for n, want := range map[uint64]string{0: "0 B", 1023: "1 023 B", 1024: "1.0 KiB", 14680064: "14.0 MiB", 1<<64 - 1: "16.0 EiB"} {
		check(size(n), want)
	}
	for n, want := range map[record.Number]string{0.000281: "0.281 ms", 0.5: "0.50 s", 133.3333: "133.3 s", 86400: "86 400.0 s"} {
		check(seconds(n), want)
	}
	check(seconds(u), "n/a")
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"nginx/1.22.1": "nginx/1.22.1", "é × →": "é × →", `a"b'c\`: `a"b'c\`, "": "",
		"\x1b[31m\r\n\t": `\x1b[31m\r\n\t`, "\xff\xfe": `\xff\xfe`, "\u202eabc": `\u202eabc`, "�": "�", "\x00\x7f": `\x00\x7f`,
	} {
		if got := shown(in); got != want {
			t.Errorf("shown(%q) = %q, want %q", in, got, want)
		}
	}
	if got := clip("abcdef", 4); got != "abc…" {
		t.Errorf("clip = %q", got)
	}
	if got := clip("abcd", 4); got != "abcd" {
		t.Errorf("clip = %q", got)
	}
}

// A reason is told once, whole, and on no more than a few lines.
func TestWriteReason(t *testing.T) {
	indent := strings.Repeat(" ", labelWidth)
	long := "x509: " + strings.Repeat("certificate signed by nobody ", 6) + "(--insecure accepts any)"
	for _, c := range []struct{ class, reason, want string }{
		{"tls", "tls: bad", indent + "tls: bad\n"},
		{"connreset", "wait: read: reset", indent + "connreset: wait: read: reset\n"},
	} {
		var b bytes.Buffer
		if writeReason(&b, c.class, c.reason); b.String() != c.want {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
	for _, reason := range []string{long, strings.Repeat("x", 1000), strings.Repeat("é ", 1000)} {
		var b bytes.Buffer
		writeReason(&b, "tls", reason)
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, line := range lines {
			if width(line) > pageWidth || !strings.HasPrefix(line, indent) {
				t.Errorf("%d columns: %q", width(line), line)
			}
		}
		if len(lines) < 2 || len(lines) > textLines {
			t.Errorf("%d lines of %q", len(lines), reason)
		}
		whole := strings.Join(strings.Fields(b.String()), " ")
		if reason == long && whole != "tls: "+long {
			t.Errorf("%q became %q", long, whole)
		}
	}
}
