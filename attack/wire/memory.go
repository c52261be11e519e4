package wire

import "bytes"

// maxKnown bounds the header block that is remembered, in bytes. Common ones have
// 150 to 500, and each connection may keep one.
const maxKnown = 1 << 10

// block is the header block of the last reply and what it says, interim replies
// included. A server under test answers with the same block over and over, at most
// with another Date each second, so that comparing it saves most of the work of
// reading a reply. That is sound as a block says the same whatever follows it.
type block struct {
	bytes  []byte
	status int
	minor  int
	header header
}

// remember keeps a block that has just been read whole.
func (r *Reply) remember(b []byte) {
	if len(b) > maxKnown {
		return
	}
	r.known = block{append(r.known.bytes[:0], b...), r.Status, r.Minor, r.header}
}

// recall takes the block that b begins with if it is the known one, and returns its
// length, else 0. What the known one says of the server was not kept.
func (r *Reply) recall(b []byte) int {
	k := &r.known
	if len(k.bytes) == 0 || r.WantServer || !bytes.HasPrefix(b, k.bytes) {
		return 0
	}
	r.Status, r.Minor, r.HeaderBytes, r.header = k.status, k.minor, len(k.bytes), k.header
	r.beginBody()
	return len(k.bytes)
}
