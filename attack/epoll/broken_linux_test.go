package epoll

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// A loop that fails leaves whole accounts behind, of an open loop and of a closed one:
// what was in flight is aborted and what was not taken up is unsent.
func TestBrokenLoopAccounts(t *testing.T) {
	_, to := listenBare(t) // and nobody answers
	for name, concurrency := range map[string]int{"open": 0, "closed": 5} {
		p := plan.New()
		p.URL, p.Total, p.Timeout = "http://"+to.String()+"/", 1000, plan.Seconds(time.Minute)
		if p.Concurrency = concurrency; concurrency == 0 {
			p.Rate, _ = plan.ParseRate("100")
		}
		if err := p.Resolve(); err != nil {
			t.Fatal(err)
		}
		p.Addresses = map[plan.Server][]netip.AddrPort{p.Targets[0].URL.Server: {to}}
		rec := record.New(p, 1, nil, nil)
		shared, err := newSetup(p, rec, 1)
		if err != nil {
			t.Fatal(err)
		}
		all, err := newLoops(shared, 1)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(300*time.Millisecond, func() { breakEpoll(t, all[0].ep) })
		rec.Start(time.Now())
		started, err := runLoops(context.Background(), context.Background(), all)
		if shared.kernelStamps {
			unix.Close(shared.stamping)
		}
		s := rec.Finish(started, false).Summary
		if err == nil || s.Aborted == 0 || s.Unsent == 0 {
			t.Errorf("%s: %v, %d aborted, %d unsent", name, err, s.Aborted, s.Unsent)
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// breakEpoll puts another file in the place of an epoll set, so that waiting fails.
func breakEpoll(t *testing.T, ep int) {
	null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Dup3(null, ep, unix.O_CLOEXEC)
		unix.Close(null)
	}
	if err != nil {
		t.Error(err)
	}
}
