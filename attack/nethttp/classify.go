package nethttp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"ratebench/attack/record"
	"ratebench/attack/wire"
)

var (
	errMissedClose = errors.New(record.MissedClose)
	errCrossed     = errors.New(record.CrossedReason)
)

// failure is why an exchange ended without a reply.
type failure struct {
	phase record.Phase
	err   error
}

// classify gives an ended outcome the class and the reason of its failure. aborted
// says that the run was being cut off; what was over by itself then, after the
// timeout, is not aborted.
func classify(o *record.Outcome, f failure, aborted bool, timeout time.Duration) {
	o.Phase = f.phase
	o.Class = classOf(f, o.Reused && o.FirstByte == record.Never)
	if aborted && (o.Class == record.ClientTimeout || errors.Is(f.err, context.Canceled)) {
		o.Class = record.Aborted
		if o.Response() >= timeout {
			o.Class, f.err = record.ClientTimeout, context.DeadlineExceeded
		}
	}
	o.Reason = reason(f)
}

// classOf looks at typed errors, never at texts. unanswered says that a kept
// connection ended before it brought a byte of the reply.
func classOf(f failure, unanswered bool) record.Class {
	if errors.Is(f.err, errCrossed) {
		return record.Stale
	}
	if isTimeout(f.err) {
		return record.ClientTimeout
	}
	var reset streamReset
	if errors.As(f.err, &reset) {
		return reset.class()
	}
	ended := isEnd(f.err)
	class := record.ClassOf(f.err)
	switch {
	case unanswered && (ended || class == record.ConnectionReset):
		return record.Stale
	case class == record.Other && (f.phase == record.TLS || record.IsTLS(f.err)):
		return record.TLSFailure
	case ended:
		return record.Truncated
	case class == record.Other && !isNetwork(f.err):
		return record.Protocol
	}
	return class
}

// isEnd tells a connection that was closed in good order, too early.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errMissedClose)
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

// isNetwork tells errors of the connection from complaints of the codec.
func isNetwork(err error) bool {
	var op *net.OpError
	var errno syscall.Errno
	return errors.As(err, &op) || errors.As(err, &errno)
}

// reason is a text that is the same for all failures of a kind: no addresses and
// ports, so that a million of them are one line.
func reason(f failure) string {
	switch {
	case isTimeout(f.err):
		return "timed out"
	case f.phase == record.TLS || record.IsTLS(f.err):
		return record.Reason(f.phase, record.TLSReason(f.err))
	case isEnd(f.err) && !errors.Is(f.err, errMissedClose):
		return record.Reason(f.phase, wire.ErrTruncated.Error())
	}
	cause := f.err
	var reset streamReset
	if errors.As(cause, &reset) {
		cause = reset
	}
	var op *net.OpError
	if errors.As(cause, &op) && op.Err != nil {
		cause = op.Err
	}
	return record.Reason(f.phase, strings.TrimPrefix(cause.Error(), "net/http: "))
}
