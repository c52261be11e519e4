package attack_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/testserver"
)

// The caller is asked once, when nothing has been sent, and told the origin while
// the warm-up is still to come.
func TestReadyAndOrigin(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := startRaw(t, testserver.RawConfig{Reply: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})
		var asked, told int
		var ahead time.Duration
		const warmup = 2 * time.Second // more than a busy machine is late by
		run, err := attack.Run(t.Context(), newPlan(t, engine, s.URL(), "100", 10, func(p *plan.Plan) { p.Warmup = plan.Seconds(warmup) }), attack.Hooks{
			Ready: func(ctx context.Context, local bool) error {
				asked++
				if !local || s.Conns() != 0 || ctx.Err() != nil {
					t.Errorf("local %v, %d connections, %v", local, s.Conns(), ctx.Err())
				}
				return nil
			},
			Origin: func(origin time.Time) { told++; ahead = time.Until(origin) },
		})
		if err != nil || asked != 1 || told != 1 || run.Summary.Replies != 10 {
			t.Fatalf("asked %d times, told %d times: %v", asked, told, err)
		}
		if ahead <= 0 || ahead > warmup+100*time.Millisecond || run.StartedAt.IsZero() {
			t.Errorf("told %v before the origin, want more than 0, and at most the warm-up and the engine's lead", ahead)
		}
	})
}

// Who is not ready gets no load, and no origin.
func TestNotReady(t *testing.T) {
	not := errors.New("not ready")
	eachEngine(t, func(t *testing.T, engine string) {
		s := startRaw(t, testserver.RawConfig{Reply: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")})
		_, err := attack.Run(t.Context(), newPlan(t, engine, s.URL(), "100", 10, nil), attack.Hooks{
			Ready:  func(context.Context, bool) error { return not },
			Origin: func(time.Time) { t.Error("there is an origin") },
		})
		if !errors.Is(err, not) || s.Conns() != 0 {
			t.Errorf("error %v, %d connections", err, s.Conns())
		}
	})
}

// An interrupt while the caller makes itself ready is an interrupt, whatever the caller says.
func TestInterruptBeforeReady(t *testing.T) {
	for _, said := range []error{nil, errors.New("gave up")} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := attack.Run(ctx, newPlan(t, plan.EngineAuto, "http://127.0.0.1:9/", "100", 10, nil), attack.Hooks{
			Ready: func(context.Context, bool) error { cancel(); return said },
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v: error %v", said, err)
		}
	}
}

// A server elsewhere is not local. 192.0.2.1 is nobody's (RFC 5737).
func TestReadyElsewhere(t *testing.T) {
	stop := errors.New("enough")
	_, err := attack.Run(t.Context(), newPlan(t, plan.EngineAuto, "http://192.0.2.1/", "100", 10, nil), attack.Hooks{
		Ready: func(_ context.Context, local bool) error {
			if local {
				t.Error("192.0.2.1 is taken for this machine")
			}
			return stop
		},
	})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}
