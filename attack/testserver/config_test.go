package testserver

import (
	"strings"
	"testing"
	"time"
)

func TestValidateReportsEveryFault(t *testing.T) {
	c := Config{
		Listen: "nowhere", Workers: -1, ServiceTime: -1, Service: "normal", Delay: -1, Queue: -2, StallAt: time.Second,
		Size: -3, Fail: map[Failure]float64{"fire": 0.1, FailReset: 1.5},
	}
	_, err := Start(c)
	if err == nil {
		t.Fatal("no fault found")
	}
	for _, want := range []string{`"nowhere"`, "--workers -1", "--service-time -1ns", `"normal"`, "--delay -1ns", "--queue -2",
		"--stall-at 1s", "--size -3", "--fail fire", "--fail reset=1.5"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
}

func TestValidate(t *testing.T) {
	check := func(c Config, want string) {
		t.Helper()
		err := c.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	check(Config{}, "")
	check(Config{Workers: 1, ServiceTime: time.Millisecond, Queue: 1}, "")
	check(Config{Workers: 1}, "--service-time 0s")
	check(Config{Queue: 1}, "no queue")
	check(Config{Workers: 3, ServiceTime: 1, Queue: 2}, "--queue 2")
	check(Config{Fail: map[Failure]float64{FailReset: 0.6, FailHang: 0.6}}, "add up to 1.2")
	check(Config{Fail: map[Failure]float64{FailReset: 0.6, FailRefuse: 0.6}}, "")
	check(Config{Fail: map[Failure]float64{FailStatus: 0.1, FailReset: 0.2, FailTruncate: 0.3, FailHang: 0.4}}, "")
	check(Config{Size: MaxSize + 1}, "--size")
	check(Config{Listen: "127.0.0.1:http"}, "")
	check(Config{Listen: "127.0.0.1:70000"}, "70000")
}

func TestListenFails(t *testing.T) {
	s := start(t, Config{})
	if _, err := Start(Config{Listen: s.Addr().String()}); err == nil || !strings.Contains(err.Error(), s.Addr().String()) {
		t.Errorf("error %v, want one that names the address in use", err)
	}
}
