package main

import (
	"syscall"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/sampler"
)

func TestPulse(t *testing.T) {
	var p pulse
	at := func(second, cpu time.Duration) sampler.Reading {
		group := sampler.GroupCounters{CPU: cpu * time.Millisecond}
		return sampler.Reading{At: second * time.Second, Groups: []sampler.GroupCounters{group, group, group}}
	}
	p.beat(at(0, 5000)) // before the origin: its time is another's
	p.begin([]sampler.GroupInfo{{}, {Within: "the first"}, {}})
	p.beat(at(1, 5000))
	if _, known := p.cores(); known {
		t.Error("one reading tells what is used")
	}
	p.beat(at(3, 5500)) // 2 × 0.5 s in 2 s
	p.beat(at(3, 9999)) // of no length
	if cores, known := p.cores(); !known || cores != 0.5 {
		t.Errorf("%v cores, known %v", cores, known)
	}
}

// What a host used last is not known any more when its link is lost; the others'
// figures go on.
func TestPulseOfALostHost(t *testing.T) {
	t.Parallel()
	_, pid, _ := sleeper(t)
	stub, link := sshStub(t, `while test "$1" != --; do shift; done; shift 2; exec sh -c "$*"`)
	s := new(app).newServers(watching{
		hosts:      []sampler.Host{{}, {Name: "host.test"}},
		selections: []sampler.Selection{{Kind: sampler.ByPID, Value: pid}},
		interval:   sampler.MinInterval, ssh: sampler.SSH{Command: []string{stub}},
	}, plan.New())
	defer s.stop()
	if err := s.ready(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.start(time.Now())
	here, there := s.watches[0], s.watches[1]
	known := func(h *watchedHost) bool { _, ok := h.cores(); return ok }
	if !await(20*time.Second, func() bool { return known(here) && known(there) }) {
		t.Fatal("no figure comes")
	}
	_ = syscall.Kill(numberIn(t, link), syscall.SIGKILL)
	if !await(20*time.Second, func() bool { return !known(there) }) {
		t.Error("the lost host keeps its figure")
	}
	if _, ok := s.cores(); !ok || !known(here) {
		t.Error("the other host's figure is gone too")
	}
}
