package report

import (
	"bytes"
	"fmt"
	"io"

	"ratebench/attack/record"
)

// WriteHTTPerf writes the result lines of httperf 0.9.0, in its order and with
// its units and decimals, for scripts that pick figures out of them. As there,
// a figure without a value is 0.0. Where the same word means another thing:
//
//   - test-duration is from the first due time to the end of the last request,
//     and Connection rate and Request rate are divided by it, so that the drain
//     lowers them as it does in httperf. The offered rate stands in no line.
//   - connections are those tried, as in httperf, if each request has its own;
//     else those opened.
//   - requests are those begun; httperf counts those written to the end.
//   - Connection time is our response time, from the due time to the reply's last
//     byte, of replies; httperf's is the life of connections that had one.
//   - Reply time: response is the mean from the due time to the first byte, so
//     that response + transfer is our mean response time. httperf's begins with
//     the sending and leaves connecting out.
//   - connect includes the TLS handshake, as in httperf, but only of connections
//     that came about.
//   - Reply rate is sampled over 1 s, not 5 s; avg is over the whole window, and min
//     and max take it in: without a full second all three are the same, not 0.
//   - Connection length is replies per connection of the first line.
//   - CPU time is the client's, as in httperf. In documents that do not keep user and
//     system apart all of it is printed as user.
//   - Statuses outside 100 to 599 are in 5xx, where httperf puts what it cannot
//     read.
//   - The errors have httperf's eight classes: truncated is in connreset, as an
//     early orderly close is in httperf; protocol, tls and stale are in other.
//     Requests never sent, or aborted by an interrupt, are no errors there, so
//     errors + replies may be less than was planned.
func WriteHTTPerf(w io.Writer, d *Document) error {
	var b bytes.Buffer
	writeConnectionLines(&b, &d.Summary, connectionsTried(d))
	writeRequestLines(&b, &d.Summary)
	writeReplyLines(&b, &d.Summary)
	writeUsageLines(&b, d)
	writeErrorLines(&b, &d.Summary.Errors)
	_, err := w.Write(b.Bytes())
	return err
}

func writeConnectionLines(b *bytes.Buffer, s *record.Summary, tried uint64) {
	t, elapsed := &s.Time, s.Elapsed
	fmt.Fprintf(b, "Total: connections %d requests %d replies %d test-duration %.3f s\n\n",
		tried, s.Sent, s.Replies, orZero(elapsed))
	fmt.Fprintf(b, "Connection rate: %.1f conn/s (%.1f ms/conn, <=%d concurrent connections)\n",
		over(tried, elapsed), inverse(tried, elapsed), s.Connections.Peak)
	fmt.Fprintf(b, "Connection time [ms]: min %.1f avg %.1f max %.1f median %.1f stddev %.1f\n",
		inMillis(t.Response.Min), inMillis(t.Response.Mean), inMillis(t.Response.Max),
		inMillis(t.Response.P50), inMillis(t.Response.StdDev))
	fmt.Fprintf(b, "Connection time [ms]: connect %.1f\n", inMillis(t.Connect.Mean)+inMillis(t.TLS.Mean))
	fmt.Fprintf(b, "Connection length [replies/conn]: %.3f\n\n", share(s.Replies, tried))
}

// connectionsTried is the number of connects begun: that of the requests begun
// where each has a connection of its own.
func connectionsTried(d *Document) uint64 {
	if d.Plan.RequestsPerConnection == 1 {
		return d.Summary.Sent
	}
	return d.Summary.Connections.Opened
}

func writeRequestLines(b *bytes.Buffer, s *record.Summary) {
	fmt.Fprintf(b, "Request rate: %.1f req/s (%.1f ms/req)\n", over(s.Sent, s.Elapsed), inverse(s.Sent, s.Elapsed))
	fmt.Fprintf(b, "Request size [B]: %.1f\n\n", share(s.Bytes.Sent, s.Sent))
}

