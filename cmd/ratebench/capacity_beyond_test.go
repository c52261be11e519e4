package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ratebench/attack/record"
	"ratebench/attack/search"
)

// An interrupt after the answer leaves what lies beyond it unknown, in every format.
func TestCapacityInterruptedBeyond(t *testing.T) {
	args := strings.Fields("capacity --quick --trial 2 --from 200 --objective p99<100ms --timeout 1 --pause 0 " + url)
	path := filepath.Join(t.TempDir(), "c.json")
	if r := against(t, context.Background(), &worker{capacity: 500}, append(args, "-o", path)...); r.status != exitDone {
		t.Fatalf("status %d, %s", r.status, r.stderr)
	}
	var overloads []int
	for _, trial := range searchedIn(t, path).Search.Trials {
		if trial.Trial.Purpose == search.Overload {
			overloads = append(overloads, trial.Trial.Number)
		}
	}
	for i, number := range overloads {
		ctx, cancel := context.WithCancelCause(context.Background())
		w := &worker{capacity: 500, spoil: func(n int, r *record.Run) {
			if n == number {
				cancel(interrupt{syscall.SIGINT})
				r.Interrupted = true
			}
		}}
		r := against(t, ctx, w, append(args, "-o", path)...)
		a := searchedIn(t, path).Answer
		if r.status != 130 || a.Outcome != search.Found || a.Behaviour != "" || len(a.Beyond) != 2 || a.Beyond[1].Why != "interrupted" ||
			(a.Beyond[0].Behaviour != "") != (i > 0) {
			t.Errorf("trial %d: status %d, %+v", number, r.status, a)
		}
		csv := command(t, &engine{}, "report", path, "--format", "csv").stdout
		if !strings.Contains(r.stdout, "/s: not known, interrupted\n") || !strings.Contains(csv, ",interrupted,") {
			t.Errorf("trial %d:\n%s", number, r.stdout)
		}
	}
	if len(overloads) != 2 {
		t.Errorf("overload trials %v", overloads)
	}
}

// What a server does with too much is told from the replies that come meanwhile:
// trials end before a queue is as long as the timeout, and all its requests are good.
func TestBehaviourInShortTrials(t *testing.T) {
	for timeout, c := range map[string]struct {
		behaviour search.Behaviour
		queued    bool
	}{
		"5":     {search.Holds, true},
		"150ms": {search.Collapses, false},
	} {
		r, d := searched(t, &worker{capacity: 500}, strings.Fields("--quick --trial 2 --from 200 --objective p99<100ms --timeout "+timeout)...)
		a := &d.Answer
		if r.status != exitDone || a.Behaviour != c.behaviour || len(a.Beyond) != 2 {
			t.Fatalf("%s: status %d, %s %+v", timeout, r.status, r.stderr, a)
		}
		for _, b := range a.Beyond {
			if b.Good > 510 || b.Share > 1.1 || (b.Queue > 0.2) != c.queued {
				t.Errorf("%s: %+v", timeout, b)
			}
		}
		if said := strings.Contains(r.stdout, "which may time out in a longer trial"); said != c.queued {
			t.Errorf("%s: %s", timeout, r.stdout)
		}
	}
}
