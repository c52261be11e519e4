//go:build race

package record

// manyOutcomes is how many outcomes the memory test records. The race detector
// makes each some ten times as slow.
const manyOutcomes = 1_000_000