func writeReplyLines(b *bytes.Buffer, s *record.Summary) {
	r, t := &s.ReplyRate, &s.Time
	least, most := aroundMean(r)
	fmt.Fprintf(b, "Reply rate [replies/s]: min %.1f avg %.1f max %.1f stddev %.1f (%d samples)\n",
		orZero(least), orZero(r.Mean), orZero(most), orZero(r.StdDev), r.Samples)
	transfer := inMillis(t.Transfer.Mean)
	fmt.Fprintf(b, "Reply time [ms]: response %.1f transfer %.1f\n",
		max(inMillis(t.Response.Mean)-transfer, 0), transfer)
	header, content := share(s.Bytes.Header, s.Replies), share(s.Bytes.Content, s.Replies)
	fmt.Fprintf(b, "Reply size [B]: header %.1f content %.1f footer 0.0 (total %.1f)\n", header, content, header+content)
	n := statusClasses(s.Status)
	fmt.Fprintf(b, "Reply status: 1xx=%d 2xx=%d 3xx=%d 4xx=%d 5xx=%d\n\n", n[1], n[2], n[3], n[4], n[5]+n[0])
}

func writeUsageLines(b *bytes.Buffer, d *Document) {
	s := &d.Summary
	user, system := clientCPU(&d.Client)
	used := func(cpu float64) float64 { return 100 * orZero(record.Ratio(cpu, orZero(s.Elapsed))) }
	fmt.Fprintf(b, "CPU time [s]: user %.2f system %.2f (user %.1f%% system %.1f%% total %.1f%%)\n",
		user, system, used(user), used(system), used(user+system))
	perSecond := over(s.Bytes.Sent+s.Bytes.Header+s.Bytes.Content, s.Elapsed)
	fmt.Fprintf(b, "Net I/O: %.1f KB/s (%.1f*10^6 bps)\n\n", perSecond/1024, perSecond*8/1e6)
}

// clientCPU is the client's CPU time in seconds, 0 where it is not known.
func clientCPU(c *record.Client) (user, system float64) {
	if !c.CPUUser.Defined() {
		return orZero(c.CPU), 0
	}
	return orZero(c.CPUUser), orZero(c.CPUSystem)
}

func writeErrorLines(b *bytes.Buffer, e *record.Errors) {
	fmt.Fprintf(b, "Errors: total %d client-timo %d socket-timo %d connrefused %d connreset %d\n",
		e.Total, e.ClientTimeout, e.SocketTimeout, e.ConnectionRefused, e.ConnectionReset+e.Truncated)
	fmt.Fprintf(b, "Errors: fd-unavail %d addrunavail %d ftab-full %d other %d\n",
		e.FDUnavailable, e.AddressUnavailable, e.FileTableFull, e.Protocol+e.TLS+e.Stale+e.Other)
}

// statusClasses counts replies by the first digit of their status; index 0 is
// for statuses outside 100 to 599.
func statusClasses(status map[string]uint64) [6]uint64 {
	var classes [6]uint64
	for code, n := range status {
		class := 0
		if len(code) == 3 && code[0] >= '1' && code[0] <= '5' {
			class = int(code[0] - '0')
		}
		classes[class] += n
	}
	return classes
}

// aroundMean are the least and the greatest reply rate of formats that print them
// beside the mean. They are of full seconds and the mean is of the whole window, so
// that it may lie outside them: after a last second that is not full, or if none
// is. They take it in, for a mean below the least is read as a fault.
func aroundMean(r *record.RateStats) (least, most record.Number) {
	if r.Samples == 0 {
		return r.Mean, r.Mean
	}
	return min(r.Min, r.Mean), max(r.Max, r.Mean)
}

func orZero(n record.Number) float64 {
	if !n.Defined() {
		return 0
	}
	return float64(n)
}

func inMillis(n record.Number) float64 { return orZero(n) * 1e3 }

// over is n per second of elapsed, 0 if there were none.
func over(n uint64, elapsed record.Number) float64 {
	return orZero(record.Ratio(float64(n), orZero(elapsed)))
}

// inverse is the milliseconds of elapsed for each of n, 0 if n is.
func inverse(n uint64, elapsed record.Number) float64 {
	return inMillis(record.Ratio(orZero(elapsed), float64(n)))
}

func share(sum, n uint64) float64 { return orZero(record.Ratio(float64(sum), float64(n))) }
