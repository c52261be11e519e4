// Package wire turns requests into bytes and bytes into replies, without any
// I/O: the engines move the bytes.
package wire

import (
	"strconv"
	"strings"

	"ratebench/attack/plan"
)

// UserAgent is the User-Agent field of requests that do not bring their own.
const UserAgent = "ratebench"

// AppendRequest appends the HTTP/1.1 request of t to dst: head and body, as they
// go on the wire every time. The fields of t keep their order and spelling; Host,
// User-Agent and, where a body is allowed to be expected, Content-Length are
// added unless t brings them. No Accept-Encoding is added: what the server sends
// unasked is what is measured.
func AppendRequest(dst []byte, t *plan.Target) []byte {
	dst = append(dst, t.Method...)
	dst = append(dst, ' ')
	dst = append(dst, t.URL.Target...)
	dst = append(dst, " HTTP/1.1\r\n"...)
	if !has(t.Header, "Host") {
		dst = appendField(dst, "Host", t.URL.Authority)
	}
	if !has(t.Header, "User-Agent") {
		dst = appendField(dst, "User-Agent", UserAgent)
	}
	for _, f := range t.Header {
		dst = appendField(dst, f.Name, f.Value)
	}
	if needsLength(t) && !has(t.Header, "Content-Length") {
		dst = appendField(dst, "Content-Length", strconv.Itoa(len(t.Body)))
	}
	dst = append(dst, "\r\n"...)
	return append(dst, t.Body...)
}

// needsLength follows RFC 9110 section 8.6: a length with every body, and the
// length 0 with methods whose meaning expects one.
func needsLength(t *plan.Target) bool {
	return len(t.Body) > 0 || t.Method == "POST" || t.Method == "PUT" || t.Method == "PATCH"
}

// appendField writes one field line; an empty value gets no blank (RFC 9112
// section 5 makes it optional).
func appendField(dst []byte, name, value string) []byte {
	dst = append(append(dst, name...), ':')
	if value != "" {
		dst = append(append(dst, ' '), value...)
	}
	return append(dst, "\r\n"...)
}

func has(fields []plan.Field, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}
