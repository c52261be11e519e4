package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLogFromSeveralGoroutines(t *testing.T) {
	const loops = 4
	p := loggedPlan(t, 20_000)
	all := outcomes(p)
	var file bytes.Buffer
	l, err := NewLog(&file, "gob", p)
	if err != nil {
		t.Fatal(err)
	}
	l.Start(origin)
	var running sync.WaitGroup
	for i := range loops {
		running.Go(func() {
			for n := i; n < len(all); n += loops {
				l.Record(&all[n])
			}
		})
	}
	running.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	results := decoded(t, &file)
	if fault := faultIn(results); fault != "" || len(results) != len(all) {
		t.Errorf("%d results: %s", len(results), fault)
	}
}

// full is a disk with room for some bytes.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestLogOnAFullDisk(t *testing.T) {
	p := loggedPlan(t, 5000)
	all := outcomes(p)
	for _, format := range logFormats {
		for _, room := range []int{0, 100_000} {
			l, err := NewLog(&full{room}, format, p)
			if err != nil {
				t.Fatal(err)
			}
			l.Start(origin)
			for i := range all {
				l.Record(&all[i])
			}
			for range 2 {
				if err := l.Close(); !errors.Is(err, errFull) || err.Error() != "writing the log: no space left on device" {
					t.Errorf("%s, %d bytes: %v", format, room, err)
				}
			}
			l.Record(&all[0]) // is passed over
		}
	}
}

// stuck is a disk that takes nothing until it is released.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

func TestRecordWaitsOnlyBehindTheBacklog(t *testing.T) {
	const backlog = 1000
	all := outcomes(loggedPlan(t, 5*backlog))
	disk := stuck{make(chan struct{})}
	l, err := NewLog(disk, "json", loggedPlan(t, 5*backlog))
	if err != nil {
		t.Fatal(err)
	}
	l.backlog = backlog
	l.Start(origin)
	recorded := make(chan struct{})
	go func() { // ends once the disk is released
		defer close(recorded)
		for i := range all {
			l.Record(&all[i])
		}
	}()
	waiting := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.batch)
	}
	for deadline := time.Now().Add(time.Minute); waiting() < backlog; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the disk is stuck and the backlog does not fill")
		}
	}
	// The writer has a batch and a buffer of 64 KiB, some 300 results: far from all.
	select {
	case <-recorded:
		t.Error("the backlog is not bounded")
	default:
	}
	close(disk.release)
	<-recorded
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestLogRefusesOtherFormats(t *testing.T) {
	for _, format := range []string{"", "JSON", "xml"} {
		if _, err := NewLog(io.Discard, format, loggedPlan(t, 1)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", format)) {
			t.Errorf("%q: %v", format, err)
		}
	}
}

func TestEmptyLog(t *testing.T) {
	var file bytes.Buffer
	writeLog(t, &file, "json", loggedPlan(t, 10), nil)
	if file.Len() != 0 {
		t.Errorf("a log without a request holds %q", &file)
	}
}

func BenchmarkLogRecord(b *testing.B) {
	p := loggedPlan(b, 1<<40)
	l, err := NewLog(io.Discard, "json", p)
	if err != nil {
		b.Fatal(err)
	}
	l.Start(origin)
	schedule := p.Schedule()
	for b.Loop() {
		a, _ := schedule.Next()
		o := replied(p, a, 1)
		l.Record(&o)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}
