package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// WriteText writes the report for people: what was asked for, the verdict with
// every doubt, the accounts, the times in milliseconds, and the surroundings.
// It fits on a screen of 100 columns. Numbers have a decimal point and blanks
// between thousands under every locale. Text from outside is escaped.
func WriteText(w io.Writer, d *Document) error {
	var b bytes.Buffer
	writeHead(&b, d)
	writeVerdict(&b, &d.Verdict)
	writeObjectives(&b, d)
	b.WriteByte('\n')
	writeRequests(&b, &d.Summary)
	writeRates(&b, d)
	writeErrors(&b, &d.Summary)
	writeLine(&b, "status", statuses(&d.Summary)...)
	b.WriteByte('\n')
	writeTimes(&b, d)
	writeClosed(&b, d)
	b.WriteByte('\n')
	writeSurroundings(&b, d)
	_, err := w.Write(b.Bytes())
	return err
}

// writeHead names what was asked for, on a line of its own where it does not
// fit beside the URL.
func writeHead(b *bytes.Buffer, d *Document) {
	p := d.Plan
	how := []string{
		fmt.Sprintf("%s × %s", offered(p), count(d.Summary.Planned)),
	}
	if !p.Closed() {
		how = append(how, string(p.Arrivals))
	}
	how = append(how, connectionMode(p), "timeout "+span(p.Timeout.Std()), p.Engine+" engine")
	if p.Warmup > 0 {
		how = append(how, "after "+span(p.Warmup.Std())+" of warm-up")
	}
	if d.Interrupted {
		how = append(how, "interrupted")
	}
	what, load := shown(target(p)), shown(strings.Join(how, ", "))
	if p.Closed() { // said in the first line, whatever fits there
		what = closedLoop + what
	}
	if width(what)+len(itemGap)+width(load) > pageWidth {
		b.WriteString(what + "\n" + load + "\n")
		return
	}
	b.WriteString(what + itemGap + load + "\n")
}

// target is what is requested.
func target(p *plan.Plan) string {
	what := p.Method + " " + p.URL
	if p.URL == "" {
		what = "requests of " + p.TargetsFile
	}
	return what
}

// offered is the rate asked for, or how many requests at once.
func offered(p *plan.Plan) string {
	if p.Closed() {
		return count(uint64(p.Concurrency)) + " at once"
	}
	if p.Ramp == nil {
		return grouped(p.Rate.String()) + "/s"
	}
	from, to := grouped(p.Ramp.From.String()), grouped(p.Ramp.To.String())
	whole := fmt.Sprintf("%s/s over %s", to, span(p.Duration.Std()))
	if p.Window() >= p.Duration.Std() {
		return from + "/s to " + whole
	}
	return fmt.Sprintf("%s/s to %s/s over %s, as the first part of a ramp to %s",
		from, figure(record.Number(p.RampEnd())), span(p.Window().Round(time.Millisecond)), whole)
}

func connectionMode(p *plan.Plan) string {
	switch p.RequestsPerConnection {
	case 0:
		return "kept connections"
	case 1:
		return "a connection each"
	}
	return fmt.Sprintf("%d a connection", p.RequestsPerConnection)
}

// writeRequests writes the accounts; planned = replies + errors + aborted + unsent.
func writeRequests(b *bytes.Buffer, s *record.Summary) {
	items := []string{
		"planned " + count(s.Planned), "sent " + count(s.Sent), "replies " + count(s.Replies),
		"errors " + count(s.Errors.Total),
	}
	if s.Aborted > 0 {
		items = append(items, "aborted "+count(s.Aborted))
	}
	items = append(items, "unsent "+count(s.Unsent))
	if s.Waited > 0 {
		items = append(items, "waited "+count(s.Waited))
	}
	writeLine(b, "requests", append(items, "in "+seconds(s.Elapsed))...)
}

