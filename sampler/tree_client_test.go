package sampler

import "testing"

// The client and what it started are of no tree that it did not become a root of; a
// server that it started and that was asked for is.
func TestTreeLeavesTheClientOut(t *testing.T) {
	s := snapshot{}
	for pid, parent := range map[int32]int32{1: 0, 10: 1, 20: 10, 21: 20, 22: 21, 30: 10} {
		s[pid] = procStat{pid: pid, parent: parent, start: uint64(pid)}
	}
	for name, c := range map[string]struct {
		client int32
		roots  []int32
		want   []int32
	}{
		"no client":           {0, []int32{10}, []int32{10, 20, 21, 22, 30}},
		"a client":            {20, []int32{10}, []int32{10, 30}},
		"its server":          {20, []int32{21}, []int32{21, 22}},
		"both":                {20, []int32{10, 22}, []int32{10, 22, 30}},
		"itself":              {20, []int32{20}, []int32{20, 21, 22}},
		"of another snapshot": {99, []int32{20}, []int32{20, 21, 22}},
	} {
		tr := tree{client: c.client}
		got := tr.extent(s, c.roots)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, pid := range c.want {
			if !got[pid] {
				t.Errorf("%s: %d is missing", name, pid)
			}
		}
	}
}
