package record

import "testing"

// The peak is this program's own, above the present and above what it holds.
func TestPeakRSS(t *testing.T) {
	before := peakRSS(0)
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	if after := peakRSS(0); before < 1<<20 || after < before || after < 64<<20 || held[len(held)-1] != 1 {
		t.Errorf("%d bytes before, %d with 64 MiB more", before, after)
	}
}
