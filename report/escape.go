package report

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shown is text with every character that does not print written as an escape:
// control characters, line breaks, marks that turn the direction of writing,
// and bytes that are not UTF-8. A terminal shows it and obeys none of it.
func shown(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(text[:size])
		} else {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// valid is text with each byte that is not UTF-8 as an escape: JSON has only
// characters (RFC 8259, section 8.1).
func valid(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		_, size := utf8.DecodeRuneInString(text)
		if utf8.ValidString(text[:size]) {
			b.WriteString(text[:size])
		} else {
			b.WriteString(`\x` + hex.EncodeToString([]byte(text[:size])))
		}
		text = text[size:]
	}
	return b.String()
}

// clip cuts text to at most width characters, the last one being … if any is lost.
// Bytes that are not UTF-8 count as one each and stay as they are, for shown.
func clip(text string, width int) string {
	n, last := 0, 0
	for i := range text {
		switch n {
		case width - 1:
			last = i
		case width:
			return text[:last] + "…"
		}
		n++
	}
	return text
}
