package suite

import (
	"math/rand/v2"
	"slices"
)

// Trial is one run of the comparison.
type Trial struct {
	Block  int    // from 1
	Place  int    // in the whole comparison, from 1
	Server int    // index of Suite.Servers
	Load   int    // index of Suite.Loads
	Seed   uint64 // of the arrivals: the block's, below 2^53 so that every reader of JSON keeps it
}

// Trials are all trials in the order in which they are made. A block has one trial
// of each load for each server, the servers in random order and for each of them
// the loads in random order, those that overload last: what an overload leaves
// behind meets nothing, since the server is stopped after it. The order depends on
// the names' places and the seed alone. A server that is not here keeps its places,
// so that other machines make theirs in the same order.
func (s *Suite) Trials() []Trial {
	var all []Trial
	for block := 1; block <= s.Repeat; block++ {
		r := rand.New(rand.NewPCG(s.Seed, uint64(block)))
		seed := r.Uint64N(1 << 53)
		for _, server := range r.Perm(len(s.Servers)) {
			for _, load := range s.shuffled(r) {
				all = append(all, Trial{block, len(all) + 1, server, load, seed})
			}
		}
	}
	return all
}

// shuffled are the loads in random order, overloads last.
func (s *Suite) shuffled(r *rand.Rand) []int {
	order := r.Perm(len(s.Loads))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case s.Loads[a].Overload == s.Loads[b].Overload:
			return 0
		case s.Loads[b].Overload:
			return -1
		}
		return 1
	})
	return order
}
