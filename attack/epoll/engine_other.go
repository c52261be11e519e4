//go:build !linux

// Package epoll is the native engine; it runs on Linux only.
package epoll

import (
	"context"
	"errors"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// Run always fails on this system.
func Run(stop, abandon context.Context, p *plan.Plan, rec *record.Recorder, loops int) (uint64, error) {
	return 0, errors.New("the epoll engine needs Linux")
}
