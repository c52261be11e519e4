package sampler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script is a transport whose fetches go as is written: the first step is that of
// finding, the second that of the first reading. Those beyond it go well at once.
type script struct {
	view   view
	steps  []step
	begun  []time.Duration // when each began, since the test did
	start  time.Time
	closes time.Duration // how long closing takes if it is let
}

// step is a fetch: the time it takes, the error that it ends with, and the doubt
// about its instant.
type step struct {
	takes  time.Duration
	err    error
	within time.Duration
}

const never = time.Hour

func (s *script) fetch(ctx context.Context, _ wanted) (view, error) {
	if ctx.Err() != nil {
		return view{}, noAnswer(ctx.Err())
	}
	s.begun = append(s.begun, time.Since(s.start))
	var now step
	if n := len(s.begun) - 1; n < len(s.steps) {
		now = s.steps[n]
	}
	select {
	case <-ctx.Done():
		return view{}, noAnswer(ctx.Err())
	case <-time.After(now.takes):
	}
	s.view.at, s.view.within = time.Now(), now.within
	return s.view, now.err
}

func (s *script) close(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(s.closes):
	}
	return nil
}

func (s *script) cost() time.Duration { return 0 }
func (s *script) clock() Clock        { return Clock{} }

// began is when the fetches from the n-th on began.
func (s *script) began(n int) string { return fmt.Sprint(s.begun[n:]) }

// scripted runs test with a Watch of such a transport that has found its groups, in
// a bubble of its own.
func scripted(t *testing.T, steps []step, test func(*testing.T, *Watch, *script)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &script{view: setStage(t, "debian11-5.10").view(nil), start: time.Now(), steps: steps}
		w := newWatch(Config{Selections: []Selection{{ByName, "nginx"}}}, s)
		if err := w.find(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, w, s)
	})
}

// instants is when a record's readings were.
func instants(r *Record) string {
	var at []time.Duration
	for _, reading := range r.Readings {
		at = append(at, reading.At)
	}
	return fmt.Sprint(at)
}

func TestWatchSchedule(t *testing.T) {
	passing := errors.New("not this time")
	for name, test := range map[string]struct {
		steps  []step
		warmUp time.Duration
		run    time.Duration
		want   string
	}{
		"in time": {nil, 250 * time.Millisecond, 3500 * time.Millisecond, "[-250ms 0s 1s 2s 3s 3.5s]"},
		"a reading takes longer than two intervals: the latest that is missed is made up for": {
			[]step{{}, {}, {takes: 2300 * time.Millisecond}}, 0, 4500 * time.Millisecond, "[0s 2.3s 2.3s 3s 4s 4.5s]"},
		"a gap":                                  {[]step{{}, {}, {}, {err: passing}}, 0, 2500 * time.Millisecond, "[0s 0s 2s 2.5s]"},
		"one error at the origin":                {[]step{{}, {}, {err: passing}}, 20 * time.Second, 2500 * time.Millisecond, "[-20s 1s 2s 2.5s]"},
		"one reading that is given up":           {[]step{{}, {}, {}, {takes: 4900 * time.Millisecond, err: passing}}, 0, 7500 * time.Millisecond, "[0s 0s 5.9s 6s 7s 7.5s]"},
		"errors for less than the link is given": {[]step{{}, {}, {}, {err: passing}, {err: passing}, {err: passing}, {err: passing}, {err: passing}}, 0, 6500 * time.Millisecond, "[0s 0s 6s 6.5s]"},
	} {
		t.Run(name, func(t *testing.T) {
			scripted(t, test.steps, func(t *testing.T, w *Watch, s *script) {
				time.Sleep(test.warmUp)
				w.Start(time.Now())
				time.Sleep(test.run)
				if r := w.Stop(); instants(r) != test.want || r.Lost != nil {
					t.Errorf("readings at %s, lost %+v; want %s", instants(r), r.Lost, test.want)
				}
			})
		})
	}
}

func TestWatchLoss(t *testing.T) {
	passing := errors.New("not this time")
	for name, test := range map[string]struct {
		steps []step
		after time.Duration // from the origin to the loss
		want  Loss
	}{
		"gone at once":     {[]step{{}, {}, {}, {}, {err: fmt.Errorf("reading: %w", &lostError{errors.New("ssh ended")})}}, 2 * time.Second, Loss{time.Second, "reading: ssh ended"}},
		"no answer":        {[]step{{}, {}, {}, {takes: never}}, time.Second + lostAfter, Loss{0, "no answer: context deadline exceeded"}},
		"errors in a row":  {[]step{{}, {}, {}, {err: passing}, {err: passing}, {err: passing}, {err: passing}, {err: passing}, {err: passing}}, 6 * time.Second, Loss{0, "not this time"}},
		"from the warm-up": {[]step{{}, {}, {takes: never}}, lostAfter, Loss{-20 * time.Second, "no answer: context deadline exceeded"}},
	} {
		t.Run(name, func(t *testing.T) {
			scripted(t, test.steps, func(t *testing.T, w *Watch, s *script) {
				time.Sleep(20 * time.Second)
				origin := time.Now()
				w.Start(origin)
				<-w.Lost()
				if took := time.Since(origin); took != test.after {
					t.Errorf("lost after %v, want %v", took, test.after)
				}
				fetches := len(s.begun)
				r := w.Stop()
				if r.Lost == nil || *r.Lost != test.want || len(s.begun) > fetches {
					t.Errorf("lost %+v, %s after that; want %+v and none", r.Lost, s.began(fetches), test.want)
				}
			})
		})
	}
}

