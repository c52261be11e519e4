package plan

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Metric is a figure of a run that an Objective can hold to a limit.
type Metric string

// The metrics, in base units: shares from 0 to 1, replies per second, seconds.
// Response times are those of all requests: one without a complete reply ranks
// above every reply, so that a percentile among the failures has no value, and
// neither have the mean and the maximum once anything failed.
const (
	Goodput     Metric = "goodput"    // good replies, a share of the offered requests
	ReplyRate   Metric = "reply_rate" // replies of any status per second of the arrival window
	ErrorShare  Metric = "errors"     // requests without a complete reply, a share of the offered ones
	P50         Metric = "p50"        // percentiles of the response time
	P90         Metric = "p90"
	P95         Metric = "p95"
	P99         Metric = "p99"
	P999        Metric = "p99.9"
	Mean        Metric = "mean"          // of the response time
	Max         Metric = "max"           // of the response time
	CPUPerReply Metric = "cpu_per_reply" // the server's CPU time ÷ replies
)

// Metrics are all metrics, in the order in which help lists them.
func Metrics() []Metric {
	return []Metric{Goodput, ReplyRate, ErrorShare, P50, P90, P95, P99, P999, Mean, Max, CPUPerReply}
}

// moreIsBetter says which way a metric improves.
func (m Metric) moreIsBetter() bool { return m == Goodput || m == ReplyRate }

// example is an objective as it may look, for errors.
func (m Metric) example() string {
	switch m {
	case Goodput:
		return "goodput>=99%"
	case ReplyRate:
		return "reply_rate>=295/s"
	case ErrorShare:
		return "errors<0.1%"
	case CPUPerReply:
		return "cpu_per_reply<2ms"
	}
	return string(m) + "<250ms"
}

// Objective is a limit that a figure of a run must keep: p99<250ms. The zero
// value is none and is never met. Objectives are read with ParseObjective and
// are equal if they were written alike.
type Objective struct {
	Metric     Metric
	Comparison string  // <, <=, > or >=
	Limit      float64 // in the metric's base unit

	value string // the limit as it was written
}

// ParseObjective reads a metric, a comparison and a value with its unit:
// p99<250ms, errors<0.1%, goodput>=99%, reply_rate>=295/s. Blanks may stand
// around the comparison and before the unit. Shares want a % and times a unit,
// because a bare number is easily meant otherwise than it would be read (p99<250
// would pass for every server if it meant seconds); a rate is per second unless
// it says otherwise. Errors name the text, what is wrong with it and what would
// be right.
func ParseObjective(text string) (Objective, error) {
	o, err := parseObjective(text)
	if err != nil {
		return Objective{}, fmt.Errorf("objective %q: %w", text, err)
	}
	return o, nil
}

func parseObjective(text string) (Objective, error) {
	at := strings.IndexAny(text, "<>=!≤≥")
	if at < 0 {
		return Objective{}, errors.New("no comparison: want for example p99<250ms or goodput>=99%")
	}
	metric := Metric(strings.Trim(text[:at], " "))
	if !slices.Contains(Metrics(), metric) {
		return Objective{}, fmt.Errorf("no metric %q: want one of %s", metric, metricNames())
	}
	rest := strings.TrimLeft(text[at:], "<>=!≤≥")
	o := Objective{Metric: metric, Comparison: text[at : len(text)-len(rest)]}
	if err := o.checkComparison(); err != nil {
		return Objective{}, err
	}
	if err := o.parseValue(strings.Trim(rest, " ")); err != nil {
		return Objective{}, err
	}
	return o, o.checkLimit()
}

