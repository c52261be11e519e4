package record

import (
	"errors"
	"syscall"
)

// Class is how a request ended. The zero value is a reply; every other class
// but Aborted counts as an error, and a request is in exactly one.
type Class uint8

const (
	Reply              Class     = iota // complete, well-formed response of any status
	ClientTimeout                       // not complete when the plan's timeout had passed since the due time
	SocketTimeout                       // the kernel gave up: ETIMEDOUT
	ConnectionRefused                   // ECONNREFUSED
	ConnectionReset                     // ECONNRESET, EPIPE or ECONNABORTED before the reply was complete
	FDUnavailable                       // this process is out of descriptors: EMFILE
	AddressUnavailable                  // no local port left: EADDRNOTAVAIL, EADDRINUSE
	FileTableFull                       // this host is out of descriptors: ENFILE
	Truncated                           // closed in good order before the reply was complete
	Protocol                            // what came is not HTTP, or breaks its rules
	TLSFailure                          // handshake or certificate refused
	Stale                               // a kept connection was closed before it answered: a race, not retried
	Other                               // anything else; the reason says what
	Classes                             // number of classes that have a count of their own
	Aborted            = Classes        // in flight when the run was interrupted; not an error
)

var classKeys = [Classes + 1]string{
	"reply", "client_timeout", "socket_timeout", "connection_refused", "connection_reset",
	"fd_unavailable", "address_unavailable", "file_table_full", "truncated", "protocol",
	"tls", "stale", "other", "aborted",
}

var classNames = [Classes + 1]string{
	"reply", "client-timo", "socket-timo", "connrefused", "connreset",
	"fd-unavail", "addrunavail", "ftab-full", "truncated", "protocol",
	"tls", "stale", "other", "aborted",
}

// Key is the class as the run document names it.
func (c Class) Key() string { return classKeys[c] }

// String is the class as text reports name it: httperf's word where it has one.
func (c Class) String() string { return classNames[c] }

// ErrorClasses are the classes that count as errors, in the order of reports.
func ErrorClasses() []Class {
	classes := make([]Class, 0, Classes-1)
	for c := Reply + 1; c < Classes; c++ {
		classes = append(classes, c)
	}
	return classes
}

// ClassOf is the class of a system error met while connecting, sending or
// receiving: that of the errno inside err, Other if it holds none.
func ClassOf(err error) Class {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return Other
	}
	switch errno {
	case syscall.ETIMEDOUT:
		return SocketTimeout
	case syscall.ECONNREFUSED:
		return ConnectionRefused
	case syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED:
		return ConnectionReset
	case syscall.EMFILE:
		return FDUnavailable
	case syscall.EADDRNOTAVAIL, syscall.EADDRINUSE:
		return AddressUnavailable
	case syscall.ENFILE:
		return FileTableFull
	}
	return Other
}
