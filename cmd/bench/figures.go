//go:build linux

package main

import (
	"math"
	"slices"
)

// figures are what one run of a client gave, by name. A figure that the client
// does not tell is missing. Names carry their unit.
type figures map[string]float64

// Names of figures.
const (
	replyCount    = "replies"
	errorCount    = "errors"           // requests without a good reply, as the client counts them
	plannedCount  = "planned"          // ratebench
	serverCount   = "server_requests"  // as nginx counted them
	leastDue      = "due_per_s_min"    // ratebench, over full seconds
	mostDue       = "due_per_s_max"    // ratebench, over full seconds
	peakConns     = "connections_peak" // ratebench
	cpuPerReply   = "cpu_s_per_reply"
	cpuCores      = "cpu_cores" // CPU time ÷ time from start to end
	elapsedTime   = "elapsed_s" // from start to end, the client's own start and report included
	replyRate     = "replies_per_s"
	peakMemory    = "rss_peak_bytes"
	exitStatus    = "exit"
	sendLagP50    = "send_lag_p50_s"
	sendLagP99    = "send_lag_p99_s"
	receiveLagP50 = "receive_lag_p50_s"
	receiveLagP99 = "receive_lag_p99_s"
	serviceP50    = "service_p50_s"
	serviceP99    = "service_p99_s"
	responseP50   = "response_p50_s"
	responseP99   = "response_p99_s"
	isInvalid     = "invalid"       // 1 if ratebench's verdict is INVALID
	blamesClient  = "blames_client" // 1 if a finding of the verdict says that the client was late or full
)

// put sets a figure if it is defined.
func (f figures) put(name string, value float64) {
	if !math.IsNaN(value) && !math.IsInf(value, 0) {
		f[name] = value
	}
}

// spread is the median of some figures and how far they lie apart. N is 0 if
// there are none; then the others are NaN.
type spread struct {
	n                   int
	median, least, most float64
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{0, math.NaN(), math.NaN(), math.NaN()}
	}
	v := slices.Sorted(slices.Values(values))
	middle := len(v) / 2
	median := v[middle]
	if len(v)%2 == 0 {
		median = (v[middle-1] + v[middle]) / 2
	}
	return spread{len(v), median, v[0], v[len(v)-1]}
}