// writeRates writes the four rates, and under them how that of the replies varied.
// Without a full second that is not known, and not 0. Where the mean, which is of the
// whole window, lies outside what full seconds had, that is said.
func writeRates(b *bytes.Buffer, d *Document) {
	s := &d.Summary
	r, g, asked := s.ReplyRate, s.Goodput, "offered "+figure(s.OfferedRate)
	if d.Plan.Closed() {
		asked = "closed loop"
	}
	writeLine(b, "rate /s", asked, "sent "+figure(s.SentRate), "replies "+figure(r.Mean),
		fmt.Sprintf("goodput %s (%s within %s)", figure(g.Rate), percent(g.Share), secondsSpan(g.Within)))
	varied := fmt.Sprintf("of replies: min %s max %s stddev %s, %s of 1 s",
		figure(r.Min), figure(r.Max), figure(r.StdDev), plural(r.Samples, "sample"))
	outside := r.Mean < r.Min && figure(r.Mean) != figure(r.Min) || r.Mean > r.Max && figure(r.Mean) != figure(r.Max)
	if outside {
		varied += "; whole window " + figure(r.Mean)
	}
	writeLine(b, "", varied)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func secondsSpan(n record.Number) string {
	if !n.Defined() {
		return undefined
	}
	return span(duration(n))
}

// writeErrors writes the classes met and a sample of what each said.
func writeErrors(b *bytes.Buffer, s *record.Summary) {
	var items []string
	for _, c := range record.ErrorClasses() {
		if n := s.Errors.Of(c); n > 0 {
			items = append(items, c.String()+" "+count(n)+phases(c, s))
		}
	}
	if len(items) == 0 {
		items = []string{"none"}
	}
	writeLine(b, "errors", items...)
	for _, c := range record.ErrorClasses() {
		if reason := s.Reasons[c.Key()]; s.Errors.Of(c) > 0 && saysMore(c, reason) {
			writeReason(b, c.String(), shown(reason))
		}
	}
}

// saysMore says whether a reason tells anything that its class does not.
func saysMore(c record.Class, reason string) bool {
	switch c {
	case record.ClientTimeout:
		return reason != "" && reason != "timed out"
	case record.ConnectionRefused:
		return reason != "" && reason != "connect: connection refused"
	}
	return reason != ""
}

// textLines bounds the lines of one text: a server's may be endless.
const textLines = 4

// writeReason writes a reason after its class, unless it begins with that word
// itself, broken at blanks where the page ends.
func writeReason(b *bytes.Buffer, class, reason string) {
	if !strings.HasPrefix(reason, class+": ") {
		reason = class + ": " + reason
	}
	for _, line := range broken(reason, pageWidth-labelWidth) {
		b.WriteString(pad("", labelWidth) + line + "\n")
	}
}

// phases says in which phase the client timeouts were.
func phases(c record.Class, s *record.Summary) string {
	if c != record.ClientTimeout {
		return ""
	}
	var parts []string
	for p := record.Queued; p < record.Phases; p++ {
		if n := s.TimeoutPhase[p.String()]; n > 0 {
			parts = append(parts, p.String()+" "+count(n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func statuses(s *record.Summary) []string {
	if len(s.Status) == 0 {
		return []string{"none"}
	}
	var items []string
	for _, code := range slices.Sorted(maps.Keys(s.Status)) {
		items = append(items, code+" × "+count(s.Status[code]))
	}
	return items
}

// writeSurroundings writes what the run used and where it took place.
func writeSurroundings(b *bytes.Buffer, d *Document) {
	s, c, server := &d.Summary, &d.Client, &d.Environment.Server
	writeLine(b, "connections", "opened "+count(s.Connections.Opened), "peak "+count(s.Connections.Peak),
		fmt.Sprintf("requests in flight mean %s, peak %s", figure(s.InFlight.Mean), count(s.InFlight.Peak)))
	writeLine(b, "bytes", bytesOf(d)...)
	writeLine(b, "server", known(server.Software, server.Protocol, addresses(server.Address),
		d.StartedAt.UTC().Format("2006-01-02 15:04:05 UTC"))...)
	writeServers(b, d)
	writeLine(b, "client", fmt.Sprintf("%s of %s", figure(c.Cores), plural(c.Available, "core")),
		"CPU "+seconds(c.CPU), "RSS peak "+size(c.RSSPeak), method(&d.Method), "ratebench "+clip(d.Version, 20))
}

// bytesOf are the bytes of the run. Those of HTTP/2's headers are not known:
// streams share a connection and what it compresses.
func bytesOf(d *Document) []string {
	n := &d.Summary.Bytes
	if d.Plan.HTTP2 {
		return []string{"received " + size(n.Content) + " of content"}
	}
	return []string{"sent " + size(n.Sent), "received " + size(n.Header) + " of headers", size(n.Content) + " of content"}
}

// method says whose receive times were taken, and a priority out of the ordinary.
func method(m *record.Method) string {
	text := m.Timestamps + " timestamps"
	if m.Priority != "" && m.Priority != "ordinary" {
		text += ", " + clip(shown(m.Priority), 16)
	}
	return text
}

// known are the texts that are not empty, none of them long.
func known(texts ...string) []string {
	var items []string
	for _, text := range texts {
		if text != "" {
			items = append(items, clip(shown(text), 40))
		}
	}
	return items
}

func addresses(all []string) string {
	if len(all) > 1 {
		return fmt.Sprintf("%s and %d more", all[0], len(all)-1)
	}
	return strings.Join(all, "")
}
