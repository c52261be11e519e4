package testserver

// A ring is a line, first in, first out, that moves nothing when it is used and
// grows as it has to. The zero value is empty.
type ring[T any] struct {
	slots []T // a power of two of them, or none
	first int // slot of the first in line
	size  int
}

// push adds one at the end.
func (r *ring[T]) push(v T) {
	if r.size == len(r.slots) {
		r.grow()
	}
	r.slots[(r.first+r.size)&(len(r.slots)-1)] = v
	r.size++
}

// pop takes the first; ok is false if there is none.
func (r *ring[T]) pop() (v T, ok bool) {
	if r.size == 0 {
		return v, false
	}
	var none T
	v, r.slots[r.first] = r.slots[r.first], none
	r.first = (r.first + 1) & (len(r.slots) - 1)
	r.size--
	return v, true
}

// grow doubles a full ring.
func (r *ring[T]) grow() {
	slots := make([]T, max(2*len(r.slots), 8))
	n := copy(slots, r.slots[r.first:])
	copy(slots[n:], r.slots[:r.first])
	r.slots, r.first = slots, 0
}
