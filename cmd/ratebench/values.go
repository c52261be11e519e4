package main

import (
	"strconv"

	"ratebench/attack/plan"
)

// readText sets to to the option's value, which must not be empty.
func (r *reader) readText(name string, to *string) {
	if !r.IsSet(name) {
		return
	}
	if r.String(name) == "" {
		r.fault("--%s: its value is empty", name)
		return
	}
	*to = r.String(name)
}

// seconds reads a duration option if it is given; harmless takes the place of
// one that cannot be read.
func (r *reader) seconds(name string, to *plan.Seconds, harmless plan.Seconds) {
	if !r.IsSet(name) {
		return
	}
	d, err := plan.ParseSeconds(r.String(name))
	if err != nil {
		r.fault("--%s %w", name, err)
		d = harmless
	}
	*to = d
}

// above0 is seconds for an option whose zero means "not given" to a plan, so
// that a zero that was given has to be refused here.
func (r *reader) above0(name string, to *plan.Seconds, harmless plan.Seconds) {
	if !r.IsSet(name) {
		return
	}
	faults := len(r.faults)
	r.seconds(name, to, harmless)
	if *to == 0 && len(r.faults) == faults {
		r.fault("--%s %s: must be above 0", name, r.String(name))
		*to = harmless
	}
}

// whole reads an option that is a whole number from low to high, low if it is not.
func (r *reader) whole(name string, low, high uint64) uint64 {
	n, err := strconv.ParseUint(r.String(name), 10, 64)
	if err != nil || n < low || n > high {
		r.fault("--%s %q: want a whole number from %d to %d", name, r.String(name), low, high)
		return low
	}
	return n
}

// integer reads an option whose range plan.Validate checks, if it is given.
func (r *reader) integer(name string, to *int) {
	if !r.IsSet(name) {
		return
	}
	n, err := strconv.Atoi(r.String(name))
	if err != nil {
		r.fault("--%s %q: want a whole number", name, r.String(name))
		return
	}
	*to = n
}
