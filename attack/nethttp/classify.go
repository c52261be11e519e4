package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"ratebench/attack/record"
)

// failure is why an exchange ended without a reply.
type failure struct {
	phase record.Phase
	err   error
}

// classify gives an outcome the class and the reason of its failure. aborted says
// that the run was being cut off.
func classify(o *record.Outcome, f failure, aborted bool) {
	o.Phase = f.phase
	o.Class = classOf(f, o.Reused && o.FirstByte == record.Never)
	if aborted && (o.Class == record.ClientTimeout || errors.Is(f.err, context.Canceled)) {
		o.Class = record.Aborted
	}
	o.Reason = reason(f)
}

// classOf looks at typed errors, never at texts. unanswered says that a kept
// connection ended before it brought a byte of the reply.
func classOf(f failure, unanswered bool) record.Class {
	if isTimeout(f.err) {
		return record.ClientTimeout
	}
	ended := errors.Is(f.err, io.EOF) || errors.Is(f.err, io.ErrUnexpectedEOF)
	class := record.ClassOf(f.err)
	switch {
	case unanswered && (ended || class == record.ConnectionReset):
		return record.Stale
	case class == record.Other && (f.phase == record.TLS || isAlert(f.err)):
		return record.TLSFailure
	case ended:
		return record.Truncated
	case class == record.Other && !isNetwork(f.err):
		return record.Protocol
	}
	return class
}

func isTimeout(err error) bool {
	// The kernel's own ETIMEDOUT calls itself a timeout too, but is not the plan's.
	return !errors.Is(err, syscall.ETIMEDOUT) &&
		(errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || isNetTimeout(err))
}

func isNetTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// isAlert tells a TLS alert that comes after the handshake, as TLS 1.3 servers
// send it for a missing client certificate.
func isAlert(err error) bool {
	var alert tls.AlertError
	return errors.As(err, &alert)
}

// isNetwork tells errors of the connection from complaints of the codec.
func isNetwork(err error) bool {
	var op *net.OpError
	var errno syscall.Errno
	return errors.As(err, &op) || errors.As(err, &errno)
}

// reason is a text that is the same for all failures of a kind: no addresses and
// ports, so that a million of them are one line.
func reason(f failure) string {
	cause := f.err
	var op *net.OpError
	if errors.As(cause, &op) && op.Err != nil {
		cause = op.Err
	}
	var header tls.RecordHeaderError
	if errors.As(cause, &header) && string(header.RecordHeader[:]) == "HTTP/" {
		return f.phase.String() + ": the server answered in plain HTTP"
	}
	return record.Reason(f.phase, strings.TrimPrefix(cause.Error(), "net/http: "))
}
