package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// position is a byte offset of text as line:column, both counted from 1, the
// column in bytes.
func position(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%d:%d", line, column)
}

// offsetOf is where the value at path begins in a valid JSON text, or where the
// innermost value begins that holds the rest of path.
func offsetOf(text []byte, path []string) int64 {
	dec := json.NewDecoder(bytes.NewReader(text))
	start := valueStart(text, dec)
	for ; len(path) > 0 && enter(dec, path[0]); path = path[1:] {
		start = valueStart(text, dec)
	}
	return start
}

// valueStart is where dec's next value begins, beyond blanks and punctuation.
func valueStart(text []byte, dec *json.Decoder) int64 {
	offset := dec.InputOffset()
	return offset + int64(len(text[offset:])-len(bytes.TrimLeft(text[offset:], " \t\r\n:,")))
}

// enter moves dec into its next value, up to the member or element called
// name. It says whether there is one.
func enter(dec *json.Decoder, name string) bool {
	switch open, _ := dec.Token(); open {
	case json.Delim('{'):
		for dec.More() {
			if key, _ := dec.Token(); key == name {
				return true
			}
			skip(dec)
		}
	case json.Delim('['):
		for i := 0; dec.More(); i++ {
			if strconv.Itoa(i) == name {
				return true
			}
			skip(dec)
		}
	}
	return false
}

// skip passes over dec's next value. The text is known to be valid.
func skip(dec *json.Decoder) {
	var value json.RawMessage
	_ = dec.Decode(&value)
}