func metricNames() string {
	var names []string
	for _, m := range Metrics() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// Served are the objectives of a load that is served at all, whatever else is asked
// of it: 99 % good and 0.1 % errors, which takes 3 000 requests to prove.
func Served() []Objective {
	return []Objective{
		{Metric: Goodput, Comparison: ">=", Limit: 0.99, value: "99%"},
		{Metric: ErrorShare, Comparison: "<=", Limit: 0.001, value: "0.1%"},
	}
}

// checkComparison also refuses a limit on the good side: a test that fails when
// the server is fast is a slip of the pen, and no load would settle it.
func (o Objective) checkComparison() error {
	want := "< or <="
	if o.Metric.moreIsBetter() {
		want = "> or >="
	}
	if !slices.Contains([]string{"<", "<=", ">", ">="}, o.Comparison) {
		return fmt.Errorf("no comparison %q: want %s, as in %s", o.Comparison, want, o.Metric.example())
	}
	if o.Metric.moreIsBetter() != (o.Comparison[0] == '>') {
		return fmt.Errorf("asks for a bad %s: want %s, as in %s", o.Metric, want, o.Metric.example())
	}
	return nil
}

// valueText is a plain decimal and what follows it, a unit or the rest of a
// duration (1m30s).
var valueText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?([^0-9. ]\S*)?$`)

// parseValue sets the limit. Its number is read as a decimal at once in the base
// unit: dividing a parsed 0.1 by 100 may miss the 0.001 that 1 of 1000 gives.
func (o *Objective) parseValue(text string) error {
	m := valueText.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%q is not a value: want for example %s", text, o.Metric.example())
	}
	number, unit := m[1], m[2]
	o.value = number + unit
	var err error
	switch o.Metric {
	case Goodput, ErrorShare:
		if unit != "%" {
			return fmt.Errorf("%q is not a percentage: want for example %s", text, o.Metric.example())
		}
		o.Limit, err = strconv.ParseFloat(number+"e-2", 64)
	case ReplyRate:
		var r Rate
		r, err = ParseRate(number + unit)
		o.Limit = r.PerSecond()
	default:
		if unit == "" {
			return fmt.Errorf("%q has no unit: want %[1]sms or %[1]ss", number)
		}
		var d Seconds
		d, err = ParseSeconds(number + unit)
		o.Limit = float64(d) / 1e9
	}
	return err
}

// checkLimit refuses limits that no run can keep.
func (o Objective) checkLimit() error {
	switch {
	case (o.Metric == Goodput || o.Metric == ErrorShare) && o.Limit > 1:
		return fmt.Errorf("%s is more than all: want at most 100%%", o.value)
	case o.Metric == Goodput && o.Comparison == ">" && o.Limit == 1:
		return errors.New("nothing is above 100%: want goodput>=100%")
	case o.Metric == ErrorShare && o.Comparison == "<" && o.Limit == 0:
		return errors.New("nothing is below 0%: want errors<=0%")
	case o.Metric != ErrorShare && o.Limit == 0 && o.Comparison[0] == '<':
		return fmt.Errorf("no time is below 0: want for example %s", o.Metric.example())
	}
	return nil
}

// String is the objective as it was written, without blanks.
func (o Objective) String() string { return string(o.Metric) + o.Comparison + o.value }

// MarshalText writes the objective as String does.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what ParseObjective reads.
func (o *Objective) UnmarshalText(text []byte) error {
	parsed, err := ParseObjective(string(text))
	*o = parsed
	return err
}

// Holds says whether a value of the metric, in its base unit, keeps the limit. An
// undefined value keeps none: what is not known to be good has failed.
func (o Objective) Holds(value float64, defined bool) bool {
	if !defined || math.IsNaN(value) || math.IsInf(value, 0) {
		return false
	}
	switch o.Comparison {
	case "<":
		return value < o.Limit
	case "<=":
		return value <= o.Limit
	case ">":
		return value > o.Limit
	case ">=":
		return value >= o.Limit
	}
	return false
}

// Figures gives the value of a metric of one run, in its base unit, and whether
// it has one.
type Figures func(Metric) (value float64, defined bool)

// Judged is an objective held against one run.
type Judged struct {
	Objective Objective `json:"objective"`
	Value     *float64  `json:"value"` // of the metric, in its base unit; null if it has none
	Held      bool      `json:"held"`
}

// Judge holds objectives against the figures of one run, in their order.
func Judge(objectives []Objective, figures Figures) []Judged {
	judged := make([]Judged, len(objectives))
	for i, o := range objectives {
		value, defined := figures(o.Metric)
		defined = defined && !math.IsNaN(value) && !math.IsInf(value, 0)
		judged[i] = Judged{Objective: o, Held: o.Holds(value, defined)}
		if defined {
			judged[i].Value = &value
		}
	}
	return judged
}

// String says how it went: "p99<250ms missed: 312 ms", "errors<0.1% held: 0.02 %".
func (j Judged) String() string {
	word := "missed"
	if j.Held {
		word = "held"
	}
	return fmt.Sprintf("%s %s: %s", j.Objective, word, j.Objective.Metric.show(j.Value))
}

// show is a value of the metric for people, to four digits.
func (m Metric) show(value *float64) string {
	switch {
	case value == nil:
		return "no value"
	case m == Goodput || m == ErrorShare:
		return fmt.Sprintf("%.4g %%", 100**value)
	case m == ReplyRate:
		return fmt.Sprintf("%.4g/s", *value)
	case math.Abs(*value) < 1:
		return fmt.Sprintf("%.4g ms", 1e3**value)
	}
	return fmt.Sprintf("%.4g s", *value)
}
