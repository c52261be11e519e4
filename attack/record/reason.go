package record

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
)

// Reason is an Outcome's reason: the phase and what failed in it, which may name
// the phase itself already.
func Reason(p Phase, cause string) string {
	if strings.HasPrefix(cause, p.String()+":") {
		return cause
	}
	return p.String() + ": " + cause
}

// TLSReason is the cause of a failure of TLS without addresses, so that a million
// of them are one text. It names the options that help, if there are any.
func TLSReason(err error) string {
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.As(err, &header) && string(header.RecordHeader[:]) == "HTTP/":
		return "server gave HTTP response: it speaks plain HTTP on this port"
	case errors.As(err, &verify):
		return verify.Error() + " (--ca FILE trusts its issuer, --server-name NAME expects another name, --insecure accepts any)"
	case isAlert(err) && errors.As(err, &op):
		return op.Op + ": " + op.Err.Error() + hint(op.Err)
	case errors.As(err, &op) && op.Err != nil:
		return op.Err.Error()
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	}
	return err.Error()
}

// IsTLS tells a failure of TLS itself: an alert, sent or received, or what is no
// TLS record.
func IsTLS(err error) bool {
	var header tls.RecordHeaderError
	return isAlert(err) || errors.As(err, &header)
}

// isAlert tells a TLS alert, sent or received. It may come after the handshake, as
// TLS 1.3 servers send it for a missing client certificate. crypto/tls has no
// type for it but names the operation.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Err != nil && (op.Op == "remote error" || op.Op == "local error")
}

// hint names the options for an alert that asks for a client certificate:
// certificate_required, or bad_certificate before TLS 1.3 (RFC 8446 section 6).
func hint(alert error) string {
	const bad, required = tls.AlertError(42), tls.AlertError(116)
	if text := alert.Error(); text == bad.Error() || text == required.Error() {
		return " (--cert and --key give the server one)"
	}
	return ""
}

// MissedClose is the reason of a reply over TLS that was to end with the
// connection, whose end did not come from the server for certain: a fault or an
// attacker may have cut it short (RFC 9112 section 9.8).
const MissedClose = "connection closed without TLS close_notify: the reply may be cut short"

// Crossed tells a reply that was meant for nobody: 408 and close, on a kept
// connection that the server had waited on in vain (RFC 9110 section 15.5.9). A
// request that crossed it on the way was not answered.
func (o *Outcome) Crossed(status int, closing bool) bool {
	return o.Reused && closing && status == http.StatusRequestTimeout
}

// CrossedReason is the reason of a request that met such a reply.
const CrossedReason = "the server gave up the kept connection (408) as the request was sent"
