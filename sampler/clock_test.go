package sampler

import (
	"math"
	"testing"
	"testing/quick"
	"time"
)

// simulate makes exchanges each second with a host whose clock is ahead by offset
// and gains drift, over a network with the delays there and back.
func simulate(n int, offset time.Duration, drift float64, delays func(int) (there, back time.Duration)) *exchanges {
	x := &exchanges{}
	origin := time.Now()
	for i := range n {
		there, back := delays(i)
		since := time.Duration(i) * time.Second
		exact := since + there + offset + time.Duration(float64(since+there)*drift)
		x.add(exchange{origin.Add(since), origin.Add(since + there + back), exact.Truncate(tickOfUptime)})
	}
	return x
}

// Whatever the delays, the true offset is within what the clock says of itself.
func TestClockHoldsTruth(t *testing.T) {
	holds := func(offset uint32, delays []uint16) bool {
		if len(delays) < 2 {
			return true
		}
		x := simulate(len(delays)/2, time.Duration(offset)*time.Microsecond, 0, func(i int) (time.Duration, time.Duration) {
			return time.Duration(delays[2*i]) * 10 * time.Microsecond, time.Duration(delays[2*i+1]) * 10 * time.Microsecond
		})
		c := x.clock()
		return (c.Offset-time.Duration(offset)*time.Microsecond).Abs() <= c.Within && c.Drift == 0
	}
	if err := quick.Check(holds, nil); err != nil {
		t.Error(err)
	}
}

func TestClockTakesFastest(t *testing.T) {
	x := simulate(20, time.Hour, 0, func(i int) (time.Duration, time.Duration) {
		if i == 3 || i == 15 {
			return time.Millisecond, time.Millisecond
		}
		return 100 * time.Millisecond, time.Millisecond
	})
	if c := x.clock(); c.Within != 6*time.Millisecond || (c.Offset-time.Hour).Abs() > c.Within {
		t.Errorf("%+v, want 1 h within 6 ms", c)
	}
}

func TestClockDrift(t *testing.T) {
	none := func(int) (time.Duration, time.Duration) { return 0, 0 }
	if got := simulate(100, time.Minute, 1e-3, none).clock().Drift; math.Abs(got-1e-3) > 2e-4 {
		t.Errorf("drift %v, want 0.001", got)
	}
	if got := simulate(100, time.Minute, 1e-6, none).clock().Drift; got != 0 {
		t.Errorf("drift %v within the uncertainty, want 0", got)
	}
	if got := (&exchanges{}).clock(); got != (Clock{}) {
		t.Errorf("%+v without an exchange", got)
	}
	if got := simulate(1, time.Minute, 0, none).clock(); got.Offset == 0 || got.Drift != 0 {
		t.Errorf("%+v of one exchange", got)
	}
}
