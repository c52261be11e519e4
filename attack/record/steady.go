package record

import (
	"fmt"
	"math"
	"slices"
)

// minSteadySeconds is the shortest window whose thirds say anything.
const minSteadySeconds = 6

// growing finds a queue without an end: requests in flight that rise steadily,
// until timeouts hold their number or over the whole window. A bulge that ends by
// itself, a queue of limited length that has filled and a slow server without a
// queue are none. What timeouts hold is looked for first: over the whole window
// its slope would depend on how long the level lasted, and on the level's noise.
func growing(all []Interval, s *Summary) *Finding {
	window := full(all, s)
	limit := growthShare * float64(s.OfferedRate)
	filling, text := untilLevel(window), ""
	slope, grows := growth(filling, limit)
	if grows && heldByTimeouts(window[len(filling):], slope) {
		text = fmt.Sprintf(" for %d s, until requests time out as fast as they come", len(filling))
	} else if slope, grows = growth(window, limit); !grows || levelled(inFlight(window)) {
		return nil
	}
	text = fmt.Sprintf("not steady: in flight grows %.0f/s", slope) + text
	return &Finding{"not_steady", text + ", so response times have no steady value", Number(slope), Number(limit), Suspect}
}

// growth is how many more requests are in flight after each second than before,
// and whether that is growth: above the limit, above the noise, all along, and
// with replies that take longer. The slope is Theil's, the median over all pairs
// of seconds, which single spikes do not move.
func growth(seconds []Interval, limit float64) (slope float64, grows bool) {
	if len(seconds) < 3 {
		return 0, false
	}
	values := inFlight(seconds)
	slope = theilSen(values)
	noise := 3 * math.Sqrt(median(values)+1)
	return slope, slope >= limit && slope*float64(len(values)) >= noise && rises(values) && slower(seconds)
}

// heldByTimeouts says whether timeouts take away what would go on growing in the
// seconds that are left, if there are any.
func heldByTimeouts(seconds []Interval, slope float64) bool {
	var timeouts uint64
	for i := range seconds {
		timeouts += seconds[i].Timeouts
	}
	return len(seconds) > 0 && float64(timeouts) >= slope/2*float64(len(seconds))
}

// drifting compares the share of good requests in the first and the last third,
// by due time, so that neither the edges of the window nor uneven arrivals count.
func drifting(all []Interval, s *Summary, interrupted bool) *Finding {
	window := full(all, s)
	if len(window) < minSteadySeconds || interrupted { // aborts fall upon the last third alone
		return nil
	}
	third := len(window) / 3
	first, last := sharesOf(window[:third]), sharesOf(window[len(window)-third:])
	change := last.mean - first.mean
	if !(math.Abs(change) > goodputDrift+3*math.Max(binomialError(first, last), batchError(first, last))) {
		return nil
	}
	word := "fell"
	if change > 0 {
		word = "rose"
	}
	return &Finding{"goodput_drift",
		fmt.Sprintf("not steady: the share of good requests %s from %.1f %% in the first third to %.1f %% in the last",
			word, 100*first.mean, 100*last.mean),
		Number(change), goodputDrift, Suspect}
}

// shares is the good share of the requests due in some seconds.
type shares struct {
	mean     float64 // NaN if none was due
	due      float64 // requests
	variance float64 // of the mean, from how the seconds differ; 0 for fewer than two
}

func sharesOf(seconds []Interval) shares {
	var good, due, n, sum, squares float64
	for i := range seconds {
		if v := &seconds[i]; v.Due > 0 {
			good += float64(v.goodDue)
			due += float64(v.Due)
			share := float64(v.goodDue) / float64(v.Due)
			n, sum, squares = n+1, sum+share, squares+share*share
		}
	}
	s := shares{mean: good / due, due: due}
	if n > 1 {
		s.variance = max(squares-sum*sum/n, 0) / (n - 1) / n
	}
	return s
}

// binomialError is the standard error of the difference of two shares whose
// requests fail independently of each other.
func binomialError(a, b shares) float64 {
	p := (a.mean*a.due + b.mean*b.due) / (a.due + b.due)
	return math.Sqrt(max(p*(1-p), 0) * (1/a.due + 1/b.due))
}

// batchError is the standard error of the difference as the seconds show it,
// which is larger where failures come in clusters.
func batchError(a, b shares) float64 { return math.Sqrt(a.variance + b.variance) }

// full are the full seconds of the arrival window.
func full(all []Interval, s *Summary) []Interval { return all[:min(s.ReplyRate.Samples, len(all))] }

func inFlight(seconds []Interval) []float64 {
	values := make([]float64, len(seconds))
	for i := range seconds {
		values[i] = float64(seconds[i].InFlight)
	}
	return values
}

// untilLevel are the seconds until the number in flight first comes within a
// twentieth of the level that it has in the second half of the span. The greatest
// number would not do for a level: where it falls is chance once the level is reached.
func untilLevel(seconds []Interval) []Interval {
	values := inFlight(seconds)
	level := median(values[len(values)/2:])
	i := slices.IndexFunc(values, func(v float64) bool { return v >= 0.95*level })
	return seconds[:i+1]
}

// rises says whether growth is spread over the span: each half ends higher than it began.
func rises(values []float64) bool {
	half := len(values) / 2
	return values[half] > values[0] && values[len(values)-1] > values[half]
}

// levelled says whether less than a tenth of a rise fell to the second half of the
// span: that much the noise of a level yields by chance after a steep start.
func levelled(values []float64) bool {
	first, half, last := values[0], values[len(values)/2], values[len(values)-1]
	return last-half < (last-first)/10
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

// theilPoints bounds the points whose pairs theilSen looks at.
const theilPoints = 200

// theilSen is the median slope per step over all pairs of an evenly thinned
// series, 0 for fewer than two values.
func theilSen(values []float64) float64 {
	step := max(1, (len(values)+theilPoints-1)/theilPoints)
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
