package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func httperf(t testing.TB, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTTPerf(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// figuresOfScripts are what autobench looks for, anchored as there: a number is
// digits, a point and at least a digit, and begins where the fixed words end.
func figuresOfScripts() map[string]*regexp.Regexp {
	const decimal = `([0-9]+\.[0-9])`
	return map[string]*regexp.Regexp{
		"replies":         regexp.MustCompile(`(?m)^Total: .*replies ([0-9]+)`),
		"connection rate": regexp.MustCompile(`(?m)^Connection rate: ` + decimal),
		"request rate":    regexp.MustCompile(`(?m)^Request rate: ` + decimal),
		"reply rate":      regexp.MustCompile(`(?m)^Reply rate .*min ` + decimal + ` avg ` + decimal + ` max ` + decimal + ` stddev ` + decimal),
		"reply time":      regexp.MustCompile(`(?m)^Reply time .* response ` + decimal),
		"net i/o":         regexp.MustCompile(`(?m)^Net I/O: ` + decimal),
		"errors":          regexp.MustCompile(`(?m)^Errors: total ([0-9]+)`),
	}
}

func TestHTTPerfForScripts(t *testing.T) {
	for _, name := range runNames() {
		text := httperf(t, loadRun(t, name))
		for figure, pattern := range figuresOfScripts() {
			if n := len(pattern.FindAllString(text, -1)); n != 1 {
				t.Errorf("%s: %s is found %d times, want once, in\n%s", name, figure, n, text)
			}
		}
	}
	text := httperf(t, loadRun(t, "overload"))
	for figure, want := range map[string][]string{
		"replies": {"14994"}, "connection rate": {"514.3"}, "request rate": {"514.3"},
		"reply rate": {"495.0", "499.8", "500.0", "0.9"}, "reply time": {"2500.9"}, "net i/o": {"566.2"}, "errors": {"3006"},
	} {
		got := figuresOfScripts()[figure].FindStringSubmatch(text)[1:]
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %q, want %q", figure, got, want)
		}
	}
	if figuresOfScripts()["net i/o"].MatchString("Net I/O: 36,4 KB/s") {
		t.Error("a decimal comma passed")
	}
}

// httperfShape is the result of httperf 0.9.0 with every number replaced.
const httperfShape = `Total: connections N requests N replies N test-duration F3 s

Connection rate: F1 conn/s (F1 ms/conn, <=N concurrent connections)
Connection time [ms]: min F1 avg F1 max F1 median F1 stddev F1
Connection time [ms]: connect F1
Connection length [replies/conn]: F3

Request rate: F1 req/s (F1 ms/req)
Request size [B]: F1

Reply rate [replies/s]: min F1 avg F1 max F1 stddev F1 (N samples)
Reply time [ms]: response F1 transfer F1
Reply size [B]: header F1 content F1 footer F1 (total F1)
Reply status: 1xx=N 2xx=N 3xx=N 4xx=N 5xx=N

CPU time [s]: user F2 system F2 (user F1% system F1% total F1%)
Net I/O: F1 KB/s (F1*10^6 bps)

Errors: total N client-timo N socket-timo N connrefused N connreset N
Errors: fd-unavail N addrunavail N ftab-full N other N
`

// TestHTTPerfShape holds the output to httperf's byte for byte, but for digits.
func TestHTTPerfShape(t *testing.T) {
	pattern := regexp.QuoteMeta(httperfShape)
	for mark, digits := range map[string]string{"N": `[0-9]+`, "F1": `[0-9]+\.[0-9]`, "F2": `[0-9]+\.[0-9]{2}`, "F3": `[0-9]+\.[0-9]{3}`} {
		pattern = regexp.MustCompile(`\b`+mark+`\b`).ReplaceAllString(pattern, digits)
	}
	shape := regexp.MustCompile(`^` + pattern + `$`)
	for _, name := range runNames() {
		if text := httperf(t, loadRun(t, name)); !shape.MatchString(text) {
			t.Errorf("%s: not httperf's shape:\n%s", name, text)
		}
	}
	if shape.MatchString(strings.Replace(httperf(t, loadRun(t, "steady")), "Net I/O", "NetIO", 1)) {
		t.Error("another shape passed")
	}
}

func TestHTTPerfClasses(t *testing.T) {
	d := loadRun(t, "hostile")
	text := httperf(t, d)
	for _, want := range []string{
		"Errors: total 200 client-timo 0 socket-timo 0 connrefused 0 connreset 100\n", // 50 of them truncated
		"Errors: fd-unavail 0 addrunavail 0 ftab-full 0 other 100\n",                  // 50 of them protocol
		"Reply status: 1xx=0 2xx=350 3xx=50 4xx=125 5xx=275\n",                        // 999 and 000 among the last
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestHTTPerfStatusSum: whatever the statuses, the classes add up to the replies.
func TestHTTPerfStatusSum(t *testing.T) {
	classes := regexp.MustCompile(`(?m)^Reply status: 1xx=([0-9]+) 2xx=([0-9]+) 3xx=([0-9]+) 4xx=([0-9]+) 5xx=([0-9]+)$`)
	for status, want := range map[string]string{
		"599": "0 0 0 0 7", "600": "0 0 0 0 7", "999": "0 0 0 0 7", "000": "0 0 0 0 7", "099": "0 0 0 0 7", "2000": "0 0 0 0 7", "": "0 0 0 0 7",
		"100": "7 0 0 0 0", "299": "0 7 0 0 0", "499": "0 0 0 7 0",
	} {
		d := loadRun(t, "steady")
		d.Summary.Replies, d.Summary.Status = 7, map[string]uint64{status: 7}
		if got := strings.Join(classes.FindStringSubmatch(httperf(t, d))[1:], " "); got != want {
			t.Errorf("seven of %q: %s, want %s", status, got, want)
		}
	}
}
