package nethttp

import (
	"fmt"

	"ratebench/attack/record"
)

// A streamReset is a stream that one side gave up. Its fields are those of
// net/http's own error, which has no name outside and fills this one by errors.As.
type streamReset struct {
	StreamID uint32
	Code     uint32 // RFC 9113 section 7
	Cause    error
}

var resetCodes = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// Error leaves out the number of the stream, so that all resets of a kind are one text.
func (r streamReset) Error() string {
	if int(r.Code) < len(resetCodes) {
		return "stream reset: " + resetCodes[r.Code]
	}
	return fmt.Sprintf("stream reset: code %#x", r.Code)
}

// class tells breaches of the protocol from servers that break off. A refused
// stream is neither: the server has not looked at the request.
func (r streamReset) class() record.Class {
	switch r.Code {
	case 0x1, 0x3, 0x6, 0x9:
		return record.Protocol
	case 0x7:
		return record.Other
	}
	return record.ConnectionReset
}
