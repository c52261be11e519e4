package record

// Interval is one second of the run. Requests count in the second in which the
// named thing happened, so that for every prefix of the series
//
//	Σ due = Σ (replies + errors + aborted + unsent) + in flight
//
// and over the whole series each column adds up to the summary's figure, but for
// an interrupted run: what would have been due later is in no interval.
type Interval struct {
	T         Number            `json:"t_s"`  // start of the second, from the origin
	Due       uint64            `json:"due"`  // planned to start
	Sent      uint64            `json:"sent"` // started
	Replies   uint64            `json:"replies"`
	Good      uint64            `json:"good"`     // replies that count as good
	Errors    uint64            `json:"errors"`   // of all classes
	Timeouts  uint64            `json:"timeouts"` // client timeouts among the errors
	ByClass   map[string]uint64 `json:"errors_by_class,omitempty"`
	Aborted   uint64            `json:"aborted"`
	Unsent    uint64            `json:"unsent"`    // due by the end of the run and never started; all in its last second
	InFlight  uint64            `json:"in_flight"` // due and not yet ended at the end of the second
	P50       Number            `json:"p50_s"`     // response time of the replies that ended in the second
	P99       Number            `json:"p99_s"`
	Max       Number            `json:"max_s"`
	ClientCPU Number            `json:"client_cpu_cores"` // of this process since the second before was closed; null if not known
	ServerCPU Number            `json:"server_cpu_cores"` // of all watched servers, by the reading that ends in the second; null if one is not known

	// goodDue is the number of requests due in the second that ended well,
	// whenever that was. For the verdict only.
	goodDue uint64
}
