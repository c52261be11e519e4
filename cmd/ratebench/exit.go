package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// Exit statuses. A run that a signal ended has 128 + the signal's number: 130
// for SIGINT, 143 for SIGTERM, 129 for SIGHUP.
const (
	exitDone    = 0 // the run took place and its figures speak of the server
	exitFailed  = 1 // could not run or could not write, or nothing answered
	exitUsage   = 2 // the command line is wrong; nothing was sent
	exitMissed  = 3 // the run took place, but an objective was missed
	exitInvalid = 4 // the run took place, but the client was the limit
	exitSignal  = 128
)

// usageError is a fault of the command line, or several joined.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// statusError is an error with an exit status of its own.
type statusError struct {
	status int
	error
}

func (e statusError) Unwrap() error { return e.error }

// exitStatus is the status that err stands for.
func exitStatus(err error) int {
	var usage usageError
	var status statusError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &status):
		return status.status
	}
	return exitFailed
}

// refuse turns what cli finds wrong with a command line into a usageError. It
// is cli's OnUsageError, whose default prints to standard output.
func refuse(_ *cli.Context, err error, _ bool) error { return usageError{err} }

// complain prints err, a line for each of the errors joined in it.
func complain(w io.Writer, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "ratebench: %s\n", strings.TrimRight(line, "\r\n"))
	}
}
