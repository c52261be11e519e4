package report

import (
	"math"
	"slices"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// withoutTwins is watched where groups that are those of an earlier record too, since
// one host was reached by two ways, are within them, so that they count once.
func withoutTwins(watched []*sampler.Record) []*sampler.Record {
	first := make(map[string]string) // title by identity
	all := slices.Clone(watched)
	for n, w := range all {
		own := *w
		own.Groups, all[n] = slices.Clone(w.Groups), &own
		for i := range own.Groups {
			g := &own.Groups[i]
			switch twin, ok := first[g.Identity]; {
			case g.Identity == "" || g.Within != "":
			case ok:
				g.Within = twin
			default:
				first[g.Identity] = g.Name + " on " + w.Host.Name
			}
		}
	}
	return all
}

// sumOf adds a figure up over all servers but those within others, whose processes
// would count twice. It is undefined if there is none or one is not known.
func sumOf(d *Document, figure func(*Server) record.Number) record.Number {
	sum, n := record.Number(0), 0
	for i := range d.Server {
		if s := &d.Server[i]; s.Within == "" {
			sum, n = sum+figure(s), n+1
		}
	}
	if n == 0 {
		return record.Undefined()
	}
	return sum
}

// CPUPerReply is the CPU time of all watched servers for a reply, in seconds, and
// how exact that is. Both are undefined if nothing was watched or any figure of it
// is not known.
func CPUPerReply(d *Document) (cpu, within record.Number) {
	return sumOf(d, func(s *Server) record.Number { return s.CPUPerReply }), precisionOfSum(d)
}

// serverCores are the cores that all watched servers used together.
func serverCores(d *Document) record.Number {
	return sumOf(d, func(s *Server) record.Number { return s.Cores })
}

// precisionOfSum is that of CPUPerReply. What is wrong with the servers' CPU times
// has nothing to do with each other, so its squares add up; but all are divided by
// the same replies, and what is wrong with those is wrong the same way for all.
func precisionOfSum(d *Document) record.Number {
	squares := sumOf(d, func(s *Server) record.Number { own := s.Precision / s.Replies; return own * own })
	common := sumOf(d, func(s *Server) record.Number {
		own := float64(s.Precision / s.Replies)
		return record.Number(math.Sqrt(max(math.Pow(float64(s.CPUPerReplyPrecision), 2)-own*own, 0)))
	})
	return record.Number(math.Hypot(math.Sqrt(float64(squares)), float64(common)))
}
