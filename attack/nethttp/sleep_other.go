//go:build !linux

package nethttp

import "time"

// sharpenTimers does nothing on systems without timer slack.
func sharpenTimers() {}

// sleepUntil blocks until t, to the system's timer resolution.
func sleepUntil(t time.Time) { time.Sleep(time.Until(t)) }
