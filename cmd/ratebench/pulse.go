package main

import (
	"sync"

	"ratebench/sampler"
)

// pulse is the CPU that the watched processes of a host use, for people who look
// on. The sampler's goroutine beats it.
type pulse struct {
	mu     sync.Mutex
	groups []sampler.GroupInfo // nil before the beginning: readings from then have times of another origin
	last   sampler.Reading     // since the beginning
	used   float64             // cores
	known  bool
}

func (p *pulse) begin(groups []sampler.GroupInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups = groups
}

// beat takes the next reading.
func (p *pulse) beat(r sampler.Reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.groups) == 0 {
		return
	}
	last := p.last
	p.last = r
	elapsed := r.At - last.At
	if len(last.Groups) == 0 || elapsed <= 0 {
		return
	}
	p.used, p.known = 0, true
	for i := range p.groups {
		if p.groups[i].Within == "" { // the other has counted it
			p.used += (r.Groups[i].CPU - last.Groups[i].CPU).Seconds() / elapsed.Seconds()
		}
	}
}

// cores are those used between the latest two readings.
func (p *pulse) cores() (cores float64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used, p.known
}
