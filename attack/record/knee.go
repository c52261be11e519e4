package record

import (
	"fmt"
	"math"

	"ratebench/attack/plan"
)

const (
	// kneeSpan is how many seconds are looked at together: one has a request more or
	// less by chance, and a short stall is made up for in the next.
	kneeSpan = 3
	// kneeShare is how much of what is due may go without a good reply: in flight
	// come and go, and a second ends between two requests.
	kneeShare = 0.02
	// minKnee is how many seconds good replies have to stay behind to the end: two of
	// errors just before it are in kneeSpan+1 spans.
	minKnee = kneeSpan + 2
	// minRamp is how many seconds a ramp has to have for a knee in it: one after the
	// first span, which cannot be told.
	minRamp = kneeSpan + 1 + minKnee
)

// knee is up to which rate good replies kept up with a ramp that rises: they stay
// behind from there to the end. It is what a ramp is made for, and no doubt about it;
// neither is that a ramp was too short to tell.
func knee(p *plan.Plan, all []Interval, s *Summary) *Finding {
	window := full(all, s)
	if p.Ramp.To.PerSecond() <= p.Ramp.From.PerSecond() {
		return nil
	}
	kept := len(window)
	for kept > kneeSpan && behind(p, window, kept) {
		kept--
	}
	if len(window)-kept < minKnee {
		return tooShort(len(window))
	}
	if kept == kneeSpan { // the first span cannot be told: its in flight begin at 0
		from := p.Ramp.From.PerSecond()
		return &Finding{"ramp_knee", fmt.Sprintf("good replies did not keep up with any rate of the ramp, from %.4g/s on", from),
			Number(from), Undefined(), Valid}
	}
	var good uint64
	for _, second := range window[kept:] {
		good += second.Good
	}
	last := kept - 1 // the span's last second may be one that hides in it
	rate := rampRate(p, last)
	return &Finding{"ramp_knee",
		fmt.Sprintf("good replies kept up to about %.4g/s, %d s after the start; from then on they came at %.4g/s", rate, last, float64(good)/float64(len(window)-kept)),
		Number(rate), Undefined(), Valid}
}

// tooShort says that nothing can be said of a ramp with so few full seconds.
func tooShort(seconds int) *Finding {
	if seconds >= minRamp {
		return nil
	}
	return &Finding{"ramp_short",
		fmt.Sprintf("the ramp is too short to tell up to which rate good replies kept up: it takes %d full seconds, and there are %d", minRamp, seconds),
		Number(seconds), minRamp, Valid}
}

// behind says whether good replies fell behind in the span that ends before second
// end, which is not the first span. In flight that grow no more than the rate does are
// those of an even response time.
func behind(p *plan.Plan, window []Interval, end int) bool {
	var due, good float64
	for _, second := range window[end-kneeSpan : end] {
		due, good = due+float64(second.Due), good+float64(second.Good)
	}
	first := end - kneeSpan
	even := float64(window[first-1].InFlight) * (rampRate(p, end)/rampRate(p, first) - 1)
	return due-good-even > math.Max(kneeShare*due, kneeSpan)
}

// rampRate is the rate of p's ramp so many seconds after its start, per second.
func rampRate(p *plan.Plan, seconds int) float64 {
	from, to := p.Ramp.From.PerSecond(), p.Ramp.To.PerSecond()
	return from + (to-from)*float64(seconds)/p.Duration.Std().Seconds()
}
