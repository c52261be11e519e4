//go:build !linux

package sampler

import "time"

// meter measures nothing: there is no /proc to read here.
type meter struct{ spent time.Duration }

func (m *meter) measure() func() { return func() {} }
