package testserver

import (
	"math/rand/v2"
	"testing"
)

// The ring against a slice that is shifted.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var r ring[int]
	var line []int
	for n := range 100_000 {
		if grows := n/1000%2 == 0; random.IntN(3) > 0 == grows {
			r.push(n)
			line = append(line, n)
			continue
		}
		got, ok := r.pop()
		if ok != (len(line) > 0) || ok && got != line[0] {
			t.Fatalf("step %d: %d, %v with %d in line", n, got, ok, len(line))
		}
		if ok {
			line = line[1:]
		}
		if r.size != len(line) {
			t.Fatalf("step %d: size %d, want %d", n, r.size, len(line))
		}
	}
	if len(r.slots) < 512 {
		t.Errorf("only %d slots: the ring was never long", len(r.slots))
	}
}
