package record

import "time"

// A request that starts late has one of two reasons: the client stood still, in
// which case nothing was sent while it waited, or the client was busy with those
// before it. So every shard notes in which parts of a second it sent anything.
// The order of sending is not known otherwise: requests are recorded as they end.

// slots are the parts of a second that are told apart, the bits of a word.
const slots = 64

// span is a stretch of time.
type span struct{ from, to time.Duration }

func (s span) length() time.Duration { return s.to - s.from }

// slotOf is the part of the run that holds the instant at, counted from the origin.
func slotOf(at time.Duration) int {
	at = max(at, 0)
	return secondOf(at)*slots + int(at%time.Second*slots/time.Second)
}

// noteStart counts a request that was sent in its second, and keeps the latest.
func (s *Shard) noteStart(o *Outcome) {
	r := s.row(o.Sent)
	r.sent++
	r.starts |= 1 << (slotOf(o.Sent) % slots)
	if lag := o.SendLag(); lag > s.latest.length() {
		s.latest = span{o.Sent - lag, o.Sent}
	}
}

// standstill is the longest stretch in which the shard sent nothing while its
// latest request was due. It is told in whole slots that lie within, so that it
// falls short by less than two.
func (s *Shard) standstill() time.Duration {
	longest, length := 0, 0
	for i := slotOf(s.latest.from) + 1; i < slotOf(s.latest.to); i++ {
		length++
		if s.rows[i/slots].starts>>(i%slots)&1 == 1 {
			length = 0
		}
		longest = max(longest, length)
	}
	return time.Duration(longest) * time.Second / slots
}

// standstill is that of the shard whose latest request is the run's.
func (r *Recorder) standstill() time.Duration {
	latest := r.shards[0]
	for _, s := range r.shards[1:] {
		if s.latest.length() > latest.latest.length() {
			latest = s
		}
	}
	return latest.standstill()
}
