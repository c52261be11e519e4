package wire

import (
	"bytes"
	"testing"
)

// FuzzReply holds Reply against net/http: whatever the bytes are, however they are
// cut, for GET and HEAD.
func FuzzReply(f *testing.F) {
	for i, reply := range replies {
		if len(reply) < 3000 { // the long ones are tried in TestRepliesAreReadAsByNetHTTP
			f.Add([]byte(reply), i%4 == 3, []byte{byte(i), 0, byte(7 * i)})
		}
	}
	f.Fuzz(func(t *testing.T, input []byte, head bool, cuts []byte) {
		check(t, input, head, cuts)
	})
}

func TestRepliesAreReadAsByNetHTTP(t *testing.T) {
	for _, reply := range replies {
		for _, head := range []bool{false, true} {
			check(t, []byte(reply), head, bytes.Repeat([]byte{250, 3}, len(reply)/253))
		}
	}
}

func TestRepliesCutAtAnyByteAreReadAsByNetHTTP(t *testing.T) {
	for _, reply := range replies {
		for n := range min(len(reply), 160) {
			check(t, []byte(reply[:n]), false, []byte{byte(n / 2)})
		}
	}
}
