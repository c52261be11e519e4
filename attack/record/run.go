package record

import "time"

// Run is one run as it was recorded: what an engine's work leaves behind and
// all that a report knows beside the plan.
type Run struct {
	StartedAt      time.Time // wall clock at the origin, for people only
	MaxConnections int       // that the descriptor limit left of the plan's
	Engine         string    // that ran: epoll or vegeta
	Method         Method
	Interrupted    bool     // told to stop before the plan was over
	Addresses      []string // that connections were opened to, ip:port or a socket's path
	Software       string   // Server field of the first reply, empty if none
	Protocol       string   // of the first reply: HTTP/1.0, HTTP/1.1 or HTTP/2.0; empty if none
	Summary        Summary
	Intervals      []Interval
	Verdict        Verdict
	Client         Client
	Histograms     map[string]string // by the names of Times, HDR V2 in base64, values in nanoseconds
}

// Client is what this process itself used between the first due time and the end.
type Client struct {
	CPU       Number `json:"cpu_s"`           // user and system
	CPUUser   Number `json:"cpu_user_s"`      // null in documents of before it was kept
	CPUSystem Number `json:"cpu_system_s"`    // likewise
	Cores     Number `json:"cpu_cores"`       // CPU ÷ elapsed
	Available int    `json:"available_cores"` // that the process may run on
	CPUs      []int  `json:"cpus,omitempty"`  // their numbers; none if not known
	RSSPeak   uint64 `json:"rss_peak_bytes"`  // of the process since its start
}