// Whatever hangs, the end has one bound, and after a reading that was given up there
// is no other.
func TestWatchStops(t *testing.T) {
	hangs := step{takes: never}
	for name, test := range map[string]struct {
		steps   []step
		closes  time.Duration
		want    time.Duration // that stopping takes
		fetches string        // from the origin on
		lost    string
	}{
		"all is well":              {nil, 0, 0, "[0s 500ms]", ""},
		"the last reading is slow": {[]step{{}, {}, {}, {takes: time.Second}}, 0, time.Second, "[0s 500ms]", ""},
		"the reading under way hangs, and closing too": {[]step{{}, {}, hangs}, never, stopPatience, "[0s]", "no answer: context deadline exceeded"},
		"the last reading hangs":                       {[]step{{}, {}, {}, hangs}, 0, lastPatience, "[0s 500ms]", "no answer: context deadline exceeded"},
		"both are slow":                                {[]step{{}, {}, {takes: 1300 * time.Millisecond}, {takes: time.Second}}, never, stopPatience, "[0s 1.3s]", "no answer: context deadline exceeded"},
		"closing hangs":                                {nil, never, stopPatience, "[0s 500ms]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			scripted(t, test.steps, func(t *testing.T, w *Watch, s *script) {
				s.closes = test.closes
				w.Start(time.Now())
				time.Sleep(500 * time.Millisecond)
				began := time.Now()
				r := w.Stop()
				if took := time.Since(began); took != test.want {
					t.Errorf("took %v to stop, want %v", took, test.want)
				}
				if s.began(2) != test.fetches {
					t.Errorf("fetches at %s, want %s", s.began(2), test.fetches)
				}
				if (r.Lost != nil) != (test.lost != "") || r.Lost != nil && r.Lost.Why != test.lost {
					t.Errorf("lost %+v, want %q", r.Lost, test.lost)
				}
			})
		})
	}
}

// A Watch that was never started has the reading of its opening and that of its end,
// and each is shown.
func TestWatchWithoutStart(t *testing.T) {
	scripted(t, nil, func(t *testing.T, w *Watch, _ *script) {
		shown := 0
		w.config.OnReading = func(Reading) { shown++ }
		time.Sleep(time.Second)
		r := w.Stop()
		if instants(r) != "[0s 1s]" || shown != 1 || len(r.Groups) != 1 || r.Cost.Elapsed != time.Second {
			t.Errorf("readings at %s, %d shown, %+v", instants(r), shown, r)
		}
	})
}

// Each thing that is wrong is said, before anything is reached.
func TestConfigIsValidated(t *testing.T) {
	c := Config{Host: Host{Name: "no-such-host.invalid"}, Interval: time.Millisecond, Selections: []Selection{
		{"x", "y"}, {ByPID, "0"}, {ByPort, "a"}, {ByName, ""}, {ByUnix, "relative"}, {ByCgroup, "/"}, {ByName, "123"}, {ByCgroup, "a"}, {ByUnix, "@a b"},
	}}
	_, err := Open(t.Context(), c)
	want := []string{"sampling every 1ms", `"x" is no kind`, `"0": want`, `":a": want`, `"name:": want`, `"unix:relative": want`, `"cgroup:/": want`}
	if err == nil || len(strings.Split(err.Error(), "\n")) != len(want) {
		t.Fatalf("%d faults wanted, got %v", len(want), err)
	}
	for n, line := range strings.Split(err.Error(), "\n") {
		if !strings.Contains(line, want[n]) {
			t.Errorf("%s: want %s", line, want[n])
		}
	}
}

// A reading of which nobody knows the instant is a gap and no more: the next one is
// there again, and the figures go on.
func TestWatchLeavesOutVagueReadings(t *testing.T) {
	steps := []step{{}, {}, {}, {within: time.Second}, {within: mostWithin}}
	scripted(t, steps, func(t *testing.T, w *Watch, s *script) {
		w.Start(time.Now())
		time.Sleep(2500 * time.Millisecond)
		r := w.Stop()
		if got, want := instants(r), "[0s 0s 2s 2.5s]"; got != want || r.Lost != nil {
			t.Errorf("read at %s, lost %+v: want %s", got, r.Lost, want)
		}
	})
}
