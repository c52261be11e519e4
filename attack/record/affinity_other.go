//go:build !linux

package record

func allowedCPUs() []int { return nil }
