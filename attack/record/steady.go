package record

import (
	"fmt"
	"math"
	"slices"
)

// minSteadySeconds is the shortest window whose thirds say anything.
const minSteadySeconds = 6

// growing finds a queue without an end: requests in flight that rise steadily,
// over the whole window or until the timeout holds their number. The slope is
// Theil's, the median over all pairs of seconds, which single spikes do not move.
func growing(all []Interval, s *Summary) *Finding {
	inFlight := untilTop(full(all, s))
	if len(inFlight) < 3 || !s.OfferedRate.Defined() || !slower(all[:len(inFlight)]) {
		return nil
	}
	slope := theilSen(inFlight)
	rise := slope * float64(len(inFlight))
	limit := growthShare * float64(s.OfferedRate)
	noise := 3 * math.Sqrt(median(inFlight)+1)
	if slope < limit/2 || rise < limit || rise < noise || !rises(inFlight) {
		return nil
	}
	text := fmt.Sprintf("not steady: in flight grows %.0f/s", slope)
	if len(inFlight) < s.fullSeconds()*9/10 {
		text += fmt.Sprintf(" for %d s, until requests time out as fast as they come", len(inFlight))
	}
	return &Finding{"not_steady", text + ", so response times have no steady value", Number(slope), Number(limit / 2), Suspect}
}

// drifting compares the good replies of the first, middle and last third.
func drifting(all []Interval, s *Summary) *Finding {
	window := full(all, s)
	if len(window) < minSteadySeconds {
		return nil
	}
	third := len(window) / 3
	first, last := good(window[:third]), good(window[len(window)-third:])
	load := float64(s.OfferedRate) * float64(third)
	change := (last - first) / load
	noise := 3 * math.Sqrt(first+last) / load
	if math.Abs(change) <= goodputDrift+noise {
		return nil
	}
	word := "fell"
	if change > 0 {
		word = "rose"
	}
	return &Finding{"goodput_drift",
		fmt.Sprintf("not steady: good replies %s from %.0f/s in the first third to %.0f/s in the last", word, first/float64(third), last/float64(third)),
		Number(change), goodputDrift, Suspect}
}

// full are the full seconds of the arrival window.
func full(all []Interval, s *Summary) []Interval { return all[:min(s.fullSeconds(), len(all))] }

func (s *Summary) fullSeconds() int { return int(min(max(s.Window, 0), math.MaxInt32)) }

func good(seconds []Interval) float64 {
	var n uint64
	for i := range seconds {
		n += seconds[i].Good
	}
	return float64(n)
}

// untilTop is the number in flight second by second until it first comes within
// a twentieth of its greatest.
func untilTop(seconds []Interval) []float64 {
	values := make([]float64, len(seconds))
	for i := range seconds {
		values[i] = float64(seconds[i].InFlight)
	}
	if len(values) == 0 {
		return nil
	}
	top := slices.Max(values)
	for i, v := range values {
		if v >= 0.95*top {
			return values[:i+1]
		}
	}
	return values
}

// rises says whether growth is spread over the span: each half ends higher than it began.
func rises(values []float64) bool {
	half := len(values) / 2
	return values[half] > values[0] && values[len(values)-1] > values[half]
}

// slower says whether replies took clearly longer at the end of the span than
// at its start. A server that answers each request after the same long time
// has ever more in flight at first too, without a queue.
func slower(seconds []Interval) bool {
	first, last := Undefined(), Undefined()
	for i := range seconds {
		if p50 := seconds[i].P50; p50.Defined() {
			if !first.Defined() {
				first = p50
			}
			last = p50
		}
	}
	return last > 1.5*first
}

// theilPoints bounds the pairs that theilSen looks at.
const theilPoints = 200

// theilSen is the median slope per step over all pairs of an evenly thinned series.
func theilSen(values []float64) float64 {
	step := max(1, len(values)/theilPoints)
	var slopes []float64
	for i := 0; i < len(values); i += step {
		for j := i + step; j < len(values); j += step {
			slopes = append(slopes, (values[j]-values[i])/float64(j-i))
		}
	}
	return median(slopes)
}

// median of values, 0 of none; values are not changed.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}
