package wire

import "encoding/binary"

// nameByte tells the bytes of a field name (RFC 9110 section 5.6.2), and the blank
// before a colon, which net/http lets pass.
var nameByte = [256]bool{
	' ': true, '!': true, '#': true, '$': true, '%': true, '&': true, '\'': true, '*': true,
	'+': true, '-': true, '.': true, '^': true, '_': true, '`': true, '|': true, '~': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true,
	'J': true, 'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true,
	'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true,
	'j': true, 'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true,
	's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
}

// nameLen is the length of the field name that line begins with, 0 if it does not
// begin with a name and a colon.
func nameLen(line []byte) int {
	n := 0
	for n < len(line) && nameByte[line[n]] {
		n++
	}
	if n == len(line) || line[n] != ':' {
		return 0
	}
	return n
}

// isText says that b holds no control characters but tabs (RFC 9110 section 5.5).
// It looks at eight bytes at a time and without branches, the last eight apart and
// perhaps twice, as nearly all of a header is text.
func isText(b []byte) bool {
	if len(b) < 8 {
		return isTextSlow(b)
	}
	found := controls(b[len(b)-8:])
	for rest := b; len(rest) >= 8; rest = rest[8:] {
		found |= controls(rest)
	}
	return found == 0 || isTextSlow(b)
}

// controls is not 0 if one of the first eight bytes is below 0x20 or 0x7f. Added to
// the lower seven bits, 0x60 carries into the top one from 0x20 on, and 1 from 0x7f on.
func controls(b []byte) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(b)
	low := w &^ high
	return (^(low + 0x60*ones) | (low + ones)) &^ w & high
}

func isTextSlow(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func dropCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

func trim(b []byte) []byte { return trimLeft(trimRight(b)) }

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	return b
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares b with text, ignoring the case of ASCII letters.
func equalFold(b []byte, text string) bool {
	if string(b) == text { // as nearly every server spells it
		return true
	}
	if len(b) != len(text) {
		return false
	}
	for i, c := range b {
		if lower(c) != lower(text[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// parseHex reads a number of 1 to 16 hexadecimal digits.
func parseHex(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		switch c = lower(c); {
		case isDigit(c):
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, len(b) >= 1 && len(b) <= 16
}
