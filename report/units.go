package report

import (
	"strconv"
	"strings"
	"time"

	"ratebench/attack/record"
)

// undefined is what reports for people print in place of a figure without a value.
const undefined = "n/a"

// count writes n with a blank between groups of three digits.
func count(n uint64) string { return grouped(strconv.FormatUint(n, 10)) }

// fixed writes f with the given decimals and blanks between groups of three
// digits. The decimal mark is a point under every locale.
func fixed(f float64, decimals int) string {
	return grouped(strconv.FormatFloat(f, 'f', decimals, 64))
}

func grouped(digits string) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 && whole[i-1] != '-' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// figure writes a rate or a mean count: a decimal from 100 on, two below, three below 1.
func figure(n record.Number) string {
	switch f := float64(n); {
	case !n.Defined():
		return undefined
	case f >= 99.995:
		return fixed(f, 1)
	case f >= 0.9995 || f == 0:
		return fixed(f, 2)
	default:
		return fixed(f, 3)
	}
}

// millis writes a number of seconds in milliseconds, without the unit, to the
// four digits that a histogram of three tells apart, and to the microsecond at best.
func millis(n record.Number) string {
	ms := float64(n) * 1e3
	switch {
	case !n.Defined():
		return "–"
	case ms < 9.9995:
		return fixed(ms, 3)
	case ms < 99.995:
		return fixed(ms, 2)
	case ms < 999.95:
		return fixed(ms, 1)
	}
	return fixed(ms, 0)
}

// span writes a duration in s, ms, µs or ns, whichever leaves a number of at
// least 1, with no more digits than it needs.
func span(d time.Duration) string {
	unit, name := time.Nanosecond, "ns"
	switch {
	case d >= time.Second || d == 0:
		unit, name = time.Second, "s"
	case d >= time.Millisecond:
		unit, name = time.Millisecond, "ms"
	case d >= time.Microsecond:
		unit, name = time.Microsecond, "µs"
	}
	return grouped(strconv.FormatFloat(float64(d)/float64(unit), 'f', -1, 64)) + " " + name
}

// beyond says that something took longer than d. d is shortened to three
// digits: a lower bound stays true when it is rounded down, and only then.
func beyond(d time.Duration) string {
	step := time.Duration(1)
	for d/step >= 1000 {
		step *= 10
	}
	return "> " + span(d-d%step)
}

// percent writes a share with one decimal. Only all is 100 % and only nothing is 0 %.
func percent(share record.Number) string {
	p := float64(share) * 100
	switch {
	case !share.Defined():
		return undefined
	case p < 100 && p >= 99.95:
		return "> 99.9 %"
	case p > 0 && p < 0.05:
		return "< 0.1 %"
	}
	return fixed(p, 1) + " %"
}

// size writes a number of bytes in the unit that leaves up to four digits.
func size(bytes uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	value, unit := float64(bytes), 0
	for value >= 1023.95 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return count(bytes) + " B"
	}
	return fixed(value, 1) + " " + units[unit]
}

// seconds writes a number of seconds with the unit, in milliseconds below 0.1 s.
func seconds(n record.Number) string {
	switch {
	case !n.Defined():
		return undefined
	case n < 0.1:
		return millis(n) + " ms"
	case n < 9.995:
		return fixed(float64(n), 2) + " s"
	}
	return fixed(float64(n), 1) + " s"
}
