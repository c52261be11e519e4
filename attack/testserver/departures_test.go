package testserver

import (
	"bufio"
	"fmt"
	"testing"
	"time"
)

func TestDeparturesAreKept(t *testing.T) {
	s := start(t, Config{Workers: 1, ServiceTime: 2 * time.Millisecond, Stamps: true, Log: 3})
	var stamps []stamp
	for i := range 4 {
		c := dial(t, s.Addr(), fmt.Sprintf("GET /%d?a HTTP/1.1\r\nHost: a\r\n\r\n", i))
		stamps = append(stamps, readStamp(t, bufio.NewReader(c)))
	}
	kept := s.Departures()
	if len(kept) != 3 {
		t.Fatalf("%d kept, want the first 3 of 4", len(kept))
	}
	for i, d := range kept {
		if want := fmt.Sprintf("/%d?a", i); d.Target != want || d.Fate != good || d.Rejected {
			t.Errorf("entry %d: %+v, want a reply to %s", i, d, want)
		}
		if d.Arrival != stamps[i].arrival || d.Begun != stamps[i].departure {
			t.Errorf("entry %d: %+v, its reply says %+v", i, d, stamps[i])
		}
		if d.Due-d.Arrival != int64(2*time.Millisecond) || d.Begun < d.Due || d.Done < d.Begun || d.Done > s.Now() {
			t.Errorf("entry %d: instants out of order: %+v", i, d)
		}
	}
}

func TestDeparturesSayHow(t *testing.T) {
	s := start(t, Config{Fail: map[Failure]float64{FailStatus: 1}, Log: 1})
	c := dial(t, s.Addr(), get)
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if kept := s.Departures(); len(kept) != 1 || kept[0].Fate != FailStatus {
		t.Errorf("%+v, want one of status", kept)
	}
}

func TestNoLogUnlessAsked(t *testing.T) {
	s := start(t, Config{})
	c := dial(t, s.Addr(), get)
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if kept := s.Departures(); len(kept) != 0 {
		t.Errorf("%+v kept", kept)
	}
	if _, err := Start(Config{Log: -1}); err == nil {
		t.Error("a negative log was accepted")
	}
}
