package testserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"
)

// A stamp is what one reply says about itself.
type stamp struct{ arrival, departure int64 }

func readStamp(t *testing.T, from *bufio.Reader) stamp {
	t.Helper()
	reply, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, reply.Body)
	arrival, err1 := strconv.ParseInt(reply.Header.Get("X-Arrival"), 10, 64)
	departure, err2 := strconv.ParseInt(reply.Header.Get("X-Departure"), 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return stamp{arrival, departure}
}

// onTime compares departures with the oracle's: none may be earlier, none later
// than the server itself says it was at worst.
func onTime(stamps []stamp, service time.Duration, workers int, late time.Duration) error {
	var arrivals, departures, services []int64
	for _, s := range stamps {
		arrivals, departures, services = append(arrivals, s.arrival), append(departures, s.departure), append(services, int64(service))
	}
	slices.Sort(arrivals)
	slices.Sort(departures)
	want := oracle(arrivals, services, workers)
	slices.Sort(want)
	for i, got := range departures {
		if got < want[i] || got > want[i]+int64(late) {
			return fmt.Errorf("departure %d at %d, want %d or up to %v later", i, got, want[i], late)
		}
	}
	return nil
}

func TestDeparturesDoNotDrift(t *testing.T) {
	for _, workers := range []int{1, 3} {
		const service = 3 * time.Millisecond
		s := start(t, Config{Workers: workers, ServiceTime: service, Stamps: true})
		var conns []*net.TCPConn
		for range 60 {
			conns = append(conns, dial(t, s.Addr(), get))
		}
		var stamps []stamp
		for _, c := range conns {
			stamps = append(stamps, readStamp(t, bufio.NewReader(c)))
		}
		if err := onTime(stamps, service, workers, s.Stats().MaxLate); err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

func TestOnTimeSeesAFault(t *testing.T) {
	ok := []stamp{{0, 10}, {1, 20}, {2, 33}}
	if err := onTime(ok, 10, 1, 3); err != nil {
		t.Error(err)
	}
	if onTime(ok, 10, 1, 2) == nil {
		t.Error("a departure that is too late passed")
	}
	if onTime([]stamp{{0, 9}}, 10, 1, 2) == nil {
		t.Error("a departure that is too early passed")
	}
}
