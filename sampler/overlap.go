package sampler

import (
	"cmp"
	"fmt"
	"slices"
)

// overlap marks groups that have processes of a larger one, or of the first of the
// same size, so that those without a mark have none in common. Where merging is
// wanted, it leaves out those that have no others.
func (g *groups) overlap(all snapshot) {
	extents := make([]map[int32]bool, len(g.list))
	order := make([]int, len(g.list))
	for n, one := range g.list {
		order[n] = n
		extents[n] = one.tree.extent(all, one.pids(nil))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(extents[b]), len(extents[a])) })
	var counted []int
	drop := make(map[*group]bool)
	for _, n := range order {
		of, shared := sharing(extents, counted, n)
		switch {
		case shared == 0:
			counted = append(counted, n)
		case g.merge && shared == len(extents[n]):
			drop[g.list[n]] = true
		default:
			g.mark(n, g.infos[of].Name, shared == len(extents[n]))
		}
	}
	kept := func(n int) bool { return !drop[g.list[n]] }
	g.infos = only(g.infos, kept)
	g.list = only(g.list, kept)
}

// sharing is the group among those counted that shares the most processes with
// group n, and how many.
func sharing(extents []map[int32]bool, counted []int, n int) (of, most int) {
	for _, c := range counted {
		shared := 0
		for pid := range extents[n] {
			if extents[c][pid] {
				shared++
			}
		}
		if shared > most {
			of, most = c, shared
		}
	}
	return of, most
}

func (g *groups) mark(n int, within string, whole bool) {
	g.infos[n].Within = within
	share := "some"
	if whole {
		share = "all"
	}
	g.notes = append(g.notes, fmt.Sprintf("%s: %s of its processes are counted as %s too", g.infos[n].Name, share, within))
}

// only are the elements of list that are kept by their index.
func only[T any](list []T, kept func(int) bool) []T {
	var some []T
	for n, e := range list {
		if kept(n) {
			some = append(some, e)
		}
	}
	return some
}
