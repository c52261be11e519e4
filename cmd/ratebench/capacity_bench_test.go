package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratebench/attack"
	"ratebench/attack/record"
	"ratebench/attack/search"
	"ratebench/attack/testserver"
)

// offMark says how an answer is none about a server of so many requests a second:
// more than 5 % below it or 2.5 % above; empty if it is one.
func offMark(a *search.Answer, capacity float64) string {
	passes := float64(a.Passes)
	if a.Outcome != search.Found || passes < 0.95*capacity || passes > 1.025*capacity {
		return a.String()
	}
	return ""
}

func TestOffMarkTellsADifference(t *testing.T) {
	for passes, good := range map[float64]bool{474: false, 476: true, 500: true, 512: true, 513: false} {
		a := &search.Answer{Outcome: search.Found, Passes: record.Number(passes)}
		if why := offMark(a, 500); (why == "") != good {
			t.Errorf("%v: %q", passes, why)
		}
		if a.Outcome = search.ClientLimited; offMark(a, 500) == "" {
			t.Errorf("%v: an answer about the client passes", passes)
		}
	}
}

// BenchmarkCapacity is one thorough search with short trials, which fails if it is
// off the mark. It is no test, because it takes two minutes and a quiet machine:
// go test -run '^$' -bench Capacity -benchtime 5x -timeout 30m ./cmd/ratebench
func BenchmarkCapacity(b *testing.B) {
	server := oneWorker(b, 2*time.Millisecond)
	for b.Loop() {
		answer := soughtQuietly(b, server.URL())
		b.Log(answer.String())
		if why := offMark(answer, 500); why != "" {
			b.Errorf("off the mark: %s", why)
		}
	}
}

// soughtQuietly is the answer of a search, of the third at the latest: one that ends
// with what the client or the machine could not do is no answer about the server.
func soughtQuietly(b *testing.B, url string) *search.Answer {
	b.Helper()
	path := filepath.Join(b.TempDir(), "c.json")
	for try := 1; ; try++ {
		var stderr strings.Builder
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr, attack: attack.Run, idle: idleServer}
		a.run(context.Background(), []string{"capacity", "--trial", "3s", "--pause", "100ms", "--from", "200", "--max", "800",
			"--objective", "p99<50ms", "--timeout", "2", "--server", "none", "-o", path, url})
		answer := &searchedIn(b, path).Answer
		undecided := answer.Outcome == search.ClientLimited || answer.Outcome == search.NotRecovered
		if !undecided || try == 3 {
			return answer
		}
		b.Logf("try %d: %s", try, stderr.String())
	}
}

// idleServer is a server that does nothing, in this process.
func idleServer(context.Context) (url string, stop func(), err error) {
	server, err := testserver.Start(testserver.Config{})
	if err != nil {
		return "", nil, err
	}
	return server.URL(), func() { _ = server.Close() }, nil
}
