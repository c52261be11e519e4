// Package plan says what to send and when.
//
// A Plan is plain data: it is checked once with Validate, which reports every
// fault at the same time, it is handed to an engine, and it travels inside the
// run document. Its Arrivals give the due time of every request as an offset
// from one origin; they read no clock and so cannot drift.
//
// Times are time.Duration inside the program and seconds in JSON. Rates are
// requests per second.
package plan

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Defaults of the options, most of them set by New.
const (
	DefaultTimeout  = Seconds(5 * time.Second)
	DefaultDuration = Seconds(10 * time.Second)
	// DefaultMaxConnections bounds open sockets where the descriptor limit allows more.
	DefaultMaxConnections = 10_000
)

// MaxTimeout is the longest accepted Timeout, the range of the histograms.
const MaxTimeout = Seconds(time.Hour)

// Values of Plan.Timestamps and Plan.Priority.
const (
	TimestampsKernel = "kernel" // when the kernel received the bytes, where it says so
	TimestampsUser   = "user"   // when the client read them
	PriorityAuto     = "auto"   // raised if no server of the plan is on this machine
	PriorityNormal   = "normal"
	PriorityHigh     = "high"
)

// MaxLoops bounds the threads of the epoll engine.
const MaxLoops = 64

// Engines, as Plan.Engine names them.
const (
	EngineAuto   = "auto"
	EngineEpoll  = "epoll"
	EngineVegeta = "vegeta"
)

// A Plan is one run: the requests, their schedule and the limits that they are held to.
// Its JSON form is the "plan" member of the run document.
type Plan struct {
	URL     string   `json:"url"`              // as the user gave it; empty if only Targets say what to send
	Method  string   `json:"method"`           // empty means GET
	Header  []Field  `json:"header,omitempty"` // sent with every request, in this order
	Body    []byte   `json:"-"`                // sent with every request
	Targets []Target `json:"-"`                // requests to deal in turn; set by Resolve when the user gave one URL
	// TargetsFile is the file that Targets came from, for the report.
	TargetsFile string `json:"targets_file,omitempty"`

	Rate     Rate    `json:"rate_per_s,omitzero"` // of a ramp its mean; of a closed loop none
	Ramp     *Ramp   `json:"ramp,omitempty"`      // over Duration; nil keeps to Rate
	Total    uint64  `json:"total"`               // requests to send; 0 means until Duration
	Duration Seconds `json:"duration_s"`          // arrival window; 0 means until Total. Whichever ends first
	Warmup   Seconds `json:"warmup_s"`            // the same load before the measurement, left out of it by due time
	Arrivals Process `json:"arrivals"`
	Seed     uint64  `json:"seed"` // of the Poisson process

	// Concurrency is how many requests a closed loop keeps in flight, instead of Rate
	// and Ramp; 0 is an open loop. See Closed.
	Concurrency int `json:"concurrency,omitempty"`

	Timeout  Seconds  `json:"timeout_s"`  // from the due time to the last byte; then the request is given up
	Deadline Seconds  `json:"deadline_s"` // what counts as good; 0 means Timeout
	Expect   Statuses `json:"expect"`     // what counts as good; empty means 200 to 399

	// RequestsPerConnection is how many requests one connection carries:
	// 1 is a new connection each, 0 is reuse without limit.
	RequestsPerConnection int          `json:"requests_per_connection"`
	MaxConnections        int          `json:"max_connections"` // open sockets at once; a due request beyond it waits, its clock running
	Sources               []netip.Addr `json:"sources,omitempty"`
	Family                int          `json:"family,omitempty"` // 4 or 6; 0 takes the resolver's first address
	UnixSocket            string       `json:"unix_socket,omitempty"`
	HTTP2                 bool         `json:"http2"`
	TLS                   TLS          `json:"tls"`
	Engine                string       `json:"engine"`     // one of the Engine constants; the one that ran, in a document
	Loops                 int          `json:"loops"`      // of the epoll engine; 0 chooses by rate and cores
	Timestamps            string       `json:"timestamps"` // where the epoll engine takes receive times from: kernel or user
	Priority              string       `json:"priority"`   // of the epoll engine's threads: auto, normal or high

	// Addresses are where each server's connections go, in turn; found once, before the run.
	Addresses map[Server][]netip.AddrPort `json:"-"`
}

// TLS is how https:// servers are spoken to. The zero value verifies the
// certificate against the system's roots and the URL's host.
type TLS struct {
	Insecure   bool   `json:"insecure"`              // accept any certificate
	CAFile     string `json:"ca_file,omitempty"`     // PEM roots instead of the system's
	CertFile   string `json:"cert_file,omitempty"`   // PEM client certificate, with KeyFile
	KeyFile    string `json:"key_file,omitempty"`    // PEM key of CertFile
	ServerName string `json:"server_name,omitempty"` // SNI and the name verified, instead of the URL's host
	Resume     bool   `json:"resume"`                // resume sessions (RFC 8446 section 2.2) instead of a full handshake each
}

// New returns a plan with every default set; the caller adds URL and Rate.
func New() *Plan {
	return &Plan{
		Method:                "GET",
		Arrivals:              Uniform,
		Timeout:               DefaultTimeout,
		RequestsPerConnection: 1,
		MaxConnections:        DefaultMaxConnections,
		Engine:                EngineAuto,
		Timestamps:            TimestampsKernel,
		Priority:              PriorityAuto,
	}
}

