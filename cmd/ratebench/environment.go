package main

import (
	"runtime"

	"ratebench/report"
)

// clientHost describes this machine for the report.
func clientHost() report.ClientHost {
	return report.ClientHost{
		OS:     runtime.GOOS + "/" + runtime.GOARCH,
		Kernel: kernelRelease(),
		Cores:  runtime.NumCPU(),
		Go:     runtime.Version(),
	}
}
