package search

import (
	"math"
	"time"

	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// The pause between two runs.
const (
	// settleLeast: RFC 2544 section 23 waits 2 s for stragglers and 5 s more; a run
	// here has waited for its own already, up to their timeout.
	settleLeast = plan.Seconds(time.Second)

	// settleMost bounds what is spent on a guess. What is left then is reported.
	settleMost = plan.Seconds(time.Minute)
)

// LeftOver is how many requests of a run the client has given up: the server may
// still be at work on them, and the next run would meet that.
func LeftOver(s *record.Summary) uint64 { return s.Errors.ClientTimeout + s.Aborted }

// Settle is how long to leave a server alone after a run: a second, and if
// requests were given up as long as it needs for everything sent, at the rate of
// its best second, less the time that has passed; a minute at most. A server that
// forgets clients which have gone needs less, and one that answered nothing shows
// no rate to reckon with.
func Settle(s *record.Summary) plan.Seconds {
	needed := float64(s.Sent)/float64(s.ReplyRate.Max) - float64(s.Elapsed)
	if LeftOver(s) == 0 || math.IsNaN(needed) || math.IsInf(needed, 0) || needed <= 0 {
		return settleLeast
	}
	return settleLeast + plan.Seconds(min(needed, (settleMost-settleLeast).Std().Seconds())*1e9)
}
