package record

import (
	"math"
	"math/big"
	"math/bits"
)

// sums are the sum of whole numbers and of their squares. 128 bits keep them
// exact: floats would give identical spans a spread, and make the result hang on
// the order in which shards merge.
type sums struct{ first, second wide }

// wide is an unsigned number of 128 bits.
type wide struct{ hi, lo uint64 }

func (s *sums) add(n uint64) {
	s.first.add(0, n)
	s.second.add(bits.Mul64(n, n))
}

func (s *sums) merge(other *sums) {
	s.first.add(other.first.hi, other.first.lo)
	s.second.add(other.second.hi, other.second.lo)
}

func (w *wide) add(hi, lo uint64) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi, _ = bits.Add64(w.hi, hi, carry)
}

func (w wide) big() *big.Int {
	n := new(big.Int).SetUint64(w.hi)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w.lo))
}

// mean of the n numbers, undefined for none.
func (s *sums) mean(n uint64) Number {
	if n == 0 {
		return Undefined()
	}
	mean, _ := new(big.Rat).SetFrac(s.first.big(), new(big.Int).SetUint64(n)).Float64()
	return Number(mean)
}

// stddev is the sample standard deviation of the n numbers, undefined for fewer
// than two.
func (s *sums) stddev(n uint64) Number {
	if n < 2 {
		return Undefined()
	}
	count, sum := new(big.Int).SetUint64(n), s.first.big()
	variance := new(big.Int).Mul(count, s.second.big())
	variance.Sub(variance, sum.Mul(sum, sum)) // n·Σx² − (Σx)², in n·(n−1) parts
	parts := new(big.Int).Mul(count, new(big.Int).SetUint64(n-1))
	v, _ := new(big.Rat).SetFrac(variance, parts).Float64()
	return Number(math.Sqrt(max(v, 0)))
}
