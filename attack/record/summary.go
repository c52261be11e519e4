package record

// Summary is the whole run in figures. It is the "summary" member of the run
// document; Check holds its accounts to the rule that no request is lost.
type Summary struct {
	Planned uint64 `json:"planned"` // requests of the plan, warm-up excluded
	Sent    uint64 `json:"sent"`    // connect begun, or first byte handed to the kernel
	Unsent  uint64 `json:"unsent"`  // never taken up; not the same as planned − sent, see Check
	Replies uint64 `json:"replies"` // complete replies of any status
	Aborted uint64 `json:"aborted"` // in flight when the run was interrupted
	Waited  uint64 `json:"waited"`  // requests that the connection limit held back

	Errors       Errors            `json:"errors"`
	TimeoutPhase map[string]uint64 `json:"client_timeout_phase"`    // client timeouts by the phase that they were in
	Reasons      map[string]string `json:"error_reasons,omitempty"` // a sample text for each class met

	Status map[string]uint64 `json:"status"` // replies by status

	// Window is the arrival window: first due time to last due time plus one
	// interval. In an interrupted run that is the last due before the interrupt; with
	// Poisson arrivals, which have no interval, the window ends with the interrupt.
	// That of a closed loop ends with its last request if the total ended it.
	// Rates count what happened in it ÷ its length.
	Window      Number    `json:"window_s"`
	Elapsed     Number    `json:"elapsed_s"`          // origin to the end of the last request
	OfferedRate Number    `json:"offered_rate_per_s"` // due; undefined for a closed loop, which offers what replies allow
	SentRate    Number    `json:"sent_rate_per_s"`    // sent, whatever became of them
	ReplyRate   RateStats `json:"reply_rate_per_s"`   // replies of any status, whenever they were due
	Goodput     Goodput   `json:"goodput"`

	Connections Connections `json:"connections"`
	InFlight    InFlight    `json:"in_flight"`
	Bytes       Bytes       `json:"bytes"`
	Time        Times       `json:"time"`

	// For the verdict only.
	sentInTime uint64 // sent in the window or no later after it than sendLagFloor
	drain      Number // of a closed loop, from the last due time to the end
	standstill Number // longest time without a start while the latest request was due, see Shard.standstill
}

// Errors counts the requests that got no complete reply, each in one class.
type Errors struct {
	Total              uint64 `json:"total"`
	ClientTimeout      uint64 `json:"client_timeout"`
	SocketTimeout      uint64 `json:"socket_timeout"`
	ConnectionRefused  uint64 `json:"connection_refused"`
	ConnectionReset    uint64 `json:"connection_reset"`
	FDUnavailable      uint64 `json:"fd_unavailable"`
	AddressUnavailable uint64 `json:"address_unavailable"`
	FileTableFull      uint64 `json:"file_table_full"`
	Truncated          uint64 `json:"truncated"`
	Protocol           uint64 `json:"protocol"`
	TLS                uint64 `json:"tls"`
	Stale              uint64 `json:"stale"`
	Other              uint64 `json:"other"`
}

// field is the count of an error class.
func (e *Errors) field(c Class) *uint64 {
	return [Classes]*uint64{
		nil, &e.ClientTimeout, &e.SocketTimeout, &e.ConnectionRefused, &e.ConnectionReset,
		&e.FDUnavailable, &e.AddressUnavailable, &e.FileTableFull, &e.Truncated, &e.Protocol,
		&e.TLS, &e.Stale, &e.Other,
	}[c]
}

// Of is the number of errors of class c, an error class.
func (e *Errors) Of(c Class) uint64 { return *e.field(c) }

// RateStats is a rate over the arrival window and how it varied over its full
// seconds. All but Mean are undefined in a window shorter than a second, and
// StdDev in one shorter than two.
type RateStats struct {
	Mean    Number `json:"mean"` // count in the window ÷ its length
	Min     Number `json:"min"`
	Max     Number `json:"max"`
	StdDev  Number `json:"stddev"`  // of the sample, n−1
	Samples int    `json:"samples"` // full seconds, those before an interrupt
}

// Goodput is what the users got: replies of an expected status within the
// deadline, counted by the request's due time wherever its end falls.
type Goodput struct {
	Within Number `json:"within_s"`   // the deadline
	Count  uint64 `json:"count"`      // good replies
	Share  Number `json:"share"`      // of those due: planned, or due before the interrupt
	Rate   Number `json:"rate_per_s"` // Count ÷ arrival window
}

// Connections counts TCP connections. Peak is the most open at once; with
// several loops the sum of each loop's own peak.
type Connections struct {
	Opened uint64 `json:"opened"`
	Peak   uint64 `json:"peak"`
}

// InFlight is the number of requests due and not yet ended. Mean and Little are
// the same figure found in two ways; they differ if the client counted ends late.
type InFlight struct {
	Mean   Number `json:"mean"`   // over Elapsed, drain included, integrated event by event
	Little Number `json:"little"` // by Little's law: Σ time in system ÷ Elapsed
	Peak   uint64 `json:"peak"`   // with several loops the sum of each loop's own peak
}

// Bytes counts what crossed the sockets in requests and complete replies,
// without TLS and TCP overhead.
type Bytes struct {
	Sent    uint64 `json:"sent"`
	Header  uint64 `json:"header"`
	Content uint64 `json:"content"` // bodies without chunk framing
}

// Times are the distributions of a run. ResponseAll ranks every failed request
// above all replies: what falls among them is null.
type Times struct {
	Response    Stats `json:"response"`
	ResponseAll Stats `json:"response_all"`
	Service     Stats `json:"service"`
	SendLag     Stats `json:"send_lag"`
	ReceiveLag  Stats `json:"receive_lag"`
	Connect     Stats `json:"connect"`
	TLS         Stats `json:"tls"`
	Wait        Stats `json:"wait"`
	Transfer    Stats `json:"transfer"`

	// Processing is wait and transfer together, ab's word; of closed loops only.
	Processing *Stats `json:"processing,omitempty"`
}