// Planned is the number of requests of the measurement, warm-up excluded:
// Total, or those due before Duration, whichever is fewer. How many a closed loop
// takes up before Duration is not known: then it is Total, 0 for no limit.
func (p *Plan) Planned() uint64 {
	if p.Duration == 0 || p.Closed() {
		return p.Total
	}
	n := p.Before(p.Duration.Std())
	if p.Total > 0 && p.Total < n {
		return p.Total
	}
	return n
}

// WarmupRequests is the number of requests sent before the measurement, which are
// numbered first; 0 for a closed loop, where it is not known and they are not.
func (p *Plan) WarmupRequests() uint64 { return p.warmupRate().Before(p.Warmup.Std()) }

// Window is the arrival window: first due time to last due time plus one
// interval, so that Planned divided by it is the offered rate. Of a closed loop it is
// only the longest that it may be.
func (p *Plan) Window() time.Duration {
	if p.Closed() {
		return p.closedWindow()
	}
	return p.At(p.Planned())
}

// GoodWithin is the response time up to which a reply counts as good.
func (p *Plan) GoodWithin() time.Duration {
	if p.Deadline > 0 {
		return p.Deadline.Std()
	}
	return p.Timeout.Std()
}

// Validate reports every fault of the plan at once, joined, each naming the
// option and the offending value.
func (p *Plan) Validate() error {
	return errors.Join(
		p.validateRequests(),
		p.validateSchedule(),
		p.validateLimits(),
		p.validateConnections(),
	)
}

func (p *Plan) validateSchedule() error {
	var errs []error
	if p.Rate == (Rate{}) && p.Ramp == nil && p.Concurrency == 0 {
		errs = append(errs, errors.New("--rate is missing: how many requests a second?"))
	}
	if p.Total == 0 && p.Duration == 0 {
		errs = append(errs, errors.New("--total or --duration must be above 0"))
	}
	if p.Duration < 0 {
		errs = append(errs, fmt.Errorf("--duration %v: must not be negative", p.Duration))
	}
	if p.Warmup < 0 {
		errs = append(errs, fmt.Errorf("--warmup %v: must not be negative", p.Warmup))
	}
	if p.Arrivals != Uniform && p.Arrivals != Poisson {
		errs = append(errs, fmt.Errorf("--arrivals %q: want uniform or poisson", p.Arrivals))
	}
	return errors.Join(append(errs, p.validateRamp(), p.validateClosed())...)
}

func (p *Plan) validateLimits() error {
	var errs []error
	if p.Timeout <= 0 || p.Timeout > MaxTimeout {
		errs = append(errs, fmt.Errorf("--timeout %v: must be above 0 and at most %v", p.Timeout, MaxTimeout))
	}
	if p.Deadline < 0 {
		errs = append(errs, fmt.Errorf("--deadline %v: must not be negative", p.Deadline))
	}
	if p.Timeout > 0 && p.Deadline > p.Timeout {
		errs = append(errs, fmt.Errorf("--deadline %v: is later than --timeout %v, so it cannot be told", p.Deadline, p.Timeout))
	}
	return errors.Join(errs...)
}

func (p *Plan) validateConnections() error {
	var errs []error
	if p.RequestsPerConnection < 0 {
		errs = append(errs, fmt.Errorf("--requests-per-connection %d: must be 0 (no limit) or more", p.RequestsPerConnection))
	}
	if p.HTTP2 && p.RequestsPerConnection > 1 {
		errs = append(errs, fmt.Errorf("--requests-per-connection %d: with --http2 only 1 (a connection each) or 0 (shared) can be had", p.RequestsPerConnection))
	}
	if p.HTTP2 && p.Engine == EngineEpoll {
		errs = append(errs, errors.New("--http2 needs the vegeta engine"))
	}
	if p.MaxConnections < 1 {
		errs = append(errs, fmt.Errorf("--max-connections %d: must be 1 or more", p.MaxConnections))
	}
	if p.Family != 0 && p.Family != 4 && p.Family != 6 {
		errs = append(errs, fmt.Errorf("address family %d: want 4 or 6", p.Family))
	}
	if (p.TLS.CertFile == "") != (p.TLS.KeyFile == "") {
		errs = append(errs, errors.New("--cert and --key go together"))
	}
	if p.Loops < 0 || p.Loops > MaxLoops {
		errs = append(errs, fmt.Errorf("--loops %d: must be 0 (choose) to %d", p.Loops, MaxLoops))
	}
	if p.Timestamps != TimestampsKernel && p.Timestamps != TimestampsUser {
		errs = append(errs, fmt.Errorf("--timestamps %q: want kernel or user", p.Timestamps))
	}
	if p.Priority != PriorityAuto && p.Priority != PriorityNormal && p.Priority != PriorityHigh {
		errs = append(errs, fmt.Errorf("--priority %q: want auto, normal or high", p.Priority))
	}
	switch p.Engine {
	case EngineAuto, EngineEpoll, EngineVegeta:
	default:
		errs = append(errs, fmt.Errorf("--engine %q: want auto, epoll or vegeta", p.Engine))
	}
	return errors.Join(errs...)
}
