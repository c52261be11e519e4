package attack_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/testserver"
)

// A client that is stopped, by Ctrl-Z or a busy machine, finds replies that the
// kernel received while it stood still. The native engine counts them as what they
// are, with the time that they took, and shows its own lateness apart; they are no
// timeouts although their time is over when it looks.
func TestStoppedClient(t *testing.T) {
	t.Parallel()
	if !slices.Contains(engines(), plan.EngineEpoll) {
		return // net/http cannot know when a reply came
	}
	for name, perConnection := range map[string]int{"a connection each": 1, "kept": 0} {
		t.Run(name, func(t *testing.T) {
			s := start(t, testserver.Config{Delay: 500 * time.Millisecond})
			inside(t, []string{"env", "SERVER=" + s.URL()}, func(t *testing.T) {
				thrice(t, func() error { return stoppedWhileWaiting(t, perConnection) })
			})
		})
	}
}

func stoppedWhileWaiting(t *testing.T, perConnection int) error {
	t.Helper()
	p := newPlan(t, plan.EngineEpoll, os.Getenv("SERVER"), "1000", 20, func(p *plan.Plan) {
		p.RequestsPerConnection, p.Timeout = perConnection, plan.Seconds(time.Second)
	})
	stop := exec.Command("sh", "-c", "sleep 0.2; kill -STOP $PPID; sleep 1.5; kill -CONT $PPID")
	if err := stop.Start(); err != nil {
		t.Fatal(err)
	}
	run := offer(t, t.Context(), p)
	if err := stop.Wait(); err != nil {
		t.Error(err)
	}
	s := &run.Summary
	if s.Replies != 20 || s.Time.Response.Max > 0.8 || s.Time.ReceiveLag.Min < 0.5 {
		return fmt.Errorf("replies %d, errors %+v, response up to %v s, receive lag from %v s",
			s.Replies, s.Errors, s.Time.Response.Max, s.Time.ReceiveLag.Min)
	}
	return nil
}
