package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/testserver"
	"ratebench/report"
)

// liveLimit bounds a run of the tests against a real server.
const liveLimit = 60 * time.Second

// bothEngines are what the tests against servers are played with.
func bothEngines() []string { return []string{plan.EngineEpoll, plan.EngineVegeta} }

// live runs a command line in process, real engines and all.
func live(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), liveLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, attack: attack.Run}
	status := a.run(ctx, args)
	return result{status, stdout.String(), stderr.String()}
}

// measured is a live run with its document, whose accounts are checked.
type measured struct {
	result
	report.Document
}

// measure runs a command line and reads the document that it writes beside the
// rest. A client that was too slow, which a busy machine makes of any, is no
// failure here: what is asserted is what must hold all the same.
func measure(t *testing.T, args ...string) measured {
	t.Helper()
	saved := filepath.Join(t.TempDir(), "r.json")
	r := live(t, append([]string{"-o", saved}, args...)...)
	m := measured{result: r, Document: readDocument(t, saved, r)}
	if m.status == exitInvalid && m.Verdict.Status == record.Invalid {
		m.status = exitDone
	}
	return m
}

// readDocument reads a saved run, which must pass its own accounts.
func readDocument(t *testing.T, path string, r result) report.Document {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no document: %v; status %d, %s", err, r.status, r.stderr)
	}
	var d report.Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if why := unbalanced(&d.Summary); why != "" {
		t.Error(why)
	}
	return d
}

// unbalanced says how the accounts of a run do not add up, empty if they do.
func unbalanced(s *record.Summary) string {
	if err := s.Check(); err != nil {
		return err.Error()
	}
	return ""
}

func TestUnbalancedTellsADifference(t *testing.T) {
	s := answered().Summary
	if why := unbalanced(&s); why != "" {
		t.Error(why)
	}
	s.Planned++
	if unbalanced(&s) == "" {
		t.Error("a lost request passes")
	}
}

// rawServer answers every request with reply, "ok" if it is empty, and remembers them.
func rawServer(t *testing.T, reply string) *testserver.Raw {
	t.Helper()
	if reply == "" {
		reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	}
	s, err := testserver.StartRaw(testserver.RawConfig{Reply: []byte(reply), MaxSeen: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// await waits until something is so, for at most limit, and says whether it came to pass.
func await(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return so()
}
